"""Linear regression, and a rate over a finite set from few labels and many predictions by the regression estimator.

A linear fit says how much of the variance of one figure others explain, in sample and left out in turn.

A rate is estimated in strata, right whatever the predictions are worth. In each stratum the labelled items are a simple
random sample. The estimate is the mean of the labels, plus lambda times how far the predictions of the sample are from
those of the whole stratum (prediction-powered inference; in survey sampling the regression estimator). Lambda is chosen
so that the variance is least, so useless predictions get none of the weight and the interval is that of the labels
alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falter.data.agreement import wilson_ends

_FULL = 1 - 1e-9


class LinearFit(NamedTuple):
    """A regression: R^2 is 1 - SSE / SST with SST about the mean, whether or not there is an intercept."""

    coefficients: tuple[float, ...]
    intercept: float | None
    r2: float | None
    """None where what is predicted does not vary."""
    r2_left_out: float | None
    """The same where each observation is predicted from the others; None where one alone decides a coefficient."""


def fit_linear(features: npt.ArrayLike, target: npt.ArrayLike, *, intercept: bool = True) -> LinearFit:
    """The least-squares fit of a target (n) on features (n, k).

    >>> fit = fit_linear([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.0])
    >>> [round(one, 6) for one in (*fit.coefficients, fit.intercept, fit.r2, fit.r2_left_out)]
    [2.0, 1.0, 1.0, 1.0]
    """
    own = np.asarray(features, dtype=np.float64)
    y = np.asarray(target, dtype=np.float64)
    x = np.column_stack([own, np.ones(len(y))]) if intercept else own
    inverse = np.linalg.pinv(x)
    found = inverse @ y
    errors = y - x @ found
    total = float(((y - y.mean()) ** 2).sum())
    leverage = np.einsum("ij,ji->i", x, inverse)
    varies = total > 1e-12 * max(1.0, float((y**2).sum()))
    decided = bool((leverage > _FULL).any())
    left_out = None if decided or not varies else 1 - float(((errors / (1 - leverage)) ** 2).sum()) / total
    return LinearFit(
        coefficients=tuple(found[: own.shape[1]].tolist()),
        intercept=float(found[-1]) if intercept else None,
        r2=1 - float((errors**2).sum()) / total if varies else None,
        r2_left_out=left_out,
    )


Floats = npt.NDArray[np.float64]

_FEWEST = 30
"""With fewer labels lambda is not fitted, and the labels count alone."""


class LabelledStratum(NamedTuple):
    """One stratum: how many items it has, the means of their predictions, and labels and predictions of the sample.

    ``labels`` has a number per labelled item, ``predictions`` a row of one or several.
    """

    size: int
    mean_predictions: Floats
    labels: Floats
    predictions: Floats


class RateEstimate(NamedTuple):
    """A rate with its 95 % interval, and what the labels alone give."""

    value: float
    low: float
    high: float
    plain_value: float
    plain_low: float
    plain_high: float
    weights: tuple[float, ...]
    """Lambda: how much each prediction counts."""
    labelled: int
    size: int


def estimate_rate(strata: Sequence[LabelledStratum]) -> RateEstimate:
    """The rate over all strata; each needs one label at least. Labels are 0 or 1, predictions any number.

    Intervals are Wilson's for the number of labels that would give the same variance in one simple random sample.
    """
    if not strata or any(len(one.labels) == 0 for one in strata):
        raise ValueError("every stratum needs a label")
    total = sum(one.size for one in strata)
    labelled = sum(len(one.labels) for one in strata)
    parts = [_Part.from_stratum(one, total) for one in strata]
    plain = sum(one.share * one.mean for one in parts)
    covariance = sum((one.factor * one.covariance for one in parts), np.zeros(len(strata[0].mean_predictions)))
    spread = sum((one.factor * one.spread for one in parts), np.zeros((len(covariance), len(covariance))))
    weights: Floats = np.linalg.lstsq(spread, covariance, rcond=1e-10)[0].astype(np.float64)
    if labelled < _FEWEST:
        weights = np.zeros(len(covariance))
    value = plain + sum(one.share * float(one.gap @ weights) for one in parts)
    value = min(max(value, 0.0), 1.0)
    variance = sum(one.factor * one.variance for one in parts)
    ratio = min(_residual_variance(strata, parts, weights, spread) / variance, 1.0) if variance > 0 else 1.0
    effective = _effective_size(plain, variance, labelled, total)
    low, high = wilson_ends(plain, effective)
    own_low, own_high = wilson_ends(value, effective / ratio if ratio > 0 else float(10 * total))
    if own_high - own_low > high - low:
        # A larger rate has a wider interval at the same precision; the precision is never worse than without.
        middle = (own_low + own_high) / 2
        half = (high - low) / 2
        own_low, own_high = max(middle - half, 0.0), min(middle + half, 1.0)
    return RateEstimate(value, own_low, own_high, plain, low, high, tuple(weights.tolist()), labelled, total)


class _Part(NamedTuple):
    share: float
    """Of the whole set."""
    factor: float
    """What a variance within the stratum counts in that of the estimate."""
    mean: float
    gap: Floats
    variance: float
    covariance: Floats
    spread: Floats

    @classmethod
    def from_stratum(cls, one: LabelledStratum, total: int) -> _Part:
        number = len(one.labels)
        share = one.size / total
        left = 1 - number / one.size
        degrees = max(number - 1, 1)
        labels = one.labels - one.labels.mean()
        predictions = one.predictions - one.predictions.mean(0)
        return cls(
            share,
            share**2 * left / number,
            float(one.labels.mean()),
            one.mean_predictions - one.predictions.mean(0),
            float(labels @ labels) / degrees,
            labels @ predictions / degrees,
            predictions.T @ predictions / degrees,
        )


def _residual_variance(
    strata: Sequence[LabelledStratum], parts: Sequence[_Part], weights: Floats, spread: Floats
) -> float:
    """The variance of the estimate with predictions.

    Lambda was fitted to the same labels, so each residual is taken as if its item had been left out of the fit.
    """
    inverse = np.linalg.pinv(spread, rcond=1e-10)
    found = 0.0
    for one, part in zip(strata, parts, strict=True):
        counts = part.factor / max(len(one.labels) - 1, 1)
        predictions = one.predictions - one.predictions.mean(0)
        residual = one.labels - one.labels.mean() - predictions @ weights
        leverage = counts * np.einsum("ij,jk,ik->i", predictions, inverse, predictions)
        found += counts * float(((residual / np.maximum(1 - leverage, 0.05)) ** 2).sum())
    return found


def _effective_size(rate: float, variance: float, labelled: int, total: int) -> float:
    """The size of the simple random sample from an endless set that has this variance."""
    finite = labelled / max(1 - labelled / total, 1 / (10 * total))
    if variance <= 0 or rate <= 0 or rate >= 1:
        return finite
    return rate * (1 - rate) / variance


def choose_next(strata: Sequence[LabelledStratum], number: int, weights: Sequence[float] = ()) -> list[int]:
    """How many more labels each stratum should get: one at a time where the variance of the estimate shrinks most.

    A stratum whose labels are all the same may still hold others: it counts as if the next two labels were one of each.
    """
    total = sum(one.size for one in strata)
    have = [len(one.labels) for one in strata]
    spreads = [_residual_spread(one, weights) for one in strata]
    more = [0] * len(strata)
    for _ in range(number):
        gains = [
            (one.size / total) ** 2 * spread / (labelled * (labelled + 1)) if labelled < one.size else -1.0
            for one, spread, labelled in zip(strata, spreads, have, strict=True)
        ]
        best = int(np.argmax(gains))
        if gains[best] < 0:
            break
        more[best] += 1
        have[best] += 1
    return more


def _residual_spread(one: LabelledStratum, weights: Sequence[float]) -> float:
    smoothed = (float(one.labels.sum()) + 1) / (len(one.labels) + 2)
    if len(set(one.labels.tolist())) < 2:
        return smoothed * (1 - smoothed)
    residual = one.labels - (one.predictions @ np.asarray(weights) if len(weights) else 0.0)
    return float(residual.var(ddof=1))
