"""Intervals, McNemar's test and Holm's correction."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from falter.evaluation.measures.measure import Sums, ratio
from falter.evaluation.measures.statistics import bootstrap_sums, holm, mcnemar, percentile_interval
from falter.evaluation.measures.statistics.bootstrap import distinct_rows


def resample_rows(rows: list[list[tuple[float, float]]], draws: int, seed: int) -> list[float]:
    """The slow way: draw clusters, lay out all their rows, and take the ratio."""
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(draws):
        drawn = [row for number in rng.integers(0, len(rows), size=len(rows)) for row in rows[number]]
        values.append(sum(part for part, _ in drawn) / sum(whole for _, whole in drawn))
    return values


def clusters(number: int, most: int, seed: int) -> list[list[tuple[float, float]]]:
    rng = np.random.default_rng(seed)
    lean = rng.beta(2, 1, size=number)
    return [[(float(rng.random() < p), 1.0) for _ in range(rng.integers(1, most + 1))] for p in lean]


@pytest.mark.parametrize(("number", "most"), [(400, 3), (60, 40)], ids=["few types", "all different"])
def test_drawing_from_counts_is_drawing_clusters(number: int, most: int) -> None:
    rows = clusters(number, most, seed=1)
    sums = np.array([np.sum(cluster, axis=0) for cluster in rows])
    few = len(distinct_rows(sums)[0]) * 40 <= number
    assert few == (most == 3)
    quick = _share(bootstrap_sums({"acc": sums}, n_resamples=4000, seed=0)["acc"])
    slow = resample_rows(rows, 1500, seed=2)
    error = np.std(slow) / np.sqrt(1500)
    assert np.mean(quick) == pytest.approx(np.mean(slow), abs=5 * error)
    assert np.std(quick) == pytest.approx(np.std(slow), rel=0.1)
    assert percentile_interval(quick) == pytest.approx(np.quantile(slow, [0.025, 0.975]), abs=0.15 * np.std(slow) * 3)


def _share(sums: np.ndarray) -> np.ndarray:
    return ratio(Sums(("part", "n"), sums))


def test_intervals_cover_the_truth_and_know_about_clusters() -> None:
    covered, too_narrow = 0, 0
    datasets = 250
    for seed in range(datasets):
        rows = clusters(80, 6, seed=1000 + seed)
        sums = np.array([np.sum(cluster, axis=0) for cluster in rows])
        low, high = percentile_interval(_share(bootstrap_sums({"x": sums}, n_resamples=300, seed=seed)["x"]))
        covered += low <= 2 / 3 <= high
        flat = np.array([row for cluster in rows for row in cluster])
        low, high = percentile_interval(_share(bootstrap_sums({"x": flat}, n_resamples=300, seed=seed)["x"]))
        too_narrow += low <= 2 / 3 <= high
    assert 0.90 <= covered / datasets <= 0.99
    assert too_narrow < covered


def test_a_block_does_not_depend_on_its_neighbours() -> None:
    sums = np.array([np.sum(cluster, axis=0) for cluster in clusters(300, 3, seed=3)])
    wild = np.random.default_rng(0).random((300, 2))
    alone = bootstrap_sums({"a": sums}, n_resamples=50, seed=0, names=("t",))
    beside = bootstrap_sums({"w": wild, "a": sums}, n_resamples=50, seed=0, names=("t",))
    np.testing.assert_array_equal(alone["a"], beside["a"])
    np.testing.assert_allclose(bootstrap_sums({"w": wild}, n_resamples=50, seed=0, names=("t",))["w"], beside["w"])
    for other in (
        bootstrap_sums({"a": sums}, n_resamples=50, seed=1),
        bootstrap_sums({"a": sums}, n_resamples=50, seed=0),
    ):
        assert not np.array_equal(other["a"], alone["a"])


def test_no_cluster_and_nothing_measured() -> None:
    drawn = bootstrap_sums({"a": np.zeros((0, 2))}, n_resamples=10, seed=0)["a"]
    assert drawn.shape == (10, 2)
    assert percentile_interval(_share(drawn)) == (None, None)


@given(st.lists(st.tuples(st.integers(-3, 3), st.sampled_from([0.0, 0.5, 1.0, 1e9])), min_size=1, max_size=30))
def test_types_are_the_distinct_rows(rows: list[tuple[int, float]]) -> None:
    table = np.array(rows, dtype=np.float64)
    found, times = distinct_rows(table)
    assert {tuple(row): int(n) for row, n in zip(found.tolist(), times, strict=True)} == {
        tuple(row): table.tolist().count(row) for row in table.tolist()
    }


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_the_binomial_test(only_a: int, only_b: int) -> None:
    expected = binomtest(only_a, only_a + only_b, 0.5).pvalue if only_a + only_b else 1.0
    assert mcnemar(only_a, only_b) == pytest.approx(expected, rel=1e-9)


def test_holm_by_hand() -> None:
    assert holm([]) == []
    assert holm([0.2]) == [0.2]
    # Sorted .01 .02 .03 .5: times 4, 3, 2, 1 is .04 .06 .06 .5.
    assert holm([0.03, 0.5, 0.01, None, 0.02]) == pytest.approx([0.06, 0.5, 0.04, None, 0.06])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
