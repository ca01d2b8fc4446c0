"""Which two things one question names, between which people choose, and which could be taken for each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set

from falter.core.lazy_dict import LazyDict
from falter.generation.askable import rules
from falter.generation.askable.belonging import SIBLING, Belonging
from falter.generation.askable.likeness import are_of_one_kind, serve_one_use, way_of
from falter.generation.askable.placement import is_any, sort_of_place
from falter.generation.askable.setting import SceneSetting
from falter.generation.askable.source_counts import SourceCounts
from falter.generation.cooccurrence import load_table
from falter.generation.english import Ontology

_PERSON = "person"
_LEAST_TOGETHER = rules.number("least-together")
_TOGETHER_IMAGES = rules.whole("together-images")
_LEAST_APART = rules.number("least-apart")
_LEAST_OUTDOORS_DRAWN = rules.number("least-outdoors-drawn")
_GEAR = "sporting equipment"
_LIKENESS_OF_SIBLINGS = rules.number("least-likeness-of-siblings", "any")
_LIKENESS_OF_GEAR = rules.number("least-likeness-of-siblings", _GEAR)
_NO_SIBLINGS = rules.words("no-siblings")

Pair = tuple[str, str]


class KindPairs:
    """Says how two kinds go together in a source; each pair is worked out once."""

    def __init__(self, counts: SourceCounts, belonging: Belonging, setting: SceneSetting, ontology: Ontology) -> None:
        self._belonging = belonging
        self._setting = setting
        self._ontology = ontology
        self._at = counts.at
        self._is_drawn = counts.is_drawn
        case = "drawn" if counts.is_drawn else "annotated"
        self._any_two = rules.words("any-two", case)
        self._least_both = rules.number("least-both", case)
        self._least_with_people = rules.number("least-with-people", case)
        self._likeness_of_two = rules.number("least-likeness-of-two", case)
        self._likeness_instead = rules.number("least-likeness-instead", case)
        self._of_one_sort = LazyDict(self._find_of_one_sort)
        self._alternatives = LazyDict(self._find_alternatives)
        self._instead = LazyDict(self._find_instead)
        self._siblings = LazyDict(self._find_siblings)
        self._partners: LazyDict[str, dict[str, dict[str, bool]]] = LazyDict(_no_partners)

    def partners_for(self, question: str) -> dict[str, dict[str, bool]]:
        """What a type of questions knows of two kinds: by the first and the second, whether it names them together."""
        return self._partners[question]

    def lift(self, first: str, second: str) -> float:
        """How much more often two kinds occur together than by chance, as far as kinds like them do too."""
        return self._belonging.lift(first, second)

    def lifts(self, kind: str, others: Sequence[str]) -> dict[str, float]:
        """The same of a kind with each of some others."""
        return self._belonging.lifts_of(kind, others)

    def go_together(self, first: str, second: str, location: str | None) -> bool:
        """Whether two kinds may well be in one image."""
        here = self._at.get(location, ()) if self._is_drawn and location is not None else ()
        return (first in here and second in here) or self._belonging.lift(first, second) >= _LEAST_TOGETHER

    def are_of_one_sort(self, first: str, second: str) -> bool:
        """Whether people would name two kinds in one breath: not what is in the sky and what is on the ground.

        Nor what somebody wears and anything else. Where things are drawn at random, nor what is found in other places.
        """
        return self._of_one_sort[first, second]

    def _find_of_one_sort(self, pair: Pair) -> bool:
        first, second = pair
        if self._alternatives[pair]:
            return True
        # A lift that rests on likeness alone says that two kinds may meet, not that people name them together.
        if load_table().draw.together(first, second) < _TOGETHER_IMAGES:
            return False
        least = self._least_lift_drawn(pair) if self._is_drawn else self._least_lift_annotated(pair)
        return least is not None and self._belonging.lift(*self._compared(pair)) >= least

    def _sorts(self, pair: Pair) -> set[str]:
        return {sort_of_place(kind, self._ontology) for kind in pair}

    def _has_people(self, pair: Pair) -> bool:
        return any(self._ontology.is_a(kind, _PERSON) for kind in pair)

    def _least_lift_drawn(self, pair: Pair) -> float | None:
        """How high the lift must be in a drawn source; None where people do not name the two together."""
        sorts, people = self._sorts(pair), self._has_people(pair)
        if sorts == {"carried"} or (len(sorts) > 1 and sorts != {"living", "outdoors"}):
            return None
        if people and len(sorts) > 1:
            return _LEAST_OUTDOORS_DRAWN
        return self._least_with_people if people else self._least_both

    def _least_lift_annotated(self, pair: Pair) -> float | None:
        sorts = self._sorts(pair)
        if len(sorts) > 1 and not sorts.isdisjoint(("sky", "worn")):
            return None
        if self._has_people(pair):
            return self._least_with_people
        return self._least_both if len(sorts) == 1 else _LEAST_APART

    def _compared(self, pair: Pair) -> Pair:
        """The two whose lift is compared: of anybody and a thing outdoors in a drawn source, people in general."""
        if not self._is_drawn or len(self._sorts(pair)) == 1 or not self._has_people(pair):
            return pair
        first, second = pair
        return _PERSON, second if self._ontology.is_a(first, _PERSON) else first

    def are_alternatives(self, first: str, second: str) -> bool:
        """Whether people would choose between two kinds: they are of one near kind, and found in such surroundings."""
        return self._alternatives[first, second]

    def _find_alternatives(self, pair: Pair) -> bool:
        first, second = pair
        if not serve_one_use(first, second, self._ontology):
            return False
        if is_any(first, self._any_two, self._ontology):
            return True
        return self._belonging.likeness(first, second) >= self._likeness_of_two

    def could_be_instead(self, other: str, right: str) -> bool:
        """Whether something that is of one kind could be taken for another: both are found in such surroundings."""
        return self._instead[other, right]

    def _find_instead(self, pair: Pair) -> bool:
        other, right = pair
        ontology = self._ontology
        if sort_of_place(other, ontology) != sort_of_place(right, ontology):
            return False
        if way_of(other, ontology) != way_of(right, ontology):
            return False
        if self._is_drawn and ontology.is_a(right, _PERSON):
            return True
        return self._belonging.likeness(other, right) >= self._likeness_instead

    def siblings(self, present: Collection[str], alone: Set[str], location: str | None) -> dict[str, float]:
        """Kinds like one that is present, each with its mean lift: a horse where cows are, a spoon beside a knife.

        Those that are there alone make no other likely.
        """
        if self._is_drawn:
            return {}
        fitting = self._belonging.belonging(self._setting.with_place(present, location), SIBLING)
        here = [kind for kind in present if kind not in alone and not is_any(kind, _NO_SIBLINGS, self._ontology)]
        return {kind: lift for kind, lift in fitting.items() if any(self._siblings[kind, other] for other in here)}

    def _find_siblings(self, pair: Pair) -> bool:
        kind, other = pair
        ontology = self._ontology
        least = _LIKENESS_OF_GEAR if ontology.is_a(kind, _GEAR) else _LIKENESS_OF_SIBLINGS
        return (
            are_of_one_kind(kind, other, ontology)
            and ontology.are_disjoint(kind, other)
            and self._belonging.likeness(kind, other) >= least
        )


def _no_partners(question: str) -> dict[str, dict[str, bool]]:  # noqa: ARG001 - each question begins with none
    return {}
