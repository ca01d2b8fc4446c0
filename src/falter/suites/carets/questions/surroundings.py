"""What could well be in a scene, by what is there and where it is."""

from __future__ import annotations

from functools import cached_property
from random import Random

from falter.cooccurrence import ABSENCE, OFFER
from falter.english import Ontology
from falter.scene import Scene
from falter.suites.carets.questions.cooccurrence import CooccurrenceCounts
from falter.suites.carets.questions.known_values import drawn
from falter.suites.carets.questions.stems import gear_of

__all__ = ["Surroundings"]

_SPARE = 2
_LEAST_FIT = -0.6
"""How plausible a value is at least beside what the image has."""


class Surroundings:
    """Kinds and values that belong in one scene; each is worked out once."""

    def __init__(self, scene: Scene, ontology: Ontology, cooccurrence: CooccurrenceCounts) -> None:
        self.kinds = frozenset(lexeme[0] for name in scene.names if (lexeme := ontology.lexeme(name)) is not None)
        self._scene = scene
        self._ontology = ontology
        self._cooccurrence = cooccurrence
        self._location = scene.graph.location
        self._plausibility = cooccurrence.plausibility_in(scene.graph)
        self._fits: dict[str, bool] = {}

    def absent_kinds(self, rng: Random) -> list[str]:
        """Kinds that are absent but belong, in a drawn order; then people, where the source is full of them."""
        people = (kind for kind in self.absent_people if self._cooccurrence.is_everywhere(kind))
        return list(dict.fromkeys([*drawn(self._absent, rng), *people]))

    @cached_property
    def _absent(self) -> list[tuple[str, float]]:
        return self._cooccurrence.absent_kinds(self._belonging, self._is_absent)

    @cached_property
    def absent_people(self) -> list[str]:
        """Kinds of people that are not annotated here; nobody wonders about a question for them."""
        return [kind for kind in self._cooccurrence.usual_people(self.kinds, self._location) if self._is_absent(kind)]

    def _is_absent(self, kind: str) -> bool:
        # What may be there unseen by the annotators can be neither affirmed nor denied.
        return (
            kind not in self.kinds
            and self._ontology.kinds[kind].askable
            and not self._scene.objects_of_kind(kind)
            and not self._scene.may_be_unannotated(kind)
            and self._has_room_for(kind)
        )

    def _has_room_for(self, kind: str) -> bool:
        """Whether a fixture of a room could be here: the room or another of its fixtures is."""
        rooms = self._ontology.rooms(kind)
        return not rooms or not rooms.isdisjoint(self._rooms)

    @cached_property
    def _rooms(self) -> frozenset[str]:
        names = [*self.kinds, *([self._location] if self._location is not None else [])]
        return frozenset().union(*(self._ontology.rooms(name) for name in names))

    @cached_property
    def _belonging(self) -> dict[str, float]:
        return self._cooccurrence.belonging(self.kinds, self._location, ABSENCE)

    def could_be(self, kind: str) -> bool:
        """Whether something here could be of a kind, were it not of another."""
        return kind in self.kinds or kind in self._offered

    @cached_property
    def _offered(self) -> frozenset[str]:
        return frozenset(self._cooccurrence.belonging(self.kinds, self._location, OFFER))

    def go_together(self, first: str, second: str) -> bool:
        """Whether two kinds may be named in one question: both are here, or they may well be in one image."""
        return self.kinds >= {first, second} or self._cooccurrence.go_together(first, second, self._location)

    def values(self, kind: str, rng: Random, most: int) -> list[str]:
        """Values that the kind is known to take and that go with what is here, in a drawn order."""
        drawn = self._cooccurrence.values.natural(kind, rng, most + _SPARE)
        return [value for value in drawn if self.fits(value)][:most]

    def fits(self, value: str) -> bool:
        """Whether a value goes with what is here: no skateboarding in a kitchen."""
        known = self._fits.get(value)
        if known is None:
            known = self._fits[value] = self._goes_with_gear(value) and self._cooccurrence.suits(
                value, self.kinds, self._location
            )
        return known

    def _goes_with_gear(self, value: str) -> bool:
        gear = gear_of(value, self._ontology)
        return self._plausibility.of_value(value, self.kinds) >= _LEAST_FIT and (
            not gear or not gear.isdisjoint(self.kinds) or not gear.isdisjoint(self._belonging)
        )
