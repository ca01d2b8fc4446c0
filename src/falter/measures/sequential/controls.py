"""Estimates for a whole set from a random sample of it, with what is known of all units as control variates.

What other models replied is known of every unit. A regression on it, fitted without the units that it is applied to,
predicts the units that were not asked; the sample corrects the mean of the predictions. The estimate is as good as the
predictions are, and where these are worth nothing it is the plain mean of the sample.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["ControlledEstimate", "Controls", "controlled_estimate"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_FOLDS = 10
_FEWEST = 20
"""Below this many units a regression is not attempted."""
_STRENGTHS = (1000.0, 10.0, 1.0, 0.1)
"""Times the penalties below; the strongest leaves a plain mean."""
_MEAN_PENALTY, _DEVIATION_PENALTY, _STRATUM_PENALTY = 1.0, 40.0, 4.0


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
    """A ratio over the whole set with its interval, that of the plain sample, and how many times as many calls."""

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


def controlled_estimate(
    part: Floats, size: Floats, asked: Integers, controls: Controls, *, level: float = 0.95
) -> ControlledEstimate | None:
    """The ratio of two sums over all units from a simple random sample of them; None where nothing is counted.

    ``part`` and ``size`` are what the units ``asked`` add to numerator and denominator. The interval is for a sample
    whose size does not depend on what was replied.
    """
    n, units = len(asked), len(controls.columns)
    if n < 2 or not size.sum():
        return None
    folds = np.arange(n) % min(_FOLDS, n)
    plain_value, plain_error = _ratio(part, size, np.zeros(2), np.zeros((n, 2)), folds * 0, n, units)
    value, error = plain_value, plain_error
    if n >= _FEWEST and controls.columns.shape[1]:
        totals = np.column_stack([part, size])
        means, left = np.zeros(2), np.zeros((n, 2))
        for fold in range(int(folds.max()) + 1):
            out = folds == fold
            fitted = _fit(controls, asked[~out], totals[~out])
            predicted = fitted[0] + controls.columns @ fitted[1:]
            means += predicted.mean(axis=0) * out.sum() / n
            left[out] = predicted[asked[out]]
        value, error = _ratio(part, size, means, left, folds, n, units)
    quantile = _t_quantile((1 + level) / 2, n - 1 if n < _FEWEST else n - 1 - int(folds.max()))
    return ControlledEstimate(
        value=value,
        low=value - quantile * error,
        high=value + quantile * error,
        plain=plain_value,
        plain_low=plain_value - quantile * plain_error,
        plain_high=plain_value + quantile * plain_error,
        gain=(plain_error / error) ** 2 if error > 0 else 1.0,
        n=n,
        units=units,
    )


def _fit(controls: Controls, rows: Integers, totals: Floats) -> Floats:
    """Ridge regression with an intercept that is not shrunk; how much is shrunk is chosen by leaving units out."""
    x = np.column_stack([np.ones(len(rows)), controls.columns[rows]])
    square, product = x.T @ x, x.T @ totals
    best, least = np.zeros((x.shape[1], totals.shape[1])), np.inf
    for strength in _STRENGTHS:
        inverse = np.linalg.inv(square + np.diag(np.append(1e-9, strength * controls.penalty)))
        fitted = inverse @ product
        leverage = np.einsum("ij,jk,ik->i", x, inverse, x)
        left_out = (totals[:, 0] - x @ fitted[:, 0]) / np.maximum(1 - leverage, 1e-6)
        error = float((left_out**2).sum())
        if error < least:
            best, least = fitted, error
    return best


def _ratio(
    part: Floats, size: Floats, means: Floats, predicted: Floats, folds: Integers, n: int, units: int
) -> tuple[float, float]:
    """A ratio of two corrected means and its standard error, from what the predictions of other folds leave over."""
    rest = np.column_stack([part, size]) - predicted
    numerator, denominator = means + rest.mean(axis=0)
    value = float(numerator / denominator) if denominator else 0.0
    errors = (rest[:, 0] - value * rest[:, 1]) / (denominator or 1.0)
    number = int(folds.max()) + 1
    by_fold = np.bincount(folds, weights=errors) / np.maximum(np.bincount(folds), 1)
    variance = float(((errors - by_fold[folds]) ** 2).sum()) / max(n - number, 1)
    return value, float(np.sqrt(variance / n * max(1 - n / units, 0.0)))


def _t_quantile(share: float, degrees: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(max(degrees, 1), share))
