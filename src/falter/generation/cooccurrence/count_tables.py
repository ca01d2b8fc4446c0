"""Counts of images as tables of numbers, and the lifts that follow from them, with all images or without one.

The *lift* of two kinds is the logarithm of how often they are in an image together, over how often they would be by
chance, both with one image added. Which image is left out makes no other difference than which of the two it has, so
each lift is worked out once for all images.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from math import log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from falter.core.lazy_dict import LazyDict
from falter.generation.cooccurrence.counts import ImageCounts
from falter.generation.english import Ontology

_SMOOTHING = 1.0
"""Images added to what was seen together and to what chance would give: a rare pair says little either way.

One image, as in Laplace's rule; chosen by hand, not measured.
"""

_MOST_PAIRS = 200_000
"""Lifts of two kinds without an image that are kept: some 30 MB. It changes the speed alone."""

Lifts = NDArray[np.float32]


def find_lift(together: float, chance: float) -> float:
    """How much more often than by chance two things occur together."""
    return log((together + _SMOOTHING) / (chance + _SMOOTHING))


def find_lifts(together: NDArray[np.float32], chance: NDArray[np.floating[Any]]) -> Lifts:
    """The same for many pairs at once."""
    lifts: Lifts = np.log((together + _SMOOTHING) / (chance + _SMOOTHING)).astype(np.float32)
    return lifts


class _LeftOut(NamedTuple):
    """A kind, and whether the image that is left out has it."""

    place: int
    is_here: bool


class PairWithoutOne(NamedTuple):
    """Two kinds, and which of them the image that is left out has."""

    first: str
    second: str
    has_first: bool
    has_second: bool


class _LiftsWithoutOne(NamedTuple):
    """The lift of every kind with another in all images but one that has not the first, and that has it."""

    away: Lifts
    here: Lifts


class CountTables:
    """The counts of kinds, values and relations; a kind or value is known by its place in the alphabet."""

    def __init__(self, counts: ImageCounts, ontology: Ontology) -> None:
        self.counts = counts
        self.ontology = ontology
        self.kinds = tuple(sorted(kind for kind in counts.kinds if kind in ontology.kinds))
        self.place = {kind: place for place, kind in enumerate(self.kinds)}
        self._without_one = LazyDict(self._find_without_one)
        self._scores_without_one = LazyDict(self._find_scores_without_one)
        self._pairs_without_one = LazyDict(self._find_pair_without_one)
        self._apart = LazyDict(self._find_apart)

    @property
    def all_but_one(self) -> int:
        """How many images there are without one."""
        return max(self.counts.images - 1, 1)

    @cached_property
    def seen(self) -> NDArray[np.float32]:
        """How many images have each of the kinds."""
        return np.array([self.counts.kinds[kind] for kind in self.kinds], dtype=np.float32)

    @cached_property
    def together(self) -> NDArray[np.float32]:
        """How many images have every two of the kinds."""
        together = np.zeros((len(self.kinds), len(self.kinds)), dtype=np.float32)
        for (first, second), count in self.counts.pairs.items():
            if first in self.place and second in self.place:
                row, column = self.place[first], self.place[second]
                together[row, column] = together[column, row] = count
        return together

    @cached_property
    def lift(self) -> Lifts:
        """The lift of every two kinds."""
        return find_lifts(self.together, np.outer(self.seen, self.seen) / max(self.counts.images, 1))

    @cached_property
    def lift_of_two_here(self) -> Lifts:
        """The lift of every two kinds in all images but one that has both."""
        seen = self.seen - 1
        return find_lifts(np.maximum(self.together - 1, 0.0), np.outer(seen, seen) / self.all_but_one)

    def lifts_without_one(self, other: int, *, is_here: bool) -> _LiftsWithoutOne:
        """The lifts of every kind with another in all images but one; ``is_here``: that image has the other."""
        return self._without_one[_LeftOut(other, is_here)]

    def _find_without_one(self, left_out: _LeftOut) -> _LiftsWithoutOne:
        other, is_here = left_out
        seen = self.seen[other] - np.float32(is_here)
        together = self.together[other]
        return _LiftsWithoutOne(
            find_lifts(together, seen * self.seen / self.all_but_one),
            find_lifts(np.maximum(together - is_here, 0.0), seen * (self.seen - 1) / self.all_but_one),
        )

    def scores_without_one(self, other: int, *, is_here: bool) -> NDArray[np.float64]:
        """The same in all images but one that has not the first; 0 where one thing may be both."""
        return self._scores_without_one[_LeftOut(other, is_here)]

    def _find_scores_without_one(self, left_out: _LeftOut) -> NDArray[np.float64]:
        other, is_here = left_out
        seen = self.seen.astype(np.float64)
        chance = (seen[other] - is_here) * seen / self.all_but_one
        lifts: NDArray[np.float64] = np.log((self.together[other] + _SMOOTHING) / (chance + _SMOOTHING))
        return lifts * self._apart[other]

    def lift_of_pair_without_one(self, pair: PairWithoutOne) -> float:
        """The lift of two kinds in all images but one."""
        if len(self._pairs_without_one) >= _MOST_PAIRS:
            self._pairs_without_one.clear()
        return self._pairs_without_one[pair]

    def _find_pair_without_one(self, pair: PairWithoutOne) -> float:
        first, second, has_first, has_second = pair
        seen = self.counts.kinds
        together = self.counts.together(first, second) - (has_first and has_second)
        return find_lift(together, (seen[first] - has_first) * (seen[second] - has_second) / self.all_but_one)

    def apart_from(self, place: int) -> NDArray[np.bool_]:
        """Which kinds no object is of that is of this one."""
        return self._apart[place]

    def _find_apart(self, place: int) -> NDArray[np.bool_]:
        meeting = self.ontology.kinds_meeting(self.kinds[place])
        return np.array([kind not in meeting for kind in self.kinds])

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
            if kind in self.place:
                together[self.value_place[value], self.place[kind]] = count
        return together

    def chance_of_value(self, kind: str, value: str) -> float:
        """In how many images a value would be said of a kind by chance."""
        return self._said_of_kind.get(kind, 0) * self._said_of_value.get(value, 0) / max(self._said_in_all, 1)

    @cached_property
    def _said_of_kind(self) -> dict[str, int]:
        return _sums((kind, count) for (kind, _), count in self.counts.attributes.items())

    @cached_property
    def _said_of_value(self) -> dict[str, int]:
        return _sums((value, count) for (_, value), count in self.counts.attributes.items())

    @cached_property
    def _said_in_all(self) -> int:
        return sum(self.counts.attributes.values())

    def chance_of_relation(self, kind: str, relation: str, target: str) -> float:
        """In how many images a kind would be said to have a relation to another by chance."""
        as_first, as_rest = self._related_of_kind.get(kind, 0), self._related_to.get((relation, target), 0)
        return as_first * as_rest / max(self._related_in_all, 1)

    @cached_property
    def _related_of_kind(self) -> dict[str, int]:
        return _sums((kind, count) for (kind, _, _), count in self.counts.relations.items())

    @cached_property
    def _related_to(self) -> dict[tuple[str, str], int]:
        sums: dict[tuple[str, str], int] = {}
        for (_, name, target), count in self.counts.relations.items():
            sums[name, target] = sums.get((name, target), 0) + count
        return sums

    @cached_property
    def _related_in_all(self) -> int:
        return sum(self._related_of_kind.values())


def mark_kinds(kinds: Iterable[str], tables: CountTables) -> NDArray[np.float32]:
    """1 for each of some kinds, and 0 for all others."""
    marks = np.zeros(len(tables.kinds), dtype=np.float32)
    marks[[tables.place[kind] for kind in kinds if kind in tables.place]] = 1.0
    return marks


def _sums(counted: Iterable[tuple[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for name, count in counted:
        sums[name] = sums.get(name, 0) + count
    return sums
