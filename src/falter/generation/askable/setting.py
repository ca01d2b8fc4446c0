"""What belongs in an image of a source: by what tells of its setting, and by what the source has at such places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from falter.generation.askable import rules
from falter.generation.askable.belonging import Belonging, Floor
from falter.generation.askable.source_counts import SourceCounts
from falter.generation.english import Ontology

_IMAGES_OF_PLACE = rules.whole("place-images")
_SHARE_OF_PLACE = rules.number("place-share")
_ANIMALS_AT_PLACE = rules.whole("place-images-of-animals")
_LEAST_AT_HOME = rules.number("least-at-home")
_LEAST_SUITING = rules.number("least-suiting")


class SceneSetting:
    """Says what belongs where some kinds are, at a place or none."""

    def __init__(self, counts: SourceCounts, belonging: Belonging, ontology: Ontology) -> None:
        self._counts = counts
        self._belonging = belonging
        self._ontology = ontology

    def belonging(self, present: Iterable[str], location: str | None, floor: Floor) -> dict[str, float]:
        """The kinds that belong where others are, each with its mean lift.

        Where the annotation is complete, they are those that the source has in other images of the place; where there
        are few of these, the others too.
        """
        here = self.with_place(present, location)
        fitting = self._belonging.belonging(here, floor)
        if not self._counts.is_drawn or location is None:
            return fitting
        mean, places = self._belonging.mean(here), self._belonging.places
        at_place = self._usual_at(location)
        likely = {kind: float(mean[places[kind]]) if kind in places else 0.0 for kind in at_place}
        return likely if self._counts.images_at[location] >= _IMAGES_OF_PLACE else likely | fitting

    def _usual_at(self, location: str) -> list[str]:
        """The kinds that stand in enough images of a place; one animal may have strayed there."""
        standing = self._counts.standing_at.get(location, Counter[str]())
        least = _SHARE_OF_PLACE * self._counts.images_at[location]
        return [
            kind
            for kind, images in standing.items()
            if images >= max(least, _ANIMALS_AT_PLACE if self._ontology.is_a(kind, "animal") else 1)
        ]

    def with_place(self, present: Iterable[str], location: str | None) -> frozenset[str]:
        """The kinds that are present, and the place as one of them."""
        lexeme = None if location is None else self._ontology.lexeme(location)
        return frozenset(present) if lexeme is None else frozenset((*present, lexeme[0]))

    def is_no_surprise(self, present: Iterable[str], location: str | None) -> frozenset[str]:
        """The kinds that may be in such an image whatever their lift, as people may nearly anywhere."""
        return self._belonging.usual(self.with_place(present, location))

    def is_at_home(self, kind: str, present: Iterable[str], location: str | None) -> bool:
        """Whether a kind that is annotated goes with the others: a monkey in a bathroom is a toy or an error."""
        return (
            self._counts.is_drawn or self._belonging.of_kind(kind, self.with_place(present, location)) >= _LEAST_AT_HOME
        )

    def tells(self, kind: str) -> bool:
        """Whether a kind tells something of where it is found."""
        return self._belonging.tells(kind)

    def suits(self, value: str, present: Iterable[str], location: str | None) -> bool:
        """Whether somebody may well do something where these kinds are; what is no doing suits any place."""
        if value not in self._counts.doings:
            return True
        if self._counts.is_drawn and location is not None and value in self._counts.at.get(location, ()):
            return True
        return self._belonging.of_value(value, self.with_place(present, location)) >= _LEAST_SUITING
