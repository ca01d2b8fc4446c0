"""Agreement: with scikit-learn and celer, between precisions, between backends, and for any number of threads."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from falter.lasso import LassoRanker, Ranking
from tests.lasso.problems import Problem, clustered, made, problems, with_duplicates

PENALTY = 1e-3

ROUNDING = 1e-6
"""Columns no further apart than this may be one text, encoded twice."""


@pytest.fixture
def torch_on_one_thread() -> Iterator[None]:
    """Small products are slowed down by threads that wait for each other."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def ours(problem: Problem, *, nonnegative: bool = True) -> NDArray[np.float64]:
    ranker = LassoRanker(PENALTY, nonnegative=nonnegative, threads=1, uncertified="raise").fit(problem.pool)
    return ranker.solve(problem.queries).toarray()


@pytest.mark.parametrize("nonnegative", [True, False])
def test_scikit_learn(nonnegative: bool) -> None:
    from sklearn.linear_model import Lasso

    problem = made(0, 40, 60, 4)
    width = problem.pool.shape[1]
    theirs = Lasso(PENALTY / width, fit_intercept=False, positive=nonnegative, tol=1e-14, max_iter=1_000_000)
    for query, x in zip(problem.queries, ours(problem, nonnegative=nonnegative), strict=True):
        theirs.fit(problem.pool.T.astype(np.float64), query)
        np.testing.assert_allclose(x, theirs.coef_, atol=1e-7)


@pytest.mark.parametrize("nonnegative", [True, False])
def test_celer(nonnegative: bool) -> None:
    celer = pytest.importorskip("celer")
    problem = made(1, 200, 60, 3)
    width = problem.pool.shape[1]
    theirs = celer.Lasso(PENALTY / width, fit_intercept=False, positive=nonnegative, tol=1e-14, max_iter=200)
    for query, x in zip(problem.queries, ours(problem, nonnegative=nonnegative), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of the tolerance it cannot tell to be reached
            theirs.fit(np.asfortranarray(problem.pool.T.astype(np.float64)), query)
        np.testing.assert_allclose(x, theirs.coef_, atol=1e-5)


def same_top(first: Ranking, second: Ranking, tolerance: float = 1e-8) -> None:
    """The same columns in the same places, but for coefficients within the tolerance of each other."""
    np.testing.assert_allclose(first.scores, second.scores, atol=tolerance)
    for i, j in zip(*np.nonzero(first.indices != second.indices), strict=True):
        row = first.scores[i]
        alike = np.abs(row - row[j]) <= tolerance
        assert alike.sum() > 1 or j == len(row) - 1 or row[j] <= tolerance, (i, j, row)


@given(problems(), st.sampled_from([0.1, 1e-4, 1e-6]))
@settings(max_examples=25, deadline=None)
def test_precisions(problem: Problem, lam: float) -> None:
    pytest.importorskip("torch")
    rankings = [
        LassoRanker(lam, dtype=dtype, threads=1, uncertified="raise").fit(problem.pool).rank(problem.queries)  # type: ignore[arg-type]
        for dtype in ("f32", "bf16", "f64")
    ]
    apart = np.abs(problem.pool[:, None] - problem.pool[None]).max(axis=2)
    tolerance = 1e-8
    if ((apart > 0) & (apart <= ROUNDING)).any():
        # Which of two such columns has the weight can hang on float64's last digits, and the others' weights on that.
        lowest = (apart <= ROUNDING).argmax(axis=1)
        rankings = [one._replace(indices=np.where(one.indices < 0, -1, lowest[one.indices])) for one in rankings]
        tolerance = 1e-6
    same_top(rankings[0], rankings[1], tolerance)
    same_top(rankings[0], rankings[2], tolerance)


def test_bfloat16_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = clustered(2, 600, 32, 5)
    plain = LassoRanker(dtype="f32", threads=1).fit(problem.pool).rank(problem.queries)
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    rounded = LassoRanker(dtype="bf16", threads=1, uncertified="raise").fit(problem.pool).rank(problem.queries)
    same_top(plain, rounded)


@pytest.mark.parametrize("nonnegative", [True, False])
def test_backends(nonnegative: bool) -> None:
    pytest.importorskip("numba")
    problem = with_duplicates(clustered(4, 400, 24, 12), 4)
    lam = 1e-6 if nonnegative else 1e-3
    rankings = [
        LassoRanker(lam, nonnegative=nonnegative, backend=backend, threads=1, uncertified="raise")  # type: ignore[arg-type]
        .fit(problem.pool)
        .rank(problem.queries)
        for backend in ("numba", "numpy")
    ]
    same_top(*rankings)


@pytest.mark.parametrize(("nonnegative", "dtype"), [(True, "f32"), (True, "f16"), (True, "bf16"), (False, "f32")])
@pytest.mark.usefixtures("torch_on_one_thread")
def test_torch_on_the_cpu(nonnegative: bool, dtype: str) -> None:
    problem = with_duplicates(clustered(5, 700, 24, 6), 5)
    lam = 1e-6 if nonnegative else 1e-2
    on_cpu = LassoRanker(lam, nonnegative=nonnegative, threads=1).fit(problem.pool).rank(problem.queries)
    by_torch = (
        LassoRanker(lam, nonnegative=nonnegative, backend="torch", dtype=dtype, batch=4, uncertified="raise")  # type: ignore[arg-type]
        .fit(problem.pool)
        .rank(problem.queries)
    )
    same_top(on_cpu, by_torch)
    assert by_torch.certified.all()


def test_threads_and_batches() -> None:
    problem = made(6, 9000, 16, 30)
    one = LassoRanker(threads=1).fit(problem.pool).rank(problem.queries)
    three = LassoRanker(threads=3).fit(problem.pool).rank(problem.queries)
    for first, second in zip(one, three, strict=True):
        np.testing.assert_array_equal(first, second)
    same_top(one, LassoRanker(threads=1, batch=7).fit(problem.pool).rank(problem.queries))
