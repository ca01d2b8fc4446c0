"""Several requirements on finite sets that are asked in random order: which of them are decided, and how.

Of every requirement one of two hypotheses is true: it is met by the whole set, or it is not. A verdict rejects one of
them, and is wrong if it rejects the true one. The requirements share one alpha: with probability at least 1 - alpha
none of all verdicts is wrong, whenever they are reached. The mean of the true hypotheses' capitals is a capital itself,
so a hypothesis is rejected where, for every choice of one hypothesis per other requirement, the mean reaches 1/alpha
(closed testing with e-values). For the others the smaller of their two capitals counts, and of one that is certain the
capital of the hypothesis that is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from falter.measures.sequential.betting import Bets, stakes
from falter.measures.sequential.populations import Classes, UnitBounds, stack_rows

__all__ = ["Decided", "Gate", "SetTest"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_EXACT = 1e-9
_AT_ONCE = 32
"""Units of one step: products of so many factors stay within the range of numbers."""

Decided = Literal["open", "by test", "for certain"]
_OPEN, _BY_TEST, _CERTAIN = range(3)
_WAYS: tuple[Decided, ...] = ("open", "by test", "for certain")


@dataclass(frozen=True)
class SetTest:
    """Whether a ratio over a finite set is at least a bound (or at most, where it is a ceiling).

    A unit's value is ``part - bound * size``, turned for a ceiling: the requirement is met where the total is above 0.
    """

    units: UnitBounds
    bound: float
    floor: bool = True

    def bounds(self) -> tuple[Floats, Floats]:
        """Between what the value of each unit is."""
        return self.turned(self.units.low(self.bound), self.units.high(self.bound))

    def turned(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Bounds of ``part - bound * count`` as bounds of values."""
        return (low, high) if self.floor else (-high, -low)


class Gate:
    """Tests requirements while their units are asked; each has its own units, in the one order of all.

    Without ``shared``, each test has alpha to itself: several gates at once.
    """

    def __init__(self, tests: Sequence[SetTest], alpha: float, *, shared: bool = True) -> None:
        self.tests = tests
        self.alpha = alpha
        self._family = len(tests) if shared else 1
        classes = [Classes(test.units) for test in tests]
        of_class = [test.turned(*one.bounds(test.bound)) for test, one in zip(tests, classes, strict=True)]
        self.units: Integers = np.array([len(one.kind) for one in classes], dtype=np.int64)
        self._bets = Bets(
            low=stack_rows([low for low, _ in of_class]),
            high=stack_rows([high for _, high in of_class]),
            number=stack_rows([one.number for one in classes]),
            effects=stakes(self.units, alpha / max(self._family, 1)),
        )
        # One after the other, each with a place more than it has units.
        bounds = [test.bounds() for test in tests]
        self._first: Integers = np.cumsum(self.units + 1) - self.units - 1
        self._kind = np.concatenate([np.append(one.kind, 0) for one in classes])
        self._least = np.concatenate([_sum_of_rest(low) for low, _ in bounds])
        self._most = np.concatenate([_sum_of_rest(high) for _, high in bounds])
        self._sign = np.array([1.0 if test.floor else -1.0 for test in tests])[:, None]
        self._bound = np.array([test.bound for test in tests])[:, None]
        self.taken: Integers = np.zeros(len(tests), dtype=np.int64)
        """How many units of each test have been taken."""
        self.met: Bools = np.zeros(len(tests), dtype=bool)
        """The verdicts of those that are decided."""
        self.after: Integers = np.zeros(len(tests), dtype=np.int64)
        """After how many units each was decided."""
        self._how: Integers = np.zeros(len(tests), dtype=np.int64)

    @property
    def open(self) -> Bools:
        """Which tests are not decided yet."""
        return np.asarray(self._how == _OPEN)

    def how(self, number: int) -> Decided:
        """How a test was decided."""
        return _WAYS[int(self._how[number])]

    def log_evidence(self) -> Floats:
        """The logarithm of the highest capital of both players so far, by test."""
        return self._bets.best

    def take(self, part: Sequence[Floats], size: Sequence[Floats]) -> None:
        """The sums of the next units of every test, in their order; a test that is decided ignores them."""
        longest = max((len(one) for one in part), default=0)
        for start in range(0, longest, _AT_ONCE):
            now = slice(start, start + _AT_ONCE)
            self._take([one[now] for one in part], [one[now] for one in size])

    def _take(self, part: Sequence[Floats], size: Sequence[Floats]) -> None:
        is_open = self.open
        lengths: Integers = np.array([len(one) for one in part], dtype=np.int64)
        given = np.arange(lengths.max())[None, :] < lengths[:, None]
        value = np.zeros(given.shape)
        value[given] = np.concatenate(part)
        sizes = np.zeros(given.shape)
        sizes[given] = np.concatenate(size)
        value = self._sign * (value - self._bound * sizes)
        given &= is_open[:, None]
        value[~is_open] = 0.0
        lengths *= is_open
        width = given.shape[1]
        place = self._first[:, None] + np.minimum(self.taken[:, None] + np.arange(width), self.units[:, None])
        total = self._bets.total[:, None] + np.cumsum(value, axis=1)
        capital = self._bets.add(value, self._kind[place], given)
        self._reject(capital, given)
        place = self._first[:, None] + np.minimum(self.taken[:, None] + np.arange(width) + 1, self.units[:, None])
        self._settle(total + self._least[place] > _EXACT, total + self._most[place] < -_EXACT, given)
        self.taken += lengths

    def _reject(self, capital: Floats, given: Bools) -> None:
        """Verdicts by test: the first unit after which a capital suffices by itself, else all capitals together."""
        enough = (capital >= np.log(self._family / self.alpha)) & given[None]
        for row in np.flatnonzero(enough.any(axis=(0, 2))).tolist():
            place = int(np.argmax(enough[:, row].any(axis=0)))
            self._decide(row, met=bool(enough[0, row, place]), how=_BY_TEST, after=int(self.taken[row]) + place + 1)
        if self._family == 1:
            return
        now = np.exp(np.minimum(self._bets.capital(), 500.0))
        smaller = np.where(self._how == _CERTAIN, np.where(self.met, now[1], now[0]), now.min(axis=0))
        together = now + (smaller.sum() - smaller)[None, :]
        sizes = given.sum(axis=1)
        rows = self.open & (sizes > 0) & (together >= self._family / self.alpha).any(axis=0)
        for row in np.flatnonzero(rows).tolist():
            met = bool(now[0, row] >= now[1, row])
            self._decide(row, met=met, how=_BY_TEST, after=int(self.taken[row] + sizes[row]))

    def _settle(self, above: Bools, below: Bools, given: Bools) -> None:
        """Verdicts that are certain: whatever the units that are left add, the total stays on its side."""
        sure = (above | below) & given
        for row in np.flatnonzero(sure.any(axis=1)).tolist():
            place = int(np.argmax(sure[row]))
            after = int(self.taken[row]) + place + 1
            if self._how[row] == _OPEN or after <= self.after[row]:
                self._decide(row, met=bool(above[row, place]), how=_CERTAIN, after=after)

    def _decide(self, row: int, *, met: bool, how: int, after: int) -> None:
        self.met[row], self._how[row], self.after[row] = met, how, after


def _sum_of_rest(values: Floats) -> Floats:
    """After how many units have been taken, the sum of the others."""
    return np.append(np.cumsum(values[::-1])[::-1], 0.0)
