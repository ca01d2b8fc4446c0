"""Intervals that hold at any time: the bounds that no player has won against so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falter.measures.sequential.betting import Bets, stakes
from falter.measures.sequential.populations import Classes, UnitBounds
from falter.measures.statistics import Interval

__all__ = ["AskedUnits", "anytime_interval", "anytime_interval_of_draws"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_CANDIDATES = 12
_STAGES = 4
_AT_ONCE = 20
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
    for start in range(0, values.shape[1], _AT_ONCE):
        now = slice(start, start + _AT_ONCE)
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
