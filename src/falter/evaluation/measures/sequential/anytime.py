"""Verdicts, intervals and tests that hold at any time: on finite sets that are asked in random order.

A gate has several requirements: which of them are decided, and how. Of every requirement one of two hypotheses is true:
it is met by the whole set, or it is not. A verdict rejects one of them, and is wrong if it rejects the true one. The
requirements share one alpha: with probability at least 1 - alpha none of all verdicts is wrong, whenever they are
reached. The mean of the true hypotheses' capitals is a capital itself, so a hypothesis is rejected where, for every
choice of one hypothesis per other requirement, the mean reaches 1/alpha (closed testing with e-values). For the others
the smaller of their two capitals counts, and of one that is certain the capital of the hypothesis that is true.

An interval is the bounds that no player has won against so far. McNemar's test at any time: which of two runs wins the
cases on which they differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, lgamma, log, pi
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from falter.evaluation.measures.sequential.betting import Bets, Classes, UnitBounds, stack_rows, stakes
from falter.evaluation.measures.statistics import Interval

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_EXACT = 1e-9
_GATE_STEP = 32
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
        for start in range(0, longest, _GATE_STEP):
            now = slice(start, start + _GATE_STEP)
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


_CANDIDATES = 12
_STAGES = 4
_INTERVAL_STEP = 20
_ENDLESS = 1e12
"""So many units are left where units are drawn from a source that does not run out."""


class AskedUnits(NamedTuple):
    """What the first units of a set added to the numerator and the denominator, and what bounds those of all units."""

    part: Floats
    size: Floats
    bounds: UnitBounds


def anytime_interval(asked: AskedUnits, *, level: float = 0.95, lowest: float = 0.0, highest: float = 1.0) -> Interval:
    """The interval of a ratio over the whole set, when its first units have been asked in random order.

    With probability ``level`` it holds the value over the whole set at every time, however often one looks and
    whatever makes one stop. Once everything is asked, both ends are the value.
    """
    units = len(asked.bounds.weight)
    if len(asked.part) >= units:
        total = float(asked.size.sum())
        value = float(asked.part.sum()) / total if total else None
        return Interval(value, value)

    classes = Classes(asked.bounds)

    def rejected(candidates: Floats) -> tuple[Bools, Bools]:
        return _rejected(asked, classes, candidates, (1 - level) / 2)

    return _search(rejected, lowest, highest)


def anytime_interval_of_draws(
    part: Floats, count: Floats, *, level: float = 0.95, lowest: float = -1.0, highest: float = 1.0
) -> Interval:
    """The interval of a ratio of means, when each row is an independent draw from a source that does not run out.

    ``count`` bounds the part of a row from above, and minus it from below.
    """
    if not len(part):
        return Interval(None, None)
    widest = float(count.max(initial=0.0))

    def rejected(candidates: Floats) -> tuple[Bools, Bools]:
        tests = len(candidates)
        low = (np.minimum(lowest - candidates, 0.0) * widest)[:, None]
        high = (np.maximum(highest - candidates, 0.0) * widest)[:, None]
        alpha = (1 - level) / 2
        bets = Bets(low, high, np.full((tests, 1), _ENDLESS), stakes(np.full(tests, 1000), alpha))
        values = part[None, :] - candidates[:, None] * count[None, :]
        _bet(bets, values, np.zeros(len(part), dtype=np.int64)[None, :].repeat(tests, axis=0))
        won = bets.best >= np.log(1 / alpha)
        return won[0], won[1]

    return _search(rejected, lowest, highest)


def _bet(bets: Bets, values: Floats, kind: Integers) -> None:
    for start in range(0, values.shape[1], _INTERVAL_STEP):
        now = slice(start, start + _INTERVAL_STEP)
        bets.add(values[:, now], kind[:, now], np.ones(values[:, now].shape, dtype=bool))


def _rejected(asked: AskedUnits, classes: Classes, candidates: Floats, alpha: float) -> tuple[Bools, Bools]:
    """Of candidates which are rejected because the value is above them, and which because it is below."""
    bounds, seen, tests = asked.bounds, len(asked.part), len(candidates)
    of_class = [classes.bounds(float(one)) for one in candidates]
    bets = Bets(
        low=np.stack([low for low, _ in of_class]),
        high=np.stack([high for _, high in of_class]),
        number=np.tile(classes.number, (tests, 1)),
        effects=stakes(np.full(tests, len(bounds.weight)), alpha),
    )
    values = asked.part[None, :] - candidates[:, None] * asked.size[None, :]
    _bet(bets, values, np.tile(classes.kind[:seen], (tests, 1)))
    total = values.sum(axis=1)
    rest = bounds.after(seen)
    least = total + np.array([rest.low(float(one)).sum() for one in candidates])
    most = total + np.array([rest.high(float(one)).sum() for one in candidates])
    won = bets.best >= np.log(1 / alpha)
    return won[0] | (least > 1e-9), won[1] | (most < -1e-9)


def _search(rejected: Callable[[Floats], tuple[Bools, Bools]], lowest: float, highest: float) -> Interval:
    """The outermost candidates that are not rejected, found step by step from outside."""
    ends = [(lowest, highest), (lowest, highest)]
    for _ in range(_STAGES):
        grids = [np.linspace(*one, _CANDIDATES) for one in ends]
        found = rejected(np.concatenate(grids))
        kept_low = np.flatnonzero(~found[0][:_CANDIDATES])
        first = int(kept_low[0]) if len(kept_low) else _CANDIDATES - 1
        kept_high = np.flatnonzero(~found[1][_CANDIDATES:])
        last = int(kept_high[-1]) if len(kept_high) else 0
        low, high = grids
        ends = [
            (float(low[max(first - 1, 0)]), float(low[first])),
            (float(high[last]), float(high[min(last + 1, _CANDIDATES - 1)])),
        ]
    # The outer neighbors are rejected themselves, so the interval is a little too wide and never too narrow.
    return Interval(ends[0][0], ends[1][1])


def discordant_evidence(only_a: int, only_b: int) -> float:
    """The logarithm of the e-value against equal models, from the cases that only A and only B got right.

    A case on which equal models differ falls to either side like a coin. The e-value is the likelihood under a coin of
    unknown bias (Jeffreys' prior) over that of a fair one: its mean is 1 under a fair coin at whatever moment one
    looks, so it exceeds 1/alpha at any time with probability at most alpha.

    >>> round(exp(discordant_evidence(0, 1)), 6), round(exp(discordant_evidence(0, 10)), 2)
    (1.0, 180.43)
    """
    n = only_a + only_b
    return lgamma(only_a + 0.5) + lgamma(only_b + 0.5) - lgamma(n + 1) - log(pi) + n * log(2)


def anytime_mcnemar(only_a: int, only_b: int) -> float:
    """The two-sided p-value that is valid at any time, 1 / e-value and at most 1.

    >>> anytime_mcnemar(3, 3), anytime_mcnemar(0, 12) < 0.002
    (1.0, True)
    """
    return min(1.0, exp(-discordant_evidence(only_a, only_b)))
