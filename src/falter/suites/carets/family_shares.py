"""Shares of attribute families: where a source has four of them, none is more than a quarter of a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

__all__ = ["FamilyShares"]

_MANY = 4
"""From so many families on, each has at most this part of the pairs."""

_FEW = 2
"""Pairs of one family that are always taken, before there is a share to speak of."""

_FEWEST = 8
_ENOUGH = 20
"""A family counts where at least eight images have it, and a twentieth of those that have the commonest one."""


class FamilyShares:
    """Knows which families a source has to offer, and how many pairs of each were taken."""

    def __init__(self) -> None:
        self._offered: Counter[str] = Counter()
        self._taken: Counter[str] = Counter()

    def offer(self, families: Iterable[str]) -> None:
        """Count an image, in one form of questions, in which questions about these families are possible."""
        self._offered.update(set(families))

    def admits(self, family: str) -> bool:
        """Whether one more pair of a family keeps it within its share."""
        most = max(self._offered.values(), default=0)
        many = sum(count >= max(_FEWEST, most / _ENOUGH) for count in self._offered.values())
        return many < _MANY or self._taken[family] < max(_FEW, (self._taken.total() + 1) // _MANY)

    def add(self, family: str) -> None:
        """Count a pair that was taken."""
        self._taken[family] += 1
