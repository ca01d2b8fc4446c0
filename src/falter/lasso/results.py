"""Rankings, paths and solutions, and the protocol of a solver."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from falter.core.errors import FalterError

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class NotCertifiedError(FalterError):
    """A ranking has a gap above the tolerance and must not be called exact."""


class NotCertifiedWarning(UserWarning):
    """Some rankings have a gap above the tolerance and must not be called exact."""


class Solution(NamedTuple):
    """One query's solution at one penalty."""

    step: int
    query_index: int
    columns: Indices
    values: Floats
    gap: float
    certified: bool
    passes: int


class Solver(Protocol):
    """Solves queries over a pool; each solution is yielded when it is done, in no set order."""

    def solve(
        self, queries: NDArray[Any], penalties: Sequence[float], nonnegative: bool, tolerance: float
    ) -> Iterator[Solution]:
        """Solve each query at falling penalties."""


class Ranking(NamedTuple):
    """The columns with the largest coefficients for each query, one row per query.

    Rows with fewer than `top` coefficients are filled up with index -1 and score 0; `support` counts the coefficients
    other than zero, in all, not only at the top. A ranking is exact where `certified` is true: then the objective is
    within the tolerance, relative to half the squared length of the query, of the best there is.
    """

    indices: Indices
    """Columns by falling coefficient, equal ones by rising index; shape (queries, top)."""
    scores: Floats
    """Their coefficients."""
    gap: Floats
    """The duality gap of each query's solution, in float64."""
    certified: NDArray[np.bool_]
    """Whether the gap is within the tolerance."""
    passes: Indices
    """How many products with all columns each query took part in."""
    support: Indices
    """How many columns have a coefficient other than zero."""


class LassoPath(NamedTuple):
    """Rankings over several penalties."""

    lambdas: Floats
    """The penalties, as they were asked for."""
    rankings: list[Ranking]
    """One ranking for each."""
    shared: Floats
    """How many of the top two penalties share, by query; shape (penalties, penalties, queries)."""

    @property
    def stability(self) -> Floats:
        """How many of the top two penalties share, on average over the queries."""
        return np.asarray(self.shared.mean(axis=2))


def empty_ranking(queries: int, top: int) -> Ranking:
    """Room for the rankings of some queries."""
    return Ranking(
        np.full((queries, top), -1, np.int64),
        np.zeros((queries, top)),
        np.full(queries, np.inf),
        np.zeros(queries, np.bool_),
        np.zeros(queries, np.int64),
        np.zeros(queries, np.int64),
    )


def largest(columns: Indices, values: Floats, top: int) -> tuple[Indices, Floats]:
    """The `top` largest coefficients with their columns, equal ones by rising index."""
    order = np.lexsort((columns, -values))[:top]
    return columns[order], values[order]


def count_shared_top(rankings: list[Ranking]) -> Floats:
    """For every two rankings and every query, the number of columns in both tops."""
    count = len(rankings)
    shared = np.zeros((count, count, len(rankings[0].gap) if rankings else 0))
    for i in range(count):
        for j in range(i + 1):
            first, second = rankings[i].indices, rankings[j].indices
            both = (first[:, :, None] == second[:, None, :]) & (first[:, :, None] >= 0)
            shared[i, j] = shared[j, i] = both.sum(axis=(1, 2))
    return shared
