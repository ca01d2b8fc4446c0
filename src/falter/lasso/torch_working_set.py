"""Solves the working sets of many problems at once on a device: by homotopy, then polished in float64."""

from __future__ import annotations

from typing import Any

from falter.lasso.arrays import TorchArrays
from falter.lasso.homotopy import follow_paths

__all__ = ["continue_paths"]

_REFINEMENTS = 4
_SIGN_ITERATIONS = 8


def continue_paths(
    vectors: Any, queries: Any, residuals: Any, columns: Any, coef: Any, start: Any, stop: Any, *, nonnegative: bool
) -> tuple[Any, Any, Any]:
    """Solve each problem on its own columns, from penalty `start` to `stop`; coefficients, residuals, success.

    `columns` (q, m) index the rows of `vectors`, whose last row is zero and stands for no column.
    """
    arrays = TorchArrays(vectors.device)
    rows = vectors[columns].to(queries.dtype)
    gram = rows @ rows.mT
    corr = arrays.matvec(rows, residuals)
    coef, inverse, fine = follow_paths(arrays, gram, corr, coef, start, stop, nonnegative=nonnegative)
    sign = coef.sign()
    for _ in range(_SIGN_ITERATIONS):
        coef, residuals = _refine(arrays, rows, queries, coef, inverse, sign, stop)
        wrong = (coef * sign <= 0) & (sign != 0)
        if not bool(wrong.any()):
            break
        coef, sign = coef.masked_fill(wrong, 0.0), sign.masked_fill(wrong, 0.0)
        some = wrong.any(dim=1)
        inverse[some] = arrays.masked_inverse(gram[some], sign[some] != 0)
    right = ((arrays.matvec(rows, residuals) - stop[:, None] * sign).abs() * (sign != 0)).amax(
        dim=1
    ) <= 1e-6 * stop + 1e-13
    return coef, residuals, fine & right & ~wrong.any(dim=1)


def _refine(
    arrays: TorchArrays, rows: Any, queries: Any, coef: Any, inverse: Any, sign: Any, stop: Any
) -> tuple[Any, Any]:
    """Newton's steps with true residuals, until the active columns' correlations equal the penalty."""
    residuals = queries - arrays.matvec(rows.mT, coef)
    for _ in range(_REFINEMENTS):
        error = (arrays.matvec(rows, residuals) - stop[:, None] * sign) * (sign != 0)
        if float(error.abs().max()) <= 1e-15:
            break
        coef = coef + arrays.matvec(inverse, error)
        residuals = queries - arrays.matvec(rows.mT, coef)
    return coef, residuals
