"""Solutions meet the optimality conditions, and their certificates are true, whatever the matrix."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.lasso import LassoRanker, cpu_solver
from falter.lasso.screening import VectorPool
from falter.lasso.working_set import WarmStart
from tests.lasso.problems import TWISTS, Problem, clustered, made, problems, true_gap

PENALTIES = [0.3, 1e-2, 1e-4, 1e-6]


def check(problem: Problem, lam: float, nonnegative: bool, **options: str) -> None:
    ranker = LassoRanker(lam, nonnegative=nonnegative, threads=1, uncertified="keep", **options).fit(problem.pool)  # type: ignore[arg-type]
    ranking = ranker.rank(problem.queries)
    solution = ranker.solve(problem.queries).toarray()
    wide = problem.pool.astype(np.float64)
    for i, (query, x) in enumerate(zip(problem.queries, solution, strict=True)):
        gap = true_gap(problem.pool, query, x, lam, sign=not nonnegative)
        # Both are rounded sums of terms of size 1, in an order that depends on the processor.
        assert gap <= ranking.gap[i] + 2e-13
        assert ranking.certified[i], (ranking.gap[i], gap)
        assert gap <= 1e-9 * 0.5 * (query @ query) + 1e-15
        correlation = wide @ (query - x @ wide)
        allowed = 1e-6 * lam + 1e-13
        if nonnegative:
            assert (x >= 0).all()
            assert (correlation <= lam + allowed).all()
        assert (np.abs(correlation[x != 0] - lam * np.sign(x[x != 0])) <= allowed).all()
        assert ranking.support[i] == np.count_nonzero(x)


@given(problems(), st.sampled_from(PENALTIES), st.booleans())
@settings(max_examples=120, deadline=None)
def test_compiled(problem: Problem, lam: float, nonnegative: bool) -> None:
    pytest.importorskip("numba")
    check(problem, lam, nonnegative, backend="numba")


@given(problems(), st.sampled_from(PENALTIES), st.booleans())
@settings(max_examples=40, deadline=None)
def test_numpy(problem: Problem, lam: float, nonnegative: bool) -> None:
    check(problem, lam, nonnegative, backend="numpy")


def test_more_columns_than_are_sampled() -> None:
    check(made(3, 9000, 24, 6), 1e-6, nonnegative=True)
    check(made(4, 5000, 12, 3), 1e-3, nonnegative=False)


@pytest.mark.parametrize("twist", TWISTS)
def test_a_pool_with_a_head_start(twist: Callable[[Problem, int], Problem]) -> None:
    """Pools so large that a sample of them comes first, with all that makes a first guess useless or misleading."""
    problem = twist(clustered(5, 24_000, 12, 2), 5)
    assert WarmStart(VectorPool.from_vectors(problem.pool, np.float32)).useful
    check(problem, 1e-6, nonnegative=True)


def test_a_head_start_above_every_correlation_and_in_numpy() -> None:
    problem = clustered(6, 24_000, 12, 2)
    check(problem, 2.0, nonnegative=True)
    check(problem, 0.3, nonnegative=True, backend="numpy")


@pytest.mark.parametrize("nonnegative", [True, False])
def test_a_solver_out_of_passes_reports_a_gap_that_holds(nonnegative: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_solver, "_MAX_PASSES", 1)
    problem = made(5, 2000, 40, 6)
    lam = 1e-3
    ranker = LassoRanker(lam, nonnegative=nonnegative, threads=1, uncertified="keep", backend="numpy").fit(problem.pool)
    ranking = ranker.rank(problem.queries)
    assert (ranking.passes == 1).all()
    assert not ranking.certified.all()
    for query, x, gap in zip(problem.queries, ranker.solve(problem.queries).toarray(), ranking.gap, strict=True):
        assert true_gap(problem.pool, query, x, lam, sign=not nonnegative) <= gap + 1e-14


def test_supports_as_wide_as_the_vectors_are_certified_in_few_passes() -> None:
    """Vectors with little in common, as those of tf-idf: every query is a sum of as many columns as they are wide."""
    vectors = np.random.default_rng(3).normal(size=(6020, 96)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ranking = LassoRanker(1e-6, threads=1, uncertified="keep").fit(vectors[20:]).rank(vectors[:20])
    assert ranking.certified.all()
    assert ranking.support.min() >= 95
    assert ranking.passes.max() <= 60
