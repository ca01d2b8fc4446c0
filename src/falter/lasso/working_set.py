"""Solves one problem on its working set of columns: by homotopy, then polished in float64.

New problems get a cheap first solution: a pass over a sample of the pool, solved on its strongest columns. The columns
nearest to a query are also near to each other, so a pass with the query itself finds few of those in its support. A
pass with the residual after some columns of a sample finds many more.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from falter.lasso.homotopy import NumpyArrays, follow_paths
from falter.lasso.screening import VectorPool, largest_above

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_TRIES = 6
_REFINEMENTS = 6
_ILL_CONDITIONED = 1e4


class Support(NamedTuple):
    """The columns with a coefficient, the coefficients, and the inverse of their Gram matrix."""

    columns: Indices
    values: Floats
    inverse: Floats
    rough: bool = False
    """Whether the inverse is known in float32 alone."""


def empty_support() -> Support:
    """No column."""
    return Support(np.empty(0, np.int64), np.empty(0), np.empty((0, 0)))


def load_compiled_follow() -> Any:
    """The compiled `follow_path` where numba is installed, else None."""
    try:
        from falter.lasso.homotopy_numba import follow_path
    except ImportError:
        return None
    return follow_path


def length(vector: Floats) -> float:
    """The Euclidean length of a vector."""
    return sqrt(float(vector @ vector))


def correlation_slack(penalty: float, query_length: float) -> float:
    """How far above the penalty a correlation may be and still count as equal to it: rounding, and no more."""
    return max(min(1e-8 * penalty, 1e-12 * query_length), 2e-15 * query_length)


def continue_path(
    vectors: NDArray[Any],
    query: Floats,
    residual: Floats,
    support: Support,
    added: Indices,
    start: float,
    stop: float,
    *,
    nonnegative: bool,
    follow: Any,
    rough: bool = False,
) -> tuple[Support, Floats, bool]:
    """Solve on the support and some added columns: from penalty `start`, where the support is optimal, to `stop`.

    Gives the new support, its residual, and whether the optimality conditions hold on these columns. The path in
    float32's Gram matrix comes first; what it finds is polished like any other, but it may miss a column. Between two
    passes (`rough`) that does not matter; else the conditions are checked, and the exact path is followed if
    they fail.
    """
    columns = np.concatenate([support.columns, added])
    rows = vectors.take(columns, axis=0)
    active, values, inverse = np.arange(len(support.values)), support.values, support.inverse
    query_length = length(query)
    limit = stop + correlation_slack(stop, query_length)
    if rows.dtype == np.float32:
        gram, corr = (rows @ rows.T).astype(np.float64), (rows @ residual.astype(np.float32)).astype(np.float64)
        followed = _follow(gram, corr, active, values, inverse, start, stop, nonnegative, follow)
        if followed is not None:
            found, new_residual, error = _polish(rows, query, query_length, *followed, stop)
            worst = _objective(residual, support.values, stop) * (1 + 1e-6)
            if (
                _is_accurate(found, error, query_length)
                and _objective(new_residual, found.values, stop) <= worst
                and (rough or _greatest(rows.astype(np.float64) @ new_residual, nonnegative) <= limit)
            ):
                return found._replace(columns=columns[found.columns], rough=True), new_residual, True
    rows = rows.astype(np.float64)
    gram, corr = rows @ rows.T, rows @ residual
    if support.rough:
        inverse = _inverse(gram[: len(values), : len(values)])
    right = False
    for _ in range(_TRIES):
        followed = _follow(gram, corr, active, values, inverse, start, stop, nonnegative, follow)
        if followed is None:
            # Stuck: once more from where every penalty is above its column's correlation.
            active, values, inverse = active[:0], values[:0], inverse[:0, :0]
            corr = rows @ query
            start = max(stop, _greatest(corr, nonnegative))
            followed = _follow(gram, corr, active, values, inverse, start, stop, nonnegative, follow)
            if followed is None:
                return empty_support(), query, False
        (active, values, inverse, _), residual, _ = _polish(rows, query, query_length, *followed, stop)
        corr = rows @ residual
        start = stop
        right = _greatest(corr, nonnegative) <= limit
        if right:
            break
    return Support(columns[active], values, inverse), residual, right


def _objective(residual: Floats, values: Floats, penalty: float) -> float:
    return 0.5 * float(residual @ residual) + penalty * float(np.abs(values).sum())


def _is_accurate(found: Support, error: float, query_length: float) -> bool:
    """Whether float32's Gram matrix was good enough: columns may be so close that it cannot tell them apart."""
    return error <= 4e-15 * query_length and bool(found.inverse.diagonal().max(initial=0.0) < _ILL_CONDITIONED)


def _greatest(corr: Floats, nonnegative: bool) -> float:
    return float((corr if nonnegative else np.abs(corr)).max())


