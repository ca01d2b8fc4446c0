"""Standard errors, exact intervals, tied ranks, standardised differences and sample sizes, by hand or another road."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from falter.core.errors import UsageError
from falter.data.items import Probe
from falter.evaluation.measures import Comparison, ScoringSettings, find_measure, score_tables
from falter.evaluation.measures.comparisons import compare_tables
from falter.evaluation.measures.paired import PairedRuns, paired
from falter.evaluation.measures.planning import PairedRates, mcnemar_power, plan_pairs
from falter.evaluation.measures.standardised import standardised_differences, turned_signs
from falter.evaluation.measures.statistics import Shares, clopper_pearson, clustered_error, mcnemar
from falter.evaluation.runs.rankings import rank_paired, rank_values, tied_sets
from tests.measures.tables import items_of, probe, replies_of


def single(name: str, *, image: str, test: str = "t", kind: str = "k") -> Probe:
    return probe(name, "same", ["yes"], image_id=image, test=test, facets=[{"kind": kind}])


def answers(right: Sequence[bool]) -> pa.Table:
    return replies_of({f"p{number}.0": "yes" if one else "no" for number, one in enumerate(right)})


def joined(items: pa.Table, *replies: pa.Table, by: Sequence[str] = (), summaries: bool = False) -> PairedRuns:
    from falter.evaluation.measures import all_summaries

    measure = find_measure("acc")
    assert measure is not None
    own = all_summaries() if summaries else ()
    return paired(items, replies, measures=[measure], summaries=own, by=by, settings=ScoringSettings())


def compared(items: pa.Table, first: Sequence[bool], second: Sequence[bool]) -> Comparison:
    measure = find_measure("acc")
    assert measure is not None
    (one,) = compare_tables(items, answers(first), answers(second), measures=[measure]).comparisons
    return one


def test_the_standard_error_is_that_of_image_means_where_images_are_alike_in_size() -> None:
    # Four images of two questions: means 1, 0.5, 0, 0.5.
    rights = [True, True, True, False, False, False, False, True]
    items = items_of(*(single(f"p{number}", image=f"i{number // 2}") for number in range(8)))
    (score,) = (one for one in score_tables(items, answers(rights)) if one.measure == "acc")
    assert score.images == 4
    assert score.se == pytest.approx(np.std([1, 0.5, 0, 0.5], ddof=1) / 2)
    assert score.interval == "exact" and "|interval:exact|" in score.signature
    assert score.low < score.value < score.high  # type: ignore[operator]


def test_the_standard_error_and_the_exact_interval_of_images_of_unlike_size() -> None:
    # Images of 1, 2 and 3 questions. By image the sums of what is above the mean of 0.5: 0.5, 0, -0.5.
    images, rights = [0, 1, 1, 2, 2, 2], [True, True, False, False, False, True]
    items = items_of(*(single(f"p{number}", image=f"i{image}") for number, image in enumerate(images)))
    (score,) = (one for one in score_tables(items, answers(rights)) if one.measure == "acc")
    error = math.sqrt(3 / 2 * (0.5**2 + 0.5**2)) / 6
    assert (score.value, score.se) == pytest.approx((0.5, error))
    # By hand: 1, 2 and 3 questions tell as much as 36 / 14 images of one size (Kish). The hits, 1, 1 and 1, are in 3
    # images, the misses, 0, 1 and 2, in 9 / 5, which count (36 / 14 / 3) squared. The variance of the sums counts for
    # so many images, beside half of one where all are alike; the quantiles of t have 5 and 11 / 7 degrees of freedom.
    images = 36 / 14
    measured = (0.5**2 + 0.5**2) / 36 * images / (images - 1)
    carrying = min(3, 9 / 5) * (images / 3) ** 2
    variance = (measured * carrying + 0.25 / images / 2) / (carrying + 1 / 2)
    cases = 0.25 / max(variance, min(measured, 3 * 0.25 / images)) * (stdtrit(5, 0.975) / stdtrit(11 / 7, 0.975)) ** 2
    assert (score.low, score.high) == pytest.approx([float(end) for end in clopper_pearson(0.5, min(6, cases))])


@given(st.lists(st.booleans(), min_size=2, max_size=40))
def test_the_standard_error_of_independent_cases_is_the_usual_one(rights: list[bool]) -> None:
    part, n = np.array(rights, dtype=float), np.ones(len(rights))
    assert clustered_error(part, n) == pytest.approx(part.std(ddof=1) / np.sqrt(len(rights)))
    assert float(Shares.from_sums(np.stack([part, n], axis=1)).error()) == pytest.approx(clustered_error(part, n))


def test_the_exact_interval_is_the_published_one_and_never_a_point() -> None:
    # C. Clopper and E. Pearson, Biometrika 26 (1934): 3 of 10 is between 0.067 and 0.652.
    assert clopper_pearson(0.3, 10) == pytest.approx((0.0667, 0.6525), abs=1e-4)
    # No case of 30: the rule of three, a little above 3 / 30 as the level is 97.5 % on one side.
    assert clopper_pearson(0.0, 30) == pytest.approx((0.0, 1 - 0.025 ** (1 / 30)))
    items = items_of(*(single(f"p{number}", image=f"i{number}") for number in range(20)))
    (score,) = (one for one in score_tables(items, answers([True] * 20)) if one.measure == "acc")
    assert (score.low, score.high) == pytest.approx((0.025 ** (1 / 20), 1.0))


@pytest.mark.parametrize(
    ("images", "wrong", "kind"), [(200, 100, "exact"), (201, 100, "bootstrap"), (201, 49, "exact")]
)
def test_with_many_images_of_hits_and_of_misses_the_bootstrap_serves(images: int, wrong: int, kind: str) -> None:
    items = items_of(*(single(f"p{number}", image=f"i{number}") for number in range(images)))
    replies = answers([number >= wrong for number in range(images)])
    (score,) = (one for one in score_tables(items, replies) if one.measure == "acc")
    assert (score.images, score.interval) == (images, kind)
    assert ("|interval:exact|" in score.signature) == (kind == "exact")


def test_runs_that_cannot_be_ordered_share_a_rank() -> None:
    rng = np.random.default_rng(1)
    rights = [rng.random(300) < rate for rate in (0.6, 0.95, 0.62, 0.2)]
    items = items_of(*(single(f"p{number}", image=f"i{number}") for number in range(300)))
    (found,) = rank_paired(joined(items, *map(answers, rights)))
    assert [one.run for one in found.runs] == sorted(range(4), key=lambda run: -rights[run].mean())
    assert {one.run: one.places for one in found.runs} == {1: "1", 0: "2–3", 2: "2–3", 3: "4"}
    assert {frozenset(own) for own in found.sets} == {frozenset({1}), frozenset({0, 2}), frozenset({3})}
    assert not found.is_decisive
    assert found.in_words("abcd").split("; ")[0] == "1 b"
    # Two runs are ordered exactly where the comparison of the two alone says so, before the correction for six.
    for one, other in combinations(range(4), 2):
        alone = compared(items, rights[one].tolist(), rights[other].tolist())
        tied = other in next(each for each in found.runs if each.run == one).tied
        assert (alone.better is None) == tied


ORDERS = st.integers(1, 7).flatmap(
    lambda size: st.lists(st.booleans(), min_size=size * size, max_size=size * size).map(
        lambda flags: np.triu(np.array(flags).reshape(size, size), 1)
    )
)


@given(ORDERS)
def test_tied_sets_are_the_largest_sets_without_an_order(better: np.ndarray) -> None:
    size = len(better)
    ordered = better | better.T

    def free(members: Sequence[int]) -> bool:
        return not any(ordered[one, other] for one, other in combinations(members, 2))

    every = [set(own) for length in range(1, size + 1) for own in combinations(range(size), length) if free(own)]
    largest = [own for own in every if not any(own < other for other in every)]
    found = tied_sets(range(size), better)
    assert sorted(map(sorted, found)) == sorted(map(sorted, largest))
    for one in rank_values(np.arange(size, 0, -1.0), better):
        assert 1 <= one.rank <= one.last <= size
        assert all(any({one.run, other} <= set(own) for own in found) for other in one.tied)


def test_a_difference_that_rests_on_the_mix_of_kinds_turns_its_sign() -> None:
    # 300 easy pairs, where the second run leads by 10 points, and 60 hard ones, where the first leads by 40.
    first = [n % 10 < 8 for n in range(300)] + [n % 10 < 8 for n in range(60)]
    second = [n % 10 < 9 for n in range(300)] + [n % 10 < 4 for n in range(60)]
    kinds = ["easy"] * 300 + ["hard"] * 60
    items = items_of(*(single(f"p{n}", image=f"i{n}", kind=kind, test=kind) for n, kind in enumerate(kinds)))
    runs = joined(items, answers(first), answers(second), by=["kind"], summaries=True)
    found = {(one.group.test, one.facet): one for one in standardised_differences(runs, ["kind"])}
    assert set(found) == {("overall", "test"), ("overall", "kind")}
    whole = found["overall", "kind"]
    assert whole.difference == pytest.approx((300 * 0.1 - 60 * 0.4) / 360)
    assert whole.standardised == pytest.approx((0.1 - 0.4) / 2)
    assert whole.standardised_low < whole.standardised < whole.standardised_high < 0
    assert [one.facet for one in turned_signs(runs, ["kind"])] == ["test", "kind"]
    assert whole.in_words(("a", "b"), "ACC") == (
        "ACC in s:overall: b leads by 1.7 points, but a by 15.0 where each kind counts the same"
    )


def test_a_warning_about_the_mix_says_over_how_many_cases_it_is() -> None:
    first = [n % 10 < 8 for n in range(300)] + [n % 10 < 8 for n in range(60)] + [True] * 40
    second = [n % 10 < 9 for n in range(300)] + [n % 10 < 4 for n in range(60)] + [True] * 40
    kinds = ["easy"] * 300 + ["hard"] * 60
    items = items_of(
        *(single(f"p{n}", image=f"i{n}", kind=kind) for n, kind in enumerate(kinds)),
        *(probe(f"p{n}", "same", ["yes"], image_id=f"i{n}", test="t") for n in range(360, 400)),
    )
    (found,) = turned_signs(joined(items, answers(first), answers(second), by=["kind"]), ["kind"])
    assert (found.n, found.of) == (360, 400)
    assert "b leads by 1.7 points over the 360 of 400 cases with a kind, but a by 15.0" in found.in_words("ab", "ACC")


def test_the_power_of_mcnemar_is_what_counting_every_outcome_gives() -> None:
    pairs, only_first, only_second = 12, 0.1, 0.5
    expected = 0.0
    from math import comb

    for a in range(pairs + 1):
        for b in range(pairs - a + 1):
            chance = (
                comb(pairs, a)
                * comb(pairs - a, b)
                * only_first**a
                * only_second**b
                * (1 - only_first - only_second) ** (pairs - a - b)
            )
            expected += chance * (b > a and mcnemar(a, b) < 0.05)
    assert mcnemar_power(pairs, only_first, only_second) == pytest.approx(expected)


@pytest.mark.parametrize(("detect", "disagreement", "power"), [(0.02, 0.1, 0.8), (0.05, 0.3, 0.9), (0.1, 0.1, 0.8)])
def test_the_planned_number_of_pairs_reaches_the_promised_power(
    detect: float, disagreement: float, power: float
) -> None:
    plan = plan_pairs(detect, PairedRates(disagreement=disagreement), power=power)
    rates = [(disagreement - detect) / 2, (disagreement + detect) / 2, 1 - disagreement]
    drawn = np.random.default_rng(7).multinomial(plan.pairs, rates, size=1000)
    found = np.mean([b > a and mcnemar(int(a), int(b)) < 0.05 for a, b, _ in drawn])
    assert abs(found - power) <= 0.03
    assert power <= plan.reached < power + 0.006
    # Fewer pairs do not do.
    assert mcnemar_power(int(0.9 * plan.pairs), *rates[:2]) < power


def clustered_power(simulations: int) -> float:
    """How often compare finds a difference between simulated runs of the planned size, four pairs to an image."""
    detect, per_image, keep = 0.08, 4, 0.5
    rates = np.array([0.06, 0.06 + detect])
    # A pair repeats what its image drew with probability ``keep``: the correlation of two pairs is keep squared.
    effect = 1 + (per_image - 1) * keep**2
    plan = plan_pairs(
        detect, PairedRates(disagreement=float(rates.sum()), design_effect=effect, pairs_per_image=per_image)
    )
    images = plan.images
    items = items_of(*(single(f"p{number}", image=f"i{number // per_image}") for number in range(images * per_image)))
    found = 0
    for number in range(simulations):
        rng = np.random.default_rng([11, number])
        own = rng.random(images * per_image)
        shared = np.repeat(rng.random(images), per_image)
        drawn = np.where(rng.random(len(own)) < keep, shared, own)
        first = (drawn < rates[0]) | (drawn > 0.5)
        second = ((drawn > rates[0]) & (drawn < rates.sum())) | (drawn > 0.5)
        one = compared(items, first.tolist(), second.tolist())
        found += one.better == "second"
    return found / simulations


def test_a_plan_with_a_design_effect_holds_for_clustered_pairs_too() -> None:
    # 60 simulations: within three standard errors of what the long form measures.
    assert abs(clustered_power(60) - 0.8) <= 0.03 + 3 * (0.16 / 60) ** 0.5


@pytest.mark.soak
def test_a_plan_with_a_design_effect_reaches_its_power_within_three_points() -> None:
    assert abs(clustered_power(1000) - 0.8) <= 0.03


@pytest.mark.parametrize(
    ("detect", "disagreement", "power", "told"),
    [(0.0, 0.1, 0.8, "--detect 0"), (0.2, 0.1, 0.8, "disagree"), (0.02, 0.1, 1.0, "--power 1")],
)
def test_a_plan_that_makes_no_sense_is_refused(detect: float, disagreement: float, power: float, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        plan_pairs(detect, PairedRates(disagreement=disagreement), power=power)
