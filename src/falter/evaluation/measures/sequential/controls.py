"""Estimates for a whole set from a random sample of it, with what is known of all units as control variates.

What other models replied is known of every unit. A regression on it, fitted without the unit that it is applied to,
predicts the units that were not asked; the sample corrects the mean of the predictions. How far predictions are trusted
is estimated too: not at all where they do not fit the units that were left out better than the plain mean does, and the
whole way where they clearly do. So the estimate is as good as the predictions are, and where these are worth nothing it
is the plain mean of the sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_FEWEST = 20
"""Below this many units a regression is not attempted."""
_STRENGTHS = (1000.0, 10.0, 1.0, 0.1)
"""Times the penalties below; the strongest leaves a plain mean."""
_MEAN_PENALTY, _DEVIATION_PENALTY, _STRATUM_PENALTY = 1.0, 40.0, 4.0
_DOUBT = 2.0
"""Of the evidence for predictions (chi squared of one degree) so much is taken for chance."""
_UNPREDICTED = 4.0
"""So many coins that nothing predicts are taken for seen: a sample without a miss is no proof."""


class Controls(NamedTuple):
    """What is known of every unit: columns with the penalty that a regression puts on each."""

    columns: Floats
    penalty: Floats

    @classmethod
    def from_runs(cls, outcomes: Floats, strata: Floats) -> Controls:
        """The mean of the other models' outcomes (units by models), how each differs from it, and strata as columns."""
        units = len(outcomes)
        mean = outcomes.mean(axis=1, keepdims=True) if outcomes.shape[1] else np.zeros((units, 0))
        apart = outcomes - mean if outcomes.shape[1] > 1 else np.zeros((units, 0))
        columns = np.concatenate([mean, apart, strata], axis=1)
        sizes = (mean.shape[1], apart.shape[1], strata.shape[1])
        penalties = (_MEAN_PENALTY, _DEVIATION_PENALTY, _STRATUM_PENALTY)
        return cls(columns - columns.mean(axis=0), np.repeat(penalties, sizes))


class ControlledEstimate(NamedTuple):
    """A share of the whole set with its interval, that of the plain sample, and how many times as many calls."""

    value: float
    low: float
    high: float
    plain: float
    plain_low: float
    plain_high: float
    gain: float
    """The plain estimate needs this many times as many units to be as exact."""
    n: int
    units: int


class ControlledEstimates(NamedTuple):
    """The same for several samples of one size: arrays with a place per sample."""

    value: Floats
    low: Floats
    high: Floats
    plain: Floats
    plain_low: Floats
    plain_high: Floats
    gain: Floats


def controlled_estimate(
    part: Floats, size: Floats, asked: Integers, controls: Controls, *, level: float = 0.95
) -> ControlledEstimate | None:
    """The share that ``part`` has of ``size`` over all units, from a simple random sample; None if nothing is counted.

    ``part`` and ``size`` are what the units ``asked`` add to numerator and denominator. The interval is for a sample
    whose size does not depend on what was replied.
    """
    if len(asked) < 2 or not size.sum():
        return None
    found = controlled_estimates(part[None], size[None], asked[None], controls, level=level)
    value, low, high, plain, plain_low, plain_high, gain = (float(one[0]) for one in found)
    return ControlledEstimate(
        value, low, high, plain, plain_low, plain_high, gain, n=len(asked), units=len(controls.columns)
    )


def controlled_estimates(
    part: Floats, size: Floats, asked: Integers, controls: Controls, *, level: float = 0.95
) -> ControlledEstimates:
    """The estimates of several samples, each a row; something is counted in each."""
    n, units = asked.shape[1], len(controls.columns)
    plain_sums = np.column_stack([part.mean(axis=1), size.mean(axis=1)])
    plain = plain_sums[:, 0] / plain_sums[:, 1]
    totals = np.stack([part, size], axis=2)
    spread = (part - plain[:, None] * size).var(axis=1, ddof=1)
    # How far each unit is from the ratio of the others.
    off = (part - plain[:, None] * size) * n / (n - 1)
    sums, kept = plain_sums, spread
    if n >= _FEWEST and controls.columns.shape[1]:
        sums, rest = _fit(controls, asked, totals, plain)
        left = rest[:, :, 0] - plain[:, None] * rest[:, :, 1]
        trust = _trust(off, left)
        sums = plain_sums + trust[:, None] * (sums - plain_sums)
        rest_spread = (off + trust[:, None] * (left - off)).var(axis=1, ddof=1)
        coins = _UNPREDICTED * plain_sums[:, 1] ** 2 / 4
        doubted = np.minimum((n * rest_spread + coins) / (n + _UNPREDICTED), np.maximum(spread, rest_spread))
        kept = np.where(trust > 0, doubted, spread)
    value = np.clip(np.divide(sums[:, 0], sums[:, 1], out=plain.copy(), where=sums[:, 1] > 0), 0.0, 1.0)
    # The spread of a unit against that of a coin with this share: more where units are of different sizes.
    coin = plain * (1 - plain) * plain_sums[:, 1] ** 2
    unlike = np.divide(spread, coin, out=np.ones(len(part)), where=coin > 1e-12)
    gain = np.divide(spread, kept, out=np.ones(len(part)), where=kept > 1e-12)
    worth = n / np.maximum(unlike, 1e-12) / (1 - n / units) if n < units else np.full(len(part), np.inf)
    quantile = NormalDist().inv_cdf((1 + level) / 2)
    low, high = _score_interval(value, worth * gain, quantile)
    plain_low, plain_high = _score_interval(plain, worth, quantile)
    return ControlledEstimates(value, low, high, plain, plain_low, plain_high, gain)


