"""How plausible a kind, an attribute or a relation is where other things are, by counts of images."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from falter.generation.cooccurrence.counts import ImageCounts
from falter.generation.cooccurrence.mentions import ImageContents
from falter.generation.english import Ontology

__all__ = ["Plausibility"]

_SMOOTHING = 1.0
"""Images added to what was seen together and to what chance would give: a rare pair says little either way."""

_FIRST = 64
"""How many of the most plausible kinds are looked at before all others."""
_MOST_KNOWN = 200_000
"""Scores of two kinds that are kept."""
_OF_THE_COUNTS = (
    *("seen", "together_counts", "value_place", "value_seen", "value_together"),
    *("_lift_of_two_here", "_said_in_all", "_said_of_kind", "_said_of_value", "_related"),
)
"""What is the same whichever image is left out."""

Lifts = NDArray[np.float32]


class Plausibility:
    """Scores by one set of counts; 0 is what chance would give, and what nothing is known of.

    The *lift* of two kinds is the logarithm of how often they are in an image together, over how often they would
    be by chance, both with one image added. A kind's score beside others is its mean lift with each of them.
    """

    def __init__(self, counts: ImageCounts, ontology: Ontology) -> None:
        self.counts = counts
        self.kinds = tuple(sorted(kind for kind in counts.kinds if kind in ontology.kinds))
        self._ontology = ontology
        self._place = {kind: place for place, kind in enumerate(self.kinds)}
        self._left_out: ImageContents | None = None
        self._apart: dict[int, NDArray[np.bool_]] = {}
        self._without_one: dict[tuple[int, bool], tuple[Lifts, Lifts]] = {}
        self._scores_without_one: dict[tuple[int, bool], NDArray[np.float64]] = {}
        self._rows: tuple[NDArray[np.intp] | None, dict[tuple[int, bool | None], Lifts]] = (None, {})
        self._of_two: dict[tuple[int, int, bool, bool], float] = {}
        self._asked: tuple[frozenset[str], list[int]] = (frozenset(), [])
        self._forget_what_was_asked()

    def _forget_what_was_asked(self) -> None:
        """Clear what is known of the kinds that were asked about last."""
        self._scored: tuple[list[int] | None, dict[int, float]] = (None, {})
        self._all_here: tuple[list[int] | None, bool] = (None, False)
        self._bits: tuple[list[int] | None, int] = (None, 0)
        self._beside: tuple[list[int], Lifts] = ([], np.zeros((0, 0), dtype=np.float32))
        self._values_beside: tuple[list[int], Lifts] = ([], np.zeros(0, dtype=np.float32))
        self._ranked: tuple[list[int] | None, Lifts, float] = (None, np.zeros(0, dtype=np.float32), np.inf)

    def without(self, said: ImageContents) -> Plausibility:
        """The scores as if an image that is among those counted were not; what this image has is ``said``."""
        # What the counts give is worked out here, once for all images.
        for name in _OF_THE_COUNTS:
            getattr(self, name)
        other = object.__new__(Plausibility)
        known = other.__dict__
        known |= self.__dict__
        other._left_out = said
        known.pop("_own", None)
        known.pop("frequencies", None)
        other._forget_what_was_asked()
        return other

    @cached_property
    def seen(self) -> NDArray[np.float32]:
        """How many images have each of the kinds."""
        return np.array([self.counts.kinds[kind] for kind in self.kinds], dtype=np.float32)

    @cached_property
    def together_counts(self) -> NDArray[np.float32]:
        """How many images have every two of the kinds."""
        together = np.zeros((len(self.kinds), len(self.kinds)), dtype=np.float32)
        for (first, second), count in self.counts.pairs.items():
            if first in self._place and second in self._place:
                one, other = self._place[first], self._place[second]
                together[one, other] = together[other, one] = count
        return together

    @cached_property
    def _lift(self) -> Lifts:
        """The lift of every two kinds."""
        return _lifts(self.together_counts, np.outer(self.seen, self.seen) / max(self.counts.images, 1))

    def _lifts_with(self, others: list[int]) -> Lifts:
        """The lift of every kind with each of some others."""
        asked, known = self._beside
        if asked is others or asked == others:
            return known
        if self._left_out is None:
            # The lift of two kinds is the same both ways, and rows lie together in memory.
            known = np.ascontiguousarray(self._lift[others].T)
        else:
            here = self._places(self._left_out.kinds)
            lifts = np.empty((len(others), len(self.kinds)), dtype=np.float32)
            for row, other in enumerate(others):
                away, beside = self._lifts_without_one(other, is_here=self.kinds[other] in self._left_out.kinds)
                lifts[row] = away
                lifts[row, here] = beside[here]
            known = np.ascontiguousarray(lifts.T)
        self._beside = others, known
        return known

    def _lifts_without_one(self, other: int, *, is_here: bool) -> tuple[Lifts, Lifts]:
        """The lift of every kind with another in all images but one, which has not the first, or has it.

        ``is_here``: that image has the other. Which image it is makes no difference, so this is worked out once.
        """
        key = (other, is_here)
        known = self._without_one.get(key)
        if known is None:
            images, seen = max(self.counts.images - 1, 1), self.seen[other] - np.float32(is_here)
            together = self.together_counts[other]
            known = self._without_one[key] = (
                _lifts(together, seen * self.seen / images),
                _lifts(np.maximum(together - is_here, 0.0), seen * (self.seen - 1) / images),
            )
        return known

    def frequency(self, kind: str) -> int:
        """How many images have a kind."""
        return self.counts.kinds[kind] - (self._left_out is not None and kind in self._left_out.kinds)

    def of_kind(self, kind: str, beside: Iterable[str]) -> float:
        """How plausible a kind is in an image that has others; itself and what it implies do not count."""
        place = self._place.get(kind)
        if place is None:
            return 0.0
        all_others = self._places(beside)
        if not self._meets(kind, all_others):
            counted = all_others
        else:
            meeting = self._ontology.kinds_meeting(kind)
            counted = [other for other in all_others if self.kinds[other] not in meeting]
        if not counted:
            return 0.0
        if self._left_out is not None and kind in self._left_out.kinds and self._are_here(all_others):
            # Two kinds that the image has are as plausible together either way.
            return _mean(self._lift_of_two_here[place][counted])
        if counted is all_others:
            scored, scores = self._scored
            if scored is all_others and place in scores:
                return scores[place]
        return _mean(self._lifts_of(place, counted))

    def _lifts_of(self, place: int, others: list[int]) -> Lifts:
        """The lift of one kind with each of some others."""
        if self._left_out is None:
            found: Lifts = self._lift[place][others]
            return found
        here, is_here = self._left_out.kinds, self.kinds[place] in self._left_out.kinds
        lifts = [self._lifts_without_one(one, is_here=self.kinds[one] in here)[is_here][place] for one in others]
        return np.array(lifts, dtype=np.float32)

    def _meets(self, kind: str, others: list[int]) -> bool:
        """Whether one object may be of a kind and of one of some others."""
        asked, bits = self._bits
        if asked is not others:
            bit_of = self._ontology.kind_bits
            bits = sum(bit_of[self.kinds[one]] for one in others)
            self._bits = others, bits
        return bool(self._ontology.meeting_bits[kind] & bits)

    @cached_property
    def _lift_of_two_here(self) -> Lifts:
        """The lift of every two kinds in all images but one that has both."""
        seen, images = self.seen - 1, max(self.counts.images - 1, 1)
        return _lifts(np.maximum(self.together_counts - 1, 0.0), np.outer(seen, seen) / images)

    def of_two(self, first: str, second: str) -> float:
        """How plausible two kinds are together; 0 for two that one object may be."""
        one, other = self._place.get(first), self._place.get(second)
        if one is None or other is None or not self._ontology.are_disjoint(first, second):
            return 0.0
        if self._left_out is None:
            return float(self._lift[one, other])
        here = self._left_out.kinds
        # Which image is left out makes no other difference than which of the two it has.
        key = (one, other, first in here, second in here)
        known = self._of_two.get(key)
        if known is None:
            chance = self.frequency(first) * self.frequency(second) / max(self.counts.images - 1, 1)
            known = _lift_of(self.counts.together(first, second) - (key[2] and key[3]), chance)
            if len(self._of_two) >= _MOST_KNOWN:
                self._of_two.clear()
            self._of_two[key] = known
        return known

    def with_each(self, other: str) -> Mapping[str, float]:
        """How plausible each kind is together with another, as ``of_two`` has it; worked out when first asked."""
        return _TogetherWith(other, self)

    def of_attribute(self, kind: str, value: str) -> float:
        """How much more often a value is said of a kind than chance would give."""
        said = self._said_of_kind.get(kind, 0)
        chance = said * self._said_of_value.get(value, 0) / max(self._said_in_all, 1)
        return _lift_of(self.times_said(kind, value), chance)

    def times_said(self, kind: str, value: str) -> int:
        """In how many images a value is said of a kind."""
        left_out = self._left_out is not None and (kind, value) in self._left_out.attributes
        return self.counts.attributes.get((kind, value), 0) - left_out

    def of_value(self, value: str, beside: Iterable[str]) -> float:
        """How plausible a value of anything is in an image that has these kinds: skiing and snow, not skiing and bowls.

        It is the mean lift of the value with each of the kinds.
        """
        place = self.value_place.get(value)
        others = self._places(beside)
        if place is None or not others:
            return 0.0
        asked, scores = self._values_beside
        if asked != others:
            scores = self._value_lifts(others).mean(axis=1)
            self._values_beside = others, scores
        return float(scores[place])

    def _value_lifts(self, others: list[int]) -> Lifts:
        """The lift of every value with each of some kinds."""
        said, seen, together = self.value_seen, self.seen[others], self.value_together[:, others]
        images = self.counts.images
        if self._left_out is not None:
            own = np.zeros(len(said), dtype=np.float32)
            own[[self.value_place[value] for _, value in self._left_out.attributes]] = 1.0
            here = np.zeros(len(self.kinds), dtype=np.float32)
            here[self._places(self._left_out.kinds)] = 1.0
            said, seen, together = said - own, seen - here[others], together - np.outer(own, here[others])
            images -= 1
        return _lifts(together, np.outer(said, seen) / max(images, 1))

    @cached_property
    def value_place(self) -> dict[str, int]:
        """The place of each value among all, in the order of the alphabet."""
        return {value: place for place, value in enumerate(sorted(self.counts.values))}

    @cached_property
    def value_seen(self) -> NDArray[np.float32]:
        """In how many images each value is said of anything."""
        return np.array([self.counts.values[value] for value in self.value_place], dtype=np.float32)

    @cached_property
    def value_together(self) -> NDArray[np.float32]:
        """In how many images each value is said, and each kind is."""
        together = np.zeros((len(self.value_place), len(self.kinds)), dtype=np.float32)
        for (value, kind), count in self.counts.values_beside.items():
            if kind in self._place:
                together[self.value_place[value], self._place[kind]] = count
        return together

    def of_relation(self, kind: str, relation: str, target: str) -> float:
        """How much more often a kind has a relation to another than chance would give."""
        as_first, as_rest, in_all = self._related
        chance = as_first.get(kind, 0) * as_rest.get((relation, target), 0) / max(in_all, 1)
        return _lift_of(self.times_related(kind, relation, target), chance)

    def times_related(self, kind: str, relation: str, target: str) -> int:
        """In how many images a kind is said to have a relation to another."""
        left_out = self._left_out is not None and (kind, relation, target) in self._left_out.relations
        return self.counts.relations.get((kind, relation, target), 0) - left_out

    @cached_property
    def _said_of_kind(self) -> dict[str, int]:
        return _sums((kind, count) for (kind, _), count in self.counts.attributes.items())

    @cached_property
    def _said_of_value(self) -> dict[str, int]:
        return _sums((value, count) for (_, value), count in self.counts.attributes.items())

    @cached_property
    def _said_in_all(self) -> int:
        return sum(self.counts.attributes.values())

    @cached_property
    def _related(self) -> tuple[dict[str, int], dict[tuple[str, str], int], int]:
        counted = self.counts.relations.items()
        as_first = _sums((kind, count) for (kind, _, _), count in counted)
        as_rest: dict[tuple[str, str], int] = {}
        for (_, name, target), count in counted:
            as_rest[name, target] = as_rest.get((name, target), 0) + count
        return as_first, as_rest, sum(as_first.values())

    def most_plausible(
        self,
        beside: Iterable[str],
        allowed: Callable[[str], bool],
        *,
        least: int,
        most: int,
        among: NDArray[np.intp] | None = None,
        fitting: NDArray[np.bool_] | None = None,
    ) -> list[str]:
        """The kinds that are most plausible beside others, best first, of those that are allowed.

        They are those at least as plausible as the kinds that are there commonly are beside each other; ``least`` of
        them in any case, and ``most`` at most. ``among`` are the places in :attr:`kinds` of those that are looked at,
        scored as if the image that is left out had none of them; None looks at all. ``fitting`` says which of these.
        """
        others = self._places(beside)
        if among is None:
            places = np.arange(len(self.kinds))
            scores, enough = self._scored_beside(others)
        else:
            places = among if fitting is None else among[fitting]
            scores, enough = self._scores_among(among, fitting, others), self._usual_score(others)
        order = np.argsort(-scores, kind="stable")
        found: dict[int, float] = {}
        # The first ones are mostly enough.
        for part in (order[:_FIRST], order[_FIRST:]):
            for place, score in zip(places[part].tolist(), scores[part].tolist(), strict=True):
                if len(found) == most or (len(found) >= least and score < enough):
                    break
                if allowed(self.kinds[place]):
                    found[place] = score
            else:
                continue
            break
        self._scored = others, found
        return [self.kinds[place] for place in found]

    def _scores_among(self, places: NDArray[np.intp], fitting: NDArray[np.bool_] | None, others: list[int]) -> Lifts:
        """The scores of some kinds beside others, as if the image that is left out had none of them."""
        if not others:
            return np.zeros(len(places) if fitting is None else int(fitting.sum()), dtype=np.float32)
        # Most images are asked about the same places.
        asked, rows = self._rows
        if asked is not places:
            rows = {}
            if self._left_out is None:
                self._rows = places, rows
        here = None if self._left_out is None else self._left_out.kinds
        found: list[Lifts] = []
        for one in others:
            key = (one, None if here is None else self.kinds[one] in here)
            row = rows.get(key)
            if row is None:
                known = self._lift[one] if key[1] is None else self._lifts_without_one(one, is_here=key[1])[0]
                row = rows[key] = known[places]
            found.append(row)
        lifts = np.array(found) if fitting is None else np.array(found)[:, fitting]
        return np.asarray(np.add.reduce(np.ascontiguousarray(lifts.T), axis=1) / np.float32(len(others)))

    def _are_here(self, places: list[int]) -> bool:
        """Whether the image that is left out has all of these kinds."""
        asked, are_here = self._all_here
        if asked is not places:
            here = self._left_out.kinds if self._left_out is not None else ()
            are_here = all(self.kinds[one] in here for one in places)
            self._all_here = places, are_here
        return are_here

    def _usual_score(self, others: list[int]) -> float:
        """The score that kinds have commonly beside each other."""
        if len(others) < 2:
            return np.inf
        if self._left_out is None:
            # As many sums as before go from row to row: the lift of two kinds is the same both ways.
            lift = self._lift[np.array(others)[:, None], others].T
        else:
            if not self._are_here(others):
                return self._scored_beside(others)[1]
            lift = self._lift_of_two_here[np.array(others)[:, None], others]
        return _median((lift.sum(axis=1) - lift.diagonal()) / max(len(others) - 1, 1))

    def _scored_beside(self, others: list[int]) -> tuple[Lifts, float]:
        """The score of every kind beside others, and the score that those have commonly."""
        asked, scores, enough = self._ranked
        if asked is not others and asked != others:
            scores, enough = np.zeros(len(self.kinds), dtype=np.float32), np.inf
            if others:
                lifts = self._lifts_with(others)
                scores = lifts.mean(axis=1)
                lift = lifts[others, :]
                usual = (lift.sum(axis=1) - lift.diagonal()) / max(len(others) - 1, 1)
                enough = _median(usual) if len(others) > 1 else np.inf
            self._ranked = others, scores, enough
        return scores, enough

    def of_all_with(self, others: Sequence[str], among: NDArray[np.intp]) -> NDArray[np.float64]:
        """How plausible some kinds are together with each of some that are counted, as ``of_two`` has it.

        ``among`` are their places in :attr:`kinds`. It is as if the image that is left out had none of them.
        """
        columns = [self._place[other] for other in others]
        if self._left_out is None:
            lifts = self._lift[columns][:, among].astype(np.float64)
            for row, column in enumerate(columns):
                lifts[row] *= self._apart_from(column)[among]
            return lifts
        here = self._left_out.kinds
        return np.array([self._scores_without(one, is_here=self.kinds[one] in here)[among] for one in columns])

    def _scores_without(self, other: int, *, is_here: bool) -> NDArray[np.float64]:
        """What ``of_two`` gives every kind with another in all images but one that has not the first."""
        key = (other, is_here)
        known = self._scores_without_one.get(key)
        if known is None:
            together, every = self.together_counts[other], self.seen.astype(np.float64)
            chance = (every[other] - is_here) * every / max(self.counts.images - 1, 1)
            known = np.log((together + _SMOOTHING) / (chance + _SMOOTHING)) * self._apart_from(other)
            self._scores_without_one[key] = known
        return known

    def seen_with(self, others: Sequence[str], among: NDArray[np.intp]) -> NDArray[np.float32]:
        """How many of all the images counted have some kinds, by their places, and each of some others."""
        return self.together_counts[[self._place[other] for other in others]][:, among]

    @cached_property
    def frequencies(self) -> NDArray[np.float64]:
        """How many images have each of the kinds, as ``frequency`` has it."""
        return self.seen.astype(np.float64) - self._own

    @cached_property
    def _own(self) -> NDArray[np.float64]:
        """1 for each kind of the image that is left out."""
        own = np.zeros(len(self.kinds))
        own[self._places(self._left_out.kinds if self._left_out is not None else ())] = 1.0
        return own

    def _apart_from(self, place: int) -> NDArray[np.bool_]:
        """Which kinds no object is of that is of this one."""
        known = self._apart.get(place)
        if known is None:
            meeting = self._ontology.kinds_meeting(self.kinds[place])
            known = self._apart[place] = np.array([kind not in meeting for kind in self.kinds])
        return known

    def _places(self, kinds: Iterable[str]) -> list[int]:
        # What is in an image is asked about again and again.
        if kinds is self._asked[0]:
            return self._asked[1]
        places = [self._place[kind] for kind in sorted(set(kinds)) if kind in self._place]
        if isinstance(kinds, frozenset):
            self._asked = kinds, places
        return places


class _TogetherWith(dict[str, float]):
    """How plausible kinds are together with one."""

    def __init__(self, other: str, plausibility: Plausibility) -> None:
        super().__init__()
        self._other = other
        self._of_two = plausibility.of_two

    def __missing__(self, kind: str) -> float:
        self[kind] = score = self._of_two(kind, self._other)
        return score


def _lifts(together: NDArray[np.float32], chance: NDArray[np.floating[Any]]) -> Lifts:
    lifts: Lifts = np.log((together + _SMOOTHING) / (chance + _SMOOTHING)).astype(np.float32)
    return lifts


def _mean(lifts: Lifts) -> float:
    """The mean of a few numbers, by the sum alone: the method takes three times as long."""
    return float(np.add.reduce(lifts) / len(lifts))


def _median(lifts: Lifts) -> float:
    """The middle of some numbers; numpy's own takes many times as long."""
    ordered = np.sort(lifts)
    below, above = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return float(above - (above - below) * np.float32(0.5))


def _lift_of(together: float, chance: float) -> float:
    return log((together + _SMOOTHING) / (chance + _SMOOTHING))


def _sums(counted: Iterable[tuple[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for name, count in counted:
        sums[name] = sums.get(name, 0) + count
    return sums
