"""Pools and queries of many shapes, and an independent look at a solution: objective, dual, gap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray


class Problem(NamedTuple):
    pool: NDArray[np.float32]
    queries: NDArray[np.float64]


def unit(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths == 0, 1, lengths)


def made(seed: int, size: int, width: int, queries: int, *, shift: float = 0.5) -> Problem:
    """Random unit vectors that lean to one side, as sentence vectors do."""
    rng = np.random.default_rng(seed)
    lean = rng.normal(size=width) * shift
    pool = unit(rng.normal(size=(size, width)) + lean).astype(np.float32)
    return Problem(pool, unit(rng.normal(size=(queries, width)) + lean))


def clustered(seed: int, size: int, width: int, queries: int) -> Problem:
    """Vectors about few centers, many of them very close to each other."""
    rng = np.random.default_rng(seed)
    centers = unit(rng.normal(size=(max(2, size // 10), width)) + 0.4)
    rows = centers[rng.integers(0, len(centers), size + queries)] + 0.1 * rng.normal(size=(size + queries, width))
    rows = unit(rows)
    return Problem(rows[:size].astype(np.float32), rows[size:].astype(np.float64))


def with_duplicates(problem: Problem, seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    pool = problem.pool.copy()
    pool[rng.integers(0, len(pool), len(pool) // 2)] = pool[rng.integers(0, len(pool), len(pool) // 2)]
    return problem._replace(pool=pool)


def with_zeros(problem: Problem, seed: int) -> Problem:
    pool = problem.pool.copy()
    pool[np.random.default_rng(seed).integers(0, len(pool), 1 + len(pool) // 4)] = 0
    return problem._replace(pool=pool)


def collinear(problem: Problem, seed: int) -> Problem:
    """Half of the columns are sums of two others, and some the opposite of another."""
    rng = np.random.default_rng(seed)
    pool = problem.pool.astype(np.float64)
    half = len(pool) // 2
    if half >= 2:
        first, second = rng.integers(0, half, (2, len(pool) - half))
        pool[half:] = unit(pool[first] + rng.choice([0.5, 1.0, -1.0], (len(first), 1)) * pool[second])
        pool[-1] = -pool[0]
    return problem._replace(pool=pool.astype(np.float32))


def nearly_equal(problem: Problem, seed: int) -> Problem:
    """Columns that differ by rounding alone, as the same text encoded in another batch does."""
    rng = np.random.default_rng(seed)
    pool = problem.pool.copy()
    half = len(pool) // 2
    pool[half : 2 * half] = pool[:half] * (1 + 1e-7 * rng.normal(size=(half, pool.shape[1]))).astype(np.float32)
    return problem._replace(pool=pool)


def queries_in_the_pool(problem: Problem, seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    chosen = rng.integers(0, len(problem.pool), len(problem.queries))
    return problem._replace(queries=problem.pool[chosen].astype(np.float64))


def with_an_empty_query(problem: Problem, seed: int) -> Problem:
    queries = problem.queries.copy()
    queries[0] = 0
    return problem._replace(queries=queries)


SHAPES = [(1, 3), (5, 20), (20, 5), (60, 16), (300, 4), (300, 24)]
TWISTS = [
    lambda problem, seed: problem,
    with_duplicates,
    with_zeros,
    collinear,
    nearly_equal,
    queries_in_the_pool,
    with_an_empty_query,
]


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    seed = draw(st.integers(0, 10_000))
    size, width = draw(st.sampled_from(SHAPES))
    base = draw(st.sampled_from([made, clustered]))(seed, size, width, 3)
    return draw(st.sampled_from(TWISTS))(base, seed)


def true_gap(
    pool: NDArray[np.float32], query: NDArray[np.float64], coefficients: NDArray[np.float64], lam: float, sign: bool
) -> float:
    """Objective less dual objective by their definitions, over all columns, in extended precision."""
    wide = pool.astype(np.longdouble)
    x, b = coefficients.astype(np.longdouble), query.astype(np.longdouble)
    residual = b - x @ wide
    correlation = wide @ residual
    top = np.abs(correlation).max() if sign else correlation.max()
    dual_point = residual * min(np.longdouble(1), lam / top) if top > 0 else residual
    primal = 0.5 * residual @ residual + lam * np.abs(x).sum()
    dual = 0.5 * b @ b - 0.5 * (b - dual_point) @ (b - dual_point)
    return float(primal - dual)