def combine_estimates(parts: Sequence[ControlledEstimate], weights: Sequence[float]) -> ControlledEstimate:
    """The share over several sets that were sampled apart, by how much each counts.

    The distances from the values to the ends of their intervals are independent errors, so their squares add up.
    """
    share = np.array(weights) / sum(weights)
    value, low, high, plain, plain_low, plain_high, *_ = np.array([one[:7] for one in parts]).T

    def end(middle: Floats, ends: Floats) -> float:
        away = float(np.sqrt(((share * (middle - ends)) ** 2).sum()))
        return float(share @ middle) + (away if float((ends - middle).sum()) > 0 else -away)

    found = (end(value, low), end(value, high), end(plain, plain_low), end(plain, plain_high))
    width, plain_width = found[1] - found[0], found[3] - found[2]
    return ControlledEstimate(
        value=float(share @ value),
        low=found[0],
        high=found[1],
        plain=float(share @ plain),
        plain_low=found[2],
        plain_high=found[3],
        gain=(plain_width / width) ** 2 if width > 0 else 1.0,
        n=sum(one.n for one in parts),
        units=sum(one.units for one in parts),
    )


def _fit(controls: Controls, asked: Integers, totals: Floats, plain: Floats) -> tuple[Floats, Floats]:
    """Means of both sums over all units by ridge regression, and what each unit has beyond a fit without it.

    The intercept is not shrunk; how much else is shrunk is chosen by leaving units out. As columns have a mean of zero
    over all units, the mean of the predictions is the intercept.
    """
    samples, n = asked.shape
    x = np.concatenate([np.ones((samples, n, 1)), controls.columns[asked]], axis=2)
    turned = x.transpose(0, 2, 1)
    square, product = turned @ x, turned @ totals
    means, rest = np.zeros((samples, 2)), np.zeros((samples, n, 2))
    least = np.full(samples, np.inf)
    for strength in _STRENGTHS:
        inverse = np.linalg.inv(square + np.diag(np.append(1e-9, strength * controls.penalty)))
        fitted = inverse @ product
        weights = x @ inverse
        leverage = np.einsum("rij,rij->ri", weights, x)
        left = (totals - x @ fitted) / np.maximum(1 - leverage, 1e-6)[:, :, None]
        error = ((left[:, :, 0] - plain[:, None] * left[:, :, 1]) ** 2).sum(axis=1)
        better = error < least
        # The intercept without a unit, and what the unit has beyond its prediction, in the mean over units.
        without = fitted[:, 0, :] + ((1 - weights[:, :, :1]) * left).mean(axis=1)
        means[better], rest[better], least[better] = without[better], left[better], error[better]
    return means, rest


def _trust(off: Floats, left: Floats) -> Floats:
    """How far to go from the plain mean to the predictions, from 0 to 1.

    The share that leaves the smallest errors is shrunk by what chance explains: the more, the fewer units there are and
    the less the predictions are worth.
    """
    n = off.shape[1]
    told = off - left
    squares = (told**2).sum(axis=1)
    best = np.divide((off * told).sum(axis=1), squares, out=np.zeros(len(off)), where=squares > 1e-12)
    best = np.clip(best, 0.0, 1.0)
    errors = ((off - best[:, None] * told) ** 2).sum(axis=1)
    gained = np.maximum((off**2).sum(axis=1) - errors, 0.0)
    evidence = n * np.divide(gained, errors, out=np.full(len(off), np.inf), where=errors > 1e-12)
    return np.asarray(best * np.clip(1 - _DOUBT / np.maximum(evidence, 1e-12), 0.0, 1.0))


def _score_interval(value: Floats, worth: Floats, quantile: float) -> tuple[Floats, Floats]:
    """Wilson's interval of a share, for as many units as the estimate is worth: honest near 0 and 1 too."""
    extra = quantile**2 / worth
    middle = (value + extra / 2) / (1 + extra)
    reach = np.sqrt(value * (1 - value) * extra + extra**2 / 4) / (1 + extra)
    return middle - reach, middle + reach
