"""How plausible a kind, an attribute or a relation is where other things are, by counts of images."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from falter.cooccurrence.counts import ImageCounts
from falter.english import Ontology

__all__ = ["Plausibility"]

_SMOOTHING = 1.0
"""Images added to what was seen together and to what chance would give: a rare pair says little either way."""
_COMMONLY = 0.5
"""The quantile of the plausibility of what is there that absent kinds should reach."""


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

    @cached_property
    def _lift(self) -> NDArray[np.float32]:
        """The lift of every two kinds."""
        seen = np.array([self.counts.kinds[kind] for kind in self.kinds], dtype=np.float64)
        together = np.zeros((len(self.kinds), len(self.kinds)))
        for (first, second), count in self.counts.pairs.items():
            if first in self._place and second in self._place:
                one, other = self._place[first], self._place[second]
                together[one, other] = together[other, one] = count
        chance = np.outer(seen, seen) / max(self.counts.images, 1)
        lift: NDArray[np.float32] = np.log((together + _SMOOTHING) / (chance + _SMOOTHING)).astype(np.float32)
        return lift

    def frequency(self, kind: str) -> int:
        """How many images have a kind."""
        return self.counts.kinds[kind]

    def of_kind(self, kind: str, beside: Iterable[str]) -> float:
        """How plausible a kind is in an image that has others; itself and what it implies do not count."""
        place = self._place.get(kind)
        others = self._places(other for other in beside if self._ontology.are_disjoint(kind, other))
        return 0.0 if place is None or not others else float(self._lift[place, others].mean())

    def of_two(self, first: str, second: str) -> float:
        """How plausible two kinds are together; 0 for two that one object may be."""
        one, other = self._place.get(first), self._place.get(second)
        if one is None or other is None or not self._ontology.are_disjoint(first, second):
            return 0.0
        return float(self._lift[one, other])

    def of_attribute(self, kind: str, value: str) -> float:
        """How much more often a value is said of a kind than chance would give."""
        said = self._said_of_kind.get(kind, 0)
        expected = said * self._said_of_value.get(value, 0) / max(self._said_in_all, 1)
        return float(np.log((self.counts.attributes[kind, value] + _SMOOTHING) / (expected + _SMOOTHING)))

    @cached_property
    def _said_of_kind(self) -> dict[str, int]:
        return _sums((kind, count) for (kind, _), count in self.counts.attributes.items())

    @cached_property
    def _said_of_value(self) -> dict[str, int]:
        return _sums((value, count) for (_, value), count in self.counts.attributes.items())

    @cached_property
    def _said_in_all(self) -> int:
        return sum(self.counts.attributes.values())

    def most_plausible(
        self, beside: Iterable[str], allowed: Callable[[str], bool], *, least: int, most: int
    ) -> list[str]:
        """The kinds that are most plausible beside others, best first, of those that are allowed.

        They are those at least as plausible as the kinds that are there commonly are beside each other; ``least`` of
        them in any case, and ``most`` at most.
        """
        others = self._places(beside)
        if others:
            score = self._lift[:, others].mean(axis=1)
            lift = self._lift[np.ix_(others, others)]
            usual = (lift.sum(axis=1) - lift.diagonal()) / max(len(others) - 1, 1)
            enough = float(np.quantile(usual, _COMMONLY)) if len(others) > 1 else np.inf
        else:
            score, enough = np.zeros(len(self.kinds), dtype=np.float32), np.inf
        found: list[str] = []
        for place in np.argsort(-score, kind="stable"):
            if len(found) == most or (len(found) >= least and score[place] < enough):
                break
            if allowed(self.kinds[place]):
                found.append(self.kinds[place])
        return found

    def _places(self, kinds: Iterable[str]) -> Sequence[int]:
        return [self._place[kind] for kind in sorted(set(kinds)) if kind in self._place]


def _sums(counted: Iterable[tuple[str, int]]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for name, count in counted:
        sums[name] = sums.get(name, 0) + count
    return sums
