"""Kendall's tau between the strength of noise and the harm it does: whether a ranking's order means anything."""

from __future__ import annotations

import numpy as np

from falter.measures.outcomes.coding import Floats

__all__ = ["kendall_tau"]


def kendall_tau(values: Floats) -> Floats:
    """Tau-b of values against their places along the last axis: 1 if each is above the one before, -1 if below.

    NaN where there are fewer than two values or all are equal.

    >>> kendall_tau(np.array([[1.0, 2.0, 3.0, 4.0], [1.0, 3.0, 2.0, 4.0]])).round(3).tolist()
    [1.0, 0.667]
    """
    size = values.shape[-1]
    first, second = np.triu_indices(size, k=1)
    steps = np.sign(values[..., second] - values[..., first])
    pairs = float(len(first))
    untied = np.abs(steps).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        tau = steps.sum(axis=-1) / np.sqrt(pairs * untied)
    return np.where(untied > 0, tau, np.nan)
