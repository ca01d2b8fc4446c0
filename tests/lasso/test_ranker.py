"""The ranker's face: what it refuses, what it fills up, ties, paths over the penalty, and shards on disk."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from falter.core.errors import InputError, UsageError
from falter.lasso import LassoRanker, NotCertifiedError, NotCertifiedWarning, rank_in_shards
from tests.lasso.problems import clustered, made, unit


def test_fewer_coefficients_than_places_are_filled_up_and_counted() -> None:
    ranking = LassoRanker(top=5).fit(np.eye(3, dtype=np.float32)).rank([[0.6, 0.0, 0.8], [-1.0, 0.0, 0.0]])
    assert ranking.indices.tolist() == [[2, 0, -1, -1, -1], [-1] * 5]
    assert ranking.scores[0, 2:].tolist() == [0, 0, 0]
    assert ranking.support.tolist() == [2, 0]
    assert ranking.certified.all()


def test_a_duplicate_stands_behind_the_lowest_index() -> None:
    pool = made(0, 50, 8, 1).pool
    doubled = np.concatenate([pool, pool, pool])
    queries = made(1, 5, 8, 6).queries
    plain = LassoRanker().fit(pool).rank(queries)
    ranking = LassoRanker().fit(doubled).rank(queries)
    np.testing.assert_array_equal(ranking.indices, plain.indices)
    assert ranking.indices.max() < 50


def test_equal_coefficients_stand_by_index() -> None:
    pool = np.eye(6, dtype=np.float32)
    ranking = LassoRanker(top=4).fit(pool).rank(np.ones((1, 6)))
    assert ranking.indices.tolist() == [[0, 1, 2, 3]]


def test_a_query_in_the_pool_is_its_own_answer() -> None:
    pool = made(2, 200, 32, 1).pool
    ranking = LassoRanker(1e-4).fit(pool).rank(pool[[17]])
    assert ranking.indices[0, 0] == 17
    assert ranking.scores[0, 0] == pytest.approx(1 - 1e-4, abs=1e-6)


def test_an_empty_query_has_no_ranking() -> None:
    ranking = LassoRanker().fit(made(3, 30, 4, 1).pool).rank(np.zeros((2, 4)))
    assert (ranking.indices == -1).all()
    assert ranking.certified.all()
    assert (ranking.gap == 0).all()


def test_no_queries() -> None:
    ranking = LassoRanker().fit(made(3, 30, 4, 1).pool).rank(np.empty((0, 4)))
    assert ranking.indices.shape == (0, 21)


def test_negative_coefficients_stand_last() -> None:
    pool = np.eye(3, dtype=np.float32)
    ranking = LassoRanker(0.01, nonnegative=False, top=3).fit(pool).rank([[0.5, -0.7, 0.2]])
    assert ranking.indices.tolist() == [[0, 2, 1]]
    assert ranking.scores[0] == pytest.approx([0.49, 0.19, -0.69])


@pytest.mark.parametrize(
    ("pool", "words"),
    [
        (np.zeros(3), "1 dimensions"),
        (np.zeros((0, 3)), "no vectors"),
        (np.zeros((3, 0)), "no vectors"),
        (np.array([["a", "b"]]), "must be numbers"),
        (np.array([[1.0, 0.0], [0.0, np.nan]]), "vector 1 holds a NaN"),
        (np.array([[np.inf, 0.0]]), "vector 0 holds a NaN or an infinite"),
    ],
)
def test_a_bad_pool(pool: np.ndarray, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        LassoRanker().fit(pool)


def test_bad_queries() -> None:
    ranker = LassoRanker().fit(np.eye(3))
    with pytest.raises(UsageError, match="width 4, but the pool's have width 3"):
        ranker.rank(np.ones((1, 4)))
    with pytest.raises(UsageError, match="the queries: vector 1 holds a NaN"):
        ranker.rank([[1, 0, 0], [0, float("nan"), 0]])
    with pytest.raises(UsageError, match=r"fit\(pool\) first"):
        LassoRanker().rank(np.ones((1, 3)))


@pytest.mark.parametrize(
    "options",
    [
        {"lam": 0},
        {"lam": -1},
        {"lam": float("nan")},
        {"top": 0},
        {"tol": 0},
        {"dtype": "f8"},
        {"backend": "jax"},
        {"uncertified": "shrug"},
        {"backend": "numba", "device": "cuda"},
        {"dtype": "f16"},
        {"threads": 0},
        {"batch": 0},
    ],
)
def test_bad_parameters(options: dict) -> None:
    with pytest.raises(UsageError):
        LassoRanker(**options)


def test_a_gap_above_the_tolerance_is_not_called_exact() -> None:
    problem = made(7, 100, 20, 3)
    unreachable = {"lam": 1e-15, "tol": 1e-14, "threads": 1}
    with pytest.warns(NotCertifiedWarning, match="3 of 3 rankings are not certified"):
        ranking = LassoRanker(**unreachable).fit(problem.pool).rank(problem.queries)
    assert not ranking.certified.any()
    assert (ranking.gap > 1e-14 * 0.5).all()
    with pytest.raises(NotCertifiedError):
        LassoRanker(**unreachable, uncertified="raise").fit(problem.pool).rank(problem.queries)


@pytest.mark.parametrize("nonnegative", [True, False])
def test_a_path_is_what_each_penalty_gives_alone(nonnegative: bool) -> None:
    problem = clustered(8, 300, 20, 5)
    lambdas = [1e-4, 1e-1, 1e-2]
    ranker = LassoRanker(nonnegative=nonnegative, uncertified="raise").fit(problem.pool)
    path = ranker.path(problem.queries, lambdas)
    for lam, ranking in zip(lambdas, path.rankings, strict=True):
        alone = LassoRanker(lam, nonnegative=nonnegative).fit(problem.pool).rank(problem.queries)
        np.testing.assert_array_equal(ranking.indices, alone.indices)
        np.testing.assert_allclose(ranking.scores, alone.scores, atol=1e-9)
    assert path.stability.shape == (3, 3)
    np.testing.assert_array_equal(np.diag(path.stability), [np.minimum(r.support, 21).mean() for r in path.rankings])
    first, second = (path.rankings[i].indices.tolist() for i in (0, 1))
    shared = [len((set(a) & set(b)) - {-1}) for a, b in zip(first, second, strict=True)]
    assert path.stability[0, 1] == np.mean(shared)


def test_vectors_of_any_length() -> None:
    problem = made(9, 80, 10, 4)
    scaled = problem.pool * np.random.default_rng(0).uniform(0.1, 9, (80, 1)).astype(np.float32)
    assert LassoRanker(1e-3, uncertified="raise").fit(scaled).rank(problem.queries * 50).certified.all()


def test_memory_beside_the_pool_is_bounded() -> None:
    problem = made(12, 300_000, 4, 300)
    ranker = LassoRanker(1e-2, threads=1).fit(problem.pool)
    tracemalloc.start()
    try:
        ranker.rank(problem.queries)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 600 << 20  # the scores of all queries at once would take 360 MB, with copies over 1 GB


def test_shards_are_solved_once(tmp_path: Path) -> None:
    problem = clustered(10, 200, 16, 23)
    ranker = LassoRanker(threads=1).fit(problem.pool)
    seen: list[int] = []
    first = rank_in_shards(ranker, problem.queries, tmp_path, shard=10, progress=seen.append)
    assert seen[-1] == 23
    assert sorted(path.name for path in tmp_path.glob("*.npz")) == [f"ranking-{i:06d}.npz" for i in range(3)]
    (tmp_path / "ranking-000001.npz").unlink()
    kept = (tmp_path / "ranking-000000.npz").stat().st_mtime_ns
    again = rank_in_shards(ranker, problem.queries, tmp_path, shard=10)
    assert (tmp_path / "ranking-000000.npz").stat().st_mtime_ns == kept
    for one, two, whole in zip(first, again, ranker.rank(problem.queries), strict=True):
        np.testing.assert_array_equal(one, two)
        if one.dtype != np.float64:
            np.testing.assert_array_equal(one.shape, whole.shape)
    other = problem.queries.copy()
    other[0] = unit(other[:1] + 0.1)
    assert rank_in_shards(ranker, other, tmp_path, shard=10).scores[0, 0] != first.scores[0, 0]


def test_shards_of_something_else_are_refused(tmp_path: Path) -> None:
    problem = made(11, 40, 6, 4)
    rank_in_shards(LassoRanker().fit(problem.pool), problem.queries, tmp_path)
    with pytest.raises(InputError, match="of another lambda"):
        rank_in_shards(LassoRanker(0.1).fit(problem.pool), problem.queries, tmp_path)
    with pytest.raises(InputError, match="of another pool"):
        rank_in_shards(LassoRanker().fit(problem.pool[1:]), problem.queries, tmp_path)
    (tmp_path / "ranking-000000.npz").write_bytes(b"no")
    with pytest.raises(InputError, match="not a shard"):
        rank_in_shards(LassoRanker().fit(problem.pool), problem.queries, tmp_path)
