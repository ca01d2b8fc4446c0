"""A cheap first solution for new problems: a pass over a sample of the pool, solved on its strongest columns.

The columns nearest to a query are also near to each other, so a pass with the query itself finds few of those in its
support. A pass with the residual after some columns of a sample finds many more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from falter.lasso.pool import VectorPool
from falter.lasso.top_k import largest_above
from falter.lasso.working_set import Support, continue_path, empty_support

__all__ = ["WarmStart"]

Floats = NDArray[np.float64]

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
