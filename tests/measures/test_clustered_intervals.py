"""Clustered errors and exact intervals against resampling, binomial tails and repeated sampling, by other roads."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from falter.evaluation.measures.statistics import Shares, clopper_pearson, clustered_error
from tests.measures.test_honest_statistics import answers, items_of, joined, single


def exact(part: np.ndarray, n: np.ndarray) -> tuple[float, float]:
    ends = Shares.from_sums(np.stack([part, n], axis=1)).exact()
    return float(ends.low), float(ends.high)


def tail_bound(found: int, cases: int, *, lower: bool) -> float:
    """The end of the exact interval, by halving the range until the binomial tail is 2.5 %."""

    def tail(share: float) -> float:
        counted = range(found, cases + 1) if lower else range(found + 1)
        return sum(comb(cases, k) * share**k * (1 - share) ** (cases - k) for k in counted)

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if (tail(middle) < 0.025) == lower:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@pytest.mark.parametrize(("found", "cases"), [(1, 9), (7, 23), (22, 41)])
def test_the_exact_interval_leaves_two_and_a_half_per_cent_at_either_end(found: int, cases: int) -> None:
    interval = clopper_pearson(found / cases, cases)
    assert interval == pytest.approx(
        (tail_bound(found, cases, lower=True), tail_bound(found, cases, lower=False)), abs=1e-9
    )


def test_three_questions_that_always_go_together_count_as_one() -> None:
    # 10 images of three questions, in 4 of which all are right: between the intervals of 4 of 10 and of 2 of 5 images.
    part, n = np.array([3.0] * 4 + [0.0] * 6), np.full(10, 3.0)
    low, high = exact(part, n)
    assert tail_bound(2, 5, lower=True) < low < tail_bound(4, 10, lower=True)
    assert tail_bound(4, 10, lower=False) < high < tail_bound(2, 5, lower=False)
    # Where all are right, an image is a case, however many questions it has.
    assert exact(np.full(10, 3.0), n) == pytest.approx((0.025 ** (1 / 10), 1))


def test_the_standard_error_of_images_of_all_sizes_is_the_spread_over_samples_of_images() -> None:
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 12, size=200)
    rates = rng.beta(2, 2, size=200)
    part = rng.binomial(sizes, rates).astype(float)
    drawn = rng.integers(0, 200, size=(4000, 200))
    spread = (part[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)).std(ddof=1)
    assert clustered_error(part, sizes.astype(float)) == pytest.approx(spread, rel=0.04)
    # As if independent, it would be a third too small.
    share = part.sum() / sizes.sum()
    assert np.sqrt(share * (1 - share) / sizes.sum()) < 0.8 * spread


def test_the_interval_of_a_standardised_difference_is_the_spread_over_samples_of_images() -> None:
    from falter.evaluation.measures.standardised import standardised_differences

    rng = np.random.default_rng(8)
    kinds = rng.choice(["easy", "hard"], size=240, p=[0.8, 0.2])
    images = np.arange(240) // 2
    first = rng.random(240) < np.where(kinds == "easy", 0.8, 0.7)
    second = rng.random(240) < np.where(kinds == "easy", 0.9, 0.4)
    items = items_of(
        *(single(f"p{number}", image=f"i{image}", kind=str(kinds[number])) for number, image in enumerate(images))
    )
    runs = joined(items, answers(first.tolist()), answers(second.tolist()), by=["kind"])
    (found,) = (one for one in standardised_differences(runs, ["kind"]) if one.facet == "kind")
    drawn = []
    for _ in range(2000):
        rows = (2 * rng.integers(0, 120, size=120)[:, None] + np.arange(2)).ravel()
        lead = second[rows].astype(float) - first[rows]
        drawn.append(np.mean([lead[kinds[rows] == kind].mean() for kind in ("easy", "hard")]))
    assert found.standardised == pytest.approx(
        np.mean([np.mean(second[kinds == kind]) - np.mean(first[kinds == kind]) for kind in ("easy", "hard")])
    )
    half = (found.standardised_high - found.standardised_low) / 2
    assert half == pytest.approx(1.96 * np.std(drawn, ddof=1), rel=0.06)
