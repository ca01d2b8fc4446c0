"""Which kinds may be denied, and which of them are asked for where they are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import exp
from random import Random

from falter.core.lazy_dict import LazyDict
from falter.generation.askable import rules
from falter.generation.askable.looks import drawn
from falter.generation.askable.placement import is_any
from falter.generation.askable.setting import SceneSetting
from falter.generation.askable.source_counts import SourceCounts
from falter.generation.cooccurrence import Plausibility
from falter.generation.english import Ontology

_PERSON = "person"
_COMMON = rules.whole("common-images", "weighted")
_COLLECTIONS = rules.words("collections")
_TAKE_IMAGES = rules.words("takes-the-image")
_MOST_ABSENT = rules.whole("most-absent", "weighted")
_NEARLY = rules.number("nearly-as-plausible")
_COMMONNESS = rules.number("commonness", "weighted")
_LEAST_OF_ANIMALS = rules.number("least-lift-of-sorts", "animal")
_LEAST_OF_FOOD = rules.number("least-lift-of-sorts", "food")
_EVERYWHERE = rules.number("everywhere-share")


class AbsentKinds:
    """Says which absent kinds of a source are asked for; whether a scene lacks them, the scene says."""

    def __init__(
        self,
        counts: SourceCounts,
        plausibility: Plausibility,
        setting: SceneSetting,
        ontology: Ontology,
        categories: frozenset[str] | None,
    ) -> None:
        self._counts = counts
        self._plausibility = plausibility
        self._setting = setting
        self._ontology = ontology
        self._several = rules.number("several-share", "drawn" if counts.is_drawn else "annotated")
        self.deniable = self._find_deniable(categories)
        """The kinds whose absence the annotation can tell, and that are not absent from all images alike."""
        self._may_be_denied = LazyDict(self._find_whether_denied)
        self._below = LazyDict(self._find_below)

    def _find_deniable(self, categories: frozenset[str] | None) -> frozenset[str]:
        here = frozenset(self._counts.with_kind)
        if categories is not None:
            lexemes = (self._ontology.lexeme(name) for name in categories)
            return here | {lexeme[0] for lexeme in lexemes if lexeme is not None}
        if self._counts.is_drawn:
            return here
        # Annotators who may name whatever they see leave out a common kind where there is none.
        frequency = self._plausibility.frequency
        return here | {kind for kind in self._plausibility.kinds if frequency(kind) >= _COMMON}

    def _find_whether_denied(self, kind: str) -> bool:
        """Whether the annotation can tell that a kind is absent, and the counts that it belongs.

        They cannot where the kind is called like a color (an orange train), nor of what imitates something else: teddy
        bears are counted where they are put on show.
        """
        ontology = self._ontology
        return (
            kind in self.deniable
            and kind not in self._counts.colors
            and not ontology.is_kind_of_imitation(kind)
            and not is_any(kind, _COLLECTIONS, ontology)
            and not self._is_counted_for_another(kind)
            and (self._counts.is_drawn or not is_any(kind, _TAKE_IMAGES, ontology))
        )

    def _is_counted_for_another(self, kind: str) -> bool:
        """Whether a kind is called as another is in the plural: who speaks of glasses may mean those on the table."""
        return any(other != kind for other, _ in self._ontology.nouns.get(kind, ()))

    def weigh(
        self, belonging: Mapping[str, float], siblings: Mapping[str, float], allowed: Callable[[str], bool]
    ) -> list[tuple[str, float]]:
        """Of the kinds that belong in an image the most plausible that may be denied, with weights to draw them by.

        Those that are like something there are among them. Common kinds are rather drawn first, so that how common a
        kind is tells as little as what it stands beside.
        """
        may_be_denied = self._may_be_denied
        ranked = sorted(belonging, key=lambda kind: (-belonging[kind], kind))
        could = [kind for kind in ranked if may_be_denied[kind] and allowed(kind)]
        if not self._counts.is_drawn:
            least = _NEARLY * belonging[could[0]] if could else 0.0
            could = [kind for kind in could if belonging[kind] >= max(least, self._least_lift(kind))][:_MOST_ABSENT]
        also = (kind for kind in sorted(siblings) if may_be_denied[kind] and allowed(kind))
        frequency, lifts = self._plausibility.frequency, {**siblings, **belonging}
        kinds = dict.fromkeys((*could, *also))
        return [(kind, (1 + frequency(kind)) ** _COMMONNESS * exp(lifts[kind])) for kind in kinds]

    def _least_lift(self, kind: str) -> float:
        """The least mean lift of a kind that is asked for: animals and food are looked for where they are usual."""
        if self._ontology.is_a(kind, "animal"):
            return _LEAST_OF_ANIMALS
        return _LEAST_OF_FOOD if self._ontology.is_a(kind, "food") else 0.0

    def usual_people(self, present: Iterable[str], location: str | None) -> list[str]:
        """Kinds of people that may be in such an image, as people may nearly anywhere."""
        usual = self._setting.is_no_surprise(present, location)
        return sorted(kind for kind in usual if self._ontology.is_a(kind, _PERSON) and self._may_be_denied[kind])

    def is_everywhere(self, kind: str) -> bool:
        """Whether the source has a kind in so many images that, never denied, its word would tell yes."""
        return self._counts.with_kind[kind] >= _EVERYWHERE * self._counts.images

    def are_several(self, kind: str) -> bool:
        """Whether an image with a kind often has several of it; of a kind that the source lacks nothing is known."""
        return self._counts.with_several[kind] >= self._several * self._counts.with_kind[kind]

    def kinds_below(self, kind: str, rng: Random) -> list[str]:
        """Countable kinds of a kind that the source has or could well have, the common ones rather first."""
        return drawn(self._below[kind], rng)

    def _find_below(self, kind: str) -> tuple[tuple[str, float], ...]:
        kinds = self._ontology.kinds
        return tuple(
            (other, 1.0 + self._counts.with_kind[other])
            for other in sorted(self._ontology.descendants[kind])
            if other in self.deniable
            and self._may_be_denied[other]
            and kinds[other].number == "count"
            and not kinds[other].unique
        )