def _follow(
    gram: Floats,
    corr: Floats,
    active: Indices,
    values: Floats,
    inverse: Floats,
    start: float,
    stop: float,
    nonnegative: bool,
    follow: Any,
) -> tuple[Indices, Floats, Floats] | None:
    """Follow the path, compiled or not: the active columns, their coefficients, the inverse of their Gram matrix."""
    coef = np.zeros(len(corr))
    coef[active] = values
    if follow is None:
        ends = np.array([start]), np.array([stop])
        found, inverses, fine = follow_paths(
            NumpyArrays(), gram[None], corr[None], coef[None], *ends, nonnegative=nonnegative
        )
        active = np.flatnonzero(found[0])
        return (active, found[0][active], inverses[0][np.ix_(active, active)]) if fine[0] else None
    size = len(active)
    room = np.zeros((len(corr) + 1, len(corr) + 1))
    room[:size, :size] = inverse
    order = np.zeros(len(corr) + 1, np.int64)
    order[:size] = active
    size = follow(gram, corr, coef, room, order, size, start, stop, nonnegative)
    if size < 0:
        return None
    order = order[:size]
    kept = coef[order] != 0
    if kept.all():
        return order, coef[order], room[:size, :size].copy()
    order = order[kept]
    return order, coef[order], _inverse(gram[np.ix_(order, order)])


def _polish(
    rows: NDArray[Any],
    query: Floats,
    query_length: float,
    active: Indices,
    values: Floats,
    inverse: Floats,
    penalty: float,
) -> tuple[Support, Floats, float]:
    """Refine the coefficients until the active columns' correlations equal the penalty; those that change sign go.

    Gives the support, as positions in `rows`, its residual, and how far the correlations still are from the penalty.
    """
    sign = np.sign(values)
    while True:
        columns = rows.take(active, axis=0).astype(np.float64, copy=False)
        values, residual, inverse, error = _refine(columns, query, query_length, values, inverse, penalty * sign)
        right = values * sign > 0
        if right.all():
            return Support(active, values, inverse), residual, error
        active, values, sign = active[right], values[right], sign[right]
        inverse = _inverse(columns[right] @ columns[right].T)


def _refine(
    columns: Floats, query: Floats, query_length: float, values: Floats, inverse: Floats, wanted: Floats
) -> tuple[Floats, Floats, Floats, float]:
    """Newton's steps with true residuals, which repair what rounding did to the inverse."""
    best, fresh = np.inf, False
    residual, worst = query, 0.0
    for _ in range(_REFINEMENTS):
        residual = query - values @ columns
        error = columns @ residual - wanted
        worst = float(np.abs(error).max(initial=0.0))
        if worst <= 5e-16 * query_length or (fresh and worst >= best):
            break
        if worst > 0.5 * best:
            inverse, fresh = _inverse(columns @ columns.T), True
        best = min(best, worst)
        values = values + inverse @ error
    else:
        residual = query - values @ columns
    return values, residual, inverse, worst


def _inverse(gram: Floats) -> Floats:
    try:
        found = np.linalg.inv(gram)
    except np.linalg.LinAlgError:
        found = np.linalg.pinv(gram)
    return np.asarray(found, np.float64)


_EVERY = 16
_LEAST_SAMPLE = 1024
"""With fewer columns in the sample there is too little to gain over a pass with the query itself."""

_STRONGEST = 80


class WarmStart:
    """Every sixteenth column of a pool."""

    def __init__(self, pool: VectorPool) -> None:
        self._pool = pool
        self._columns = pool.without_repeats(np.arange(0, pool.size, _EVERY))
        self._rows = pool.vectors[self._columns] if self.useful else pool.vectors[:0]

    @property
    def useful(self) -> bool:
        """Whether the pool is large enough for a sample of it to say something."""
        return len(self._columns) >= _LEAST_SAMPLE

    def scores(self, queries: Sequence[Floats]) -> NDArray[Any]:
        """The correlations of each query with the columns of the sample."""
        return np.asarray(np.stack(queries).astype(self._rows.dtype) @ self._rows.T)

    def support(self, query: Floats, scores: NDArray[Any], penalty: float, follow: Any) -> tuple[Support, Floats]:
        """Some columns with non-negative coefficients, right among themselves, and the residual they leave."""
        strongest = largest_above(scores, penalty, _STRONGEST, nonnegative=True)
        if len(strongest) == 0:
            return empty_support(), query
        start, columns = float(scores[strongest].max()), self._columns[strongest]
        vectors = self._pool.vectors
        support, residual, right = continue_path(
            vectors, query, query, empty_support(), columns, start, penalty, nonnegative=True, follow=follow, rough=True
        )
        return (support, residual) if right else (empty_support(), query)
