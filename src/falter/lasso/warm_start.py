"""A cheap first guess for new questions: a pass over a sample of the pool, and the small problem it gives.

The columns most like a question are also like each other, so a pass with the question itself finds few of those that
it is made up of. A pass with what some columns of a sample leave of it finds many more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from falter.lasso.pool import Pool
from falter.lasso.top_k import largest_above
from falter.lasso.working_set import Support, carry_on, empty_support

__all__ = ["HeadStart"]

Floats = NDArray[np.float64]

_EVERY = 16
_LEAST_SAMPLE = 1024
"""With fewer columns in the sample there is too little to gain over a pass with the question itself."""

_STRONGEST = 80


class HeadStart:
    """Every sixteenth column of a pool."""

    def __init__(self, pool: Pool) -> None:
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

    def support(self, query: Floats, scores: NDArray[Any], penalty: float, walk: Any) -> tuple[Support, Floats]:
        """Some columns with non-negative coefficients, right among themselves, and the residual they leave."""
        strongest = largest_above(scores, penalty, _STRONGEST, nonnegative=True)
        if len(strongest) == 0:
            return empty_support(), query
        start, columns = float(scores[strongest].max()), self._columns[strongest]
        vectors = self._pool.vectors
        support, residual, right = carry_on(
            vectors, query, query, empty_support(), columns, start, penalty, nonnegative=True, walk=walk, rough=True
        )
        return (support, residual) if right else (empty_support(), query)
