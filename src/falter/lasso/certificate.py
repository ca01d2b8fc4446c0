"""The duality gap of a solution, in float64: how far, at most, the objective is from the best there is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["duality_gap"]


def duality_gap(
    residual: NDArray[np.float64],
    values: NDArray[np.float64],
    correlations: NDArray[np.float64],
    greatest: float,
    penalty: float,
) -> float:
    """The gap between the objective at x and the dual objective at the residual, scaled until it is feasible.

    `correlations` are those of the columns with the coefficients `values`; `greatest` is a bound on the correlation of
    any column. With r = b - Ax and s = min(1, penalty / greatest) the gap is 0.5 (1-s)^2 r'r + penalty |x| - s x'A'r,
    which has no large terms that cancel.
    """
    scale = 1.0 if greatest <= penalty else penalty / greatest
    squared = float(residual @ residual)
    gap = (
        0.5 * (1 - scale) ** 2 * squared + penalty * float(np.abs(values).sum()) - scale * float(values @ correlations)
    )
    return max(gap, 0.0)
