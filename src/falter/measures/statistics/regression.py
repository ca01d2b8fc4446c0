"""Linear regression: how much of the variance of one figure others explain, in sample and left out in turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["LinearFit", "fit_linear"]

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
