"""What is known of a finite set of units before any of them is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Classes", "UnitBounds", "stack_rows"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_MOST_CLASSES = 16


class UnitBounds(NamedTuple):
    """By unit, in the order in which they are asked, what bounds the sums that it adds to a ratio.

    A unit adds ``part`` to the numerator and ``count`` to the denominator. ``count`` is ``weight``, less where replies
    fail, and ``part`` is between ``least`` and ``most`` where ``count`` is ``weight``. A row of a unit adds between -1
    and 1 for each 1 of its weight. Units of one ``sort`` are alike in something else that is known of them: what other
    models replied.
    """

    weight: Floats
    least: Floats
    most: Floats
    sort: Integers

    @classmethod
    def shares(cls, weight: Floats, sort: Integers | None = None) -> UnitBounds:
        """Of a share: the numerator is a part of the denominator."""
        none = np.zeros(len(weight), dtype=np.int64)
        return cls(weight, np.zeros(len(weight)), weight, none if sort is None else sort)

    @classmethod
    def differences(cls, weight: Floats, baseline: Floats, sort: Integers | None = None) -> UnitBounds:
        """Of the difference to a baseline whose numerators are known."""
        none = np.zeros(len(weight), dtype=np.int64)
        return cls(weight, -baseline, weight - baseline, none if sort is None else sort)

    def after(self, first: int) -> UnitBounds:
        """The units after the first so many."""
        return UnitBounds(self.weight[first:], self.least[first:], self.most[first:], self.sort[first:])

    def low(self, bound: float) -> Floats:
        """The least that ``part - bound * count`` can be, whichever rows of a unit have no reply and so add nothing.

        The rows of a unit that may lose most are those that fall from 1 to 0, as many as ``least`` says; the others
        cannot fall.
        """
        return np.asarray(-self.least * min(0.0, -1.0 - bound) + (self.weight + self.least) * min(0.0, -bound))

    def high(self, bound: float) -> Floats:
        """The most that ``part - bound * count`` can be."""
        return np.asarray(self.most * max(0.0, 1.0 - bound) + (self.weight - self.most) * max(0.0, -bound))


class Classes:
    """Units that are alike in all that is known of them, at most a few of them: by unit its class, and the bounds."""

    def __init__(self, units: UnitBounds) -> None:
        keys: Floats = np.column_stack([units.weight, units.least, units.most, units.sort.astype(np.float64)])
        found: Floats
        found, of_unit = np.unique(np.round(keys, 9), axis=0, return_inverse=True)
        of_unit = of_unit.ravel().astype(np.int64)
        self._types = UnitBounds(found[:, 0], found[:, 1], found[:, 2], found[:, 3].astype(np.int64))
        self._class = np.arange(len(found))
        if len(found) > _MOST_CLASSES:
            # Too many to learn about each: neighbors by what they may add and by sort are taken together.
            middle = (found[:, 1] + found[:, 2]) / 2 + 1e-6 * found[:, 3]
            edges = np.unique(np.quantile(middle[of_unit], np.linspace(0, 1, _MOST_CLASSES + 1)[1:-1]))
            self._class = np.unique(np.searchsorted(edges, middle), return_inverse=True)[1].ravel().astype(np.int64)
        self.kind: Integers = self._class[of_unit]
        self.count = int(self._class.max()) + 1 if len(found) else 1
        self.number: Floats = np.bincount(self.kind, minlength=self.count).astype(np.float64)

    def bounds(self, bound: float) -> tuple[Floats, Floats]:
        """By class between what ``part - bound * count`` of its units is."""
        low, high = np.zeros(self.count), np.zeros(self.count)
        np.minimum.at(low, self._class, self._types.low(bound))
        np.maximum.at(high, self._class, self._types.high(bound))
        return low, high


def stack_rows(rows: Sequence[Floats]) -> Floats:
    """One row per test, filled up with zeros."""
    width = max((len(one) for one in rows), default=1)
    table = np.zeros((len(rows), width))
    for number, one in enumerate(rows):
        table[number, : len(one)] = one
    return table
