"""What a measure from outside can be: items, pairs, sets, strata of a facet, rows; and how tests are summarized."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from falter.data.items import Probe
from falter.evaluation.measures import (
    ANSWERS,
    DIFFER,
    ONE,
    Measure,
    ScoringSettings,
    Summary,
    Sums,
    all_measures,
    all_summaries,
    compare_tables,
    correct,
    o,
    score_tables,
    v,
)
from falter.evaluation.measures.outcomes.frame import outcomes
from falter.evaluation.measures.results import Score
from falter.evaluation.score_options import ScoreOptions

from .tables import items_of, probe, replies_of

PARTITIONS = [
    probe(f"p{n}", "same", ["yes"] * 4, image_id=f"i{n // 2}", facets=[{}, *({"level": str(k)} for k in (1, 2, 3))])
    for n in range(12)
]
FALLING = {
    f"p{n}.{k}": "yes" if n % 4 >= k else "no" for n in range(12) for k in range(4)
}  # Right about all originals, 9 of level 1, 6 of level 2, 3 of level 3.


def scores_of(measure: Measure, probes: list[Probe], replies: dict[str, str | None], **options: object) -> list[Score]:
    found = score_tables(items_of(*probes), replies_of(replies), ScoreOptions(**options), measures=[measure])
    return [score for score in found if score.measure == measure.name]


def drops(sums: Sums) -> np.ndarray:
    lost = (sums["original"] - sums["variant"]) / np.maximum(sums["n"], 1)
    return np.asarray(np.diff(lost, axis=-1).min(axis=-1))


BY_LEVEL = Measure(
    name="smallest_step",
    title="smallest step",
    description="The smallest step between the losses of two levels.",
    grain="pair",
    by=("facet:level",),
    sums={"original": correct(o), "variant": correct(v), "n": ONE},
    finalize=drops,
    scale="difference",
)


def test_strata_of_a_facet_are_kept_apart_for_the_finisher() -> None:
    (found,) = scores_of(BY_LEVEL, PARTITIONS, FALLING)
    assert (found.value, found.n) == (pytest.approx(3 / 12), 36)
    # Six images are too few for what is no share.
    assert (found.low, found.interval) == (None, "none")
    # A suite without the facet has no such score.
    assert scores_of(BY_LEVEL, [probe("q", "same", ["yes", "yes"])], {"q.0": "yes", "q.1": "no"}) == []


def test_a_facet_limits_the_rows() -> None:
    first = Measure(
        name="first",
        title="first",
        description="Accuracy on the first level.",
        grain="pair",
        where=pl.col("facet:level") == "1",
        sums={"part": correct(v), "n": ONE},
    )
    (whole, *by_image) = scores_of(first, PARTITIONS, FALLING, by=["level"])
    assert (whole.value, whole.n) == (9 / 12, 12)
    assert [(one.group.value, one.value) for one in by_image] == [("1", 9 / 12)]


def test_a_measure_of_items() -> None:
    says_yes = Measure(
        name="precision_of_yes",
        title="precision",
        description="Of the items that are answered with yes, the share whose gold is yes.",
        grain="item",
        sums={"part": pl.col("says_yes") & pl.col("gold_yes"), "n": pl.col("says_yes")},
    )
    probes = [probe(f"p{n}", "different", ["yes", "no"], image_id=f"i{n}") for n in range(4)]
    replies = {f"p{n}.{k}": "yes" for n in range(4) for k in (0, 1)} | {"p3.1": "no", "p2.1": "!failed"}
    (found,) = scores_of(says_yes, probes, replies)
    assert (found.value, found.n) == (4 / 6, 6)


def test_a_measure_of_sets_aggregates_the_pairs_of_a_probe() -> None:
    any_right = Measure(
        name="any_right",
        title="any",
        description="The share of probes with a variant that is answered correctly.",
        grain="set",
        where=ANSWERS.first(),
        sums={"part": correct(v).any(), "n": ONE},
    )
    (found,) = scores_of(any_right, PARTITIONS, FALLING)
    assert (found.value, found.n) == (9 / 12, 12)


def test_a_single_question_has_accuracy_and_rates_and_nothing_of_two_answers() -> None:
    probes = [probe(f"p{n}", "each", ["yes"], image_id=f"i{n}") for n in range(4)]
    replies = {"p0.0": "yes", "p1.0": "no", "p2.0": "yes", "p3.0": "!failed"}
    found = {one.measure: one for one in score_tables(items_of(*probes), replies_of(replies))}
    assert (found["acc"].value, found["acc"].n) == (2 / 3, 3)
    assert (found["yes_rate"].value, found["yes_rate"].n) == (2 / 3, 3)
    assert (found["pairs"].value, found["failed"].value, found["failed"].n) == (0, 1, 4)
    assert not {"cons", "c_acc", "set_acc", "acc_original"} & set(found)


def test_a_truncated_reply_counts_as_incorrect_and_apart() -> None:
    probes = [probe(f"p{n}", "same", ["yes", "yes"], image_id=f"i{n}") for n in range(2)]
    replies = {"p0.0": "yes", "p0.1": "!truncated", "p1.0": "yes", "p1.1": "yes"}
    found = {one.measure: one.value for one in score_tables(items_of(*probes), replies_of(replies))}
    assert (found["acc"], found["cons"], found["truncated"], found["unparsed"]) == (3 / 4, 1 / 2, 1, 0)


def test_the_frame_has_a_row_per_item_and_equal_items_share_a_reply() -> None:
    probes = [
        probe("p", "same", ["yes", "yes"], image_id="i", facets=[{"type": "a"}, {}]),
        probe("q", "same", ["yes", "no"], image_id="j", item_ids=["p.0", "q.1"]),
        probe("r", "each", ["no"]),
    ]
    found = outcomes(items_of(*probes), replies_of({"p.0": "Yes!", "p.1": "yes", "q.1": "blue"}), facets=None, ids=True)
    table = found.items()
    assert table["outcome"].to_list() == ["correct", "correct", "correct", "off_list", "missing"]
    assert table["probe"].to_list() == [0, 0, 1, 1, 2]
    assert table["reply"][0] == table["reply"][2] != table["reply"][1]
    assert table["answer"][0] == table["answer"][1] > 0
    assert table["answer"][4] == table["reply"][4] == 0
    assert table["cluster"].to_list() == [0, 0, 1, 1, 2]
    assert table["facet:type"].to_list() == ["a", None, None, None, None]
    assert table["answer_text"].to_list() == ["Yes!", "yes", "Yes!", "blue", None]
    pairs = found.table_of_pairs()
    assert pairs["variant_outcome"].to_list() == ["correct", "off_list", None]
    assert pairs["included"].to_list() == [True, True, False]


def test_a_summary_takes_the_tests_it_names() -> None:
    probes = [
        probe(f"{test}{n}", "same", ["yes", "yes"], test=test, image_id=f"i{n}")
        for test in ("a", "b", "c")
        for n in range(2)
    ]
    wrong = {"a": 1, "b": 2, "c": 0}
    replies = {f"{test}{n}.{k}": "no" if n < wrong[test] else "yes" for test in wrong for n in range(2) for k in (0, 1)}
    summaries = all_summaries(
        [
            Summary(name="a and b", how="mean", tests=("a", "b"), where=ANSWERS),
            Summary(name="pooled", how="pooled", tests=("b", "c"), where=ANSWERS),
        ]
    )
    found = {
        one.group.test: one
        for one in score_tables(items_of(*probes), replies_of(replies), summaries=summaries)
        if one.measure == "c_acc"
    }
    assert found["a and b"].value == pytest.approx((1 / 2 + 0) / 2)
    assert "|mean-of:2|" in found["a and b"].signature
    assert (found["pooled"].value, found["pooled"].n) == (2 / 4, 4)
    assert [one.name for one in all_summaries()] == ["all", "mean", "overall", "same", "different"]


@pytest.mark.bundle("carets")
def test_carets_has_the_mean_of_rephrasing_and_order_by_kind_of_question() -> None:
    """Table 4 of the paper: each test counts the same, whatever its number of pairs."""
    sizes = {
        ("rephrase", "binary"): 4,
        ("rephrase", "multi-choice"): 2,
        ("order", "binary"): 2,
        ("negation", "binary"): 3,
    }
    probes = [
        probe(
            f"{test}{kind}{n}", "same", ["yes", "yes"], suite="carets", test=test, image_id=f"i{n}",
            facets=[{"question": kind, "choices": "binary" if kind == "binary" else "2"}] * 2,
        )
        for (test, kind), size in sizes.items()
        for n in range(size)
    ]  # fmt: skip
    wrong = {("rephrase", "binary"): 1, ("rephrase", "multi-choice"): 2, ("order", "binary"): 1}
    replies = {
        item.item_id: "no" if n < wrong.get((test, kind), 0) else "yes"
        for (test, kind), size in sizes.items()
        for n in range(size)
        for one in probes
        if one.probe_id == f"{test}{kind}{n}"
        for item in one.items
    }
    found = {
        (one.group.facet, one.group.value): one.value
        for one in score_tables(items_of(*probes), replies_of(replies), ScoreOptions(n_resamples=0))
        if one.group.test == "rephrase-and-order" and one.measure == "c_acc"
    }
    assert found == {
        (None, None): pytest.approx((3 / 6 + 1 / 2) / 2),
        ("question", "binary"): pytest.approx((3 / 4 + 1 / 2) / 2),
        ("question", "multi-choice"): 0,
        ("choices", "binary"): pytest.approx((3 / 4 + 1 / 2) / 2),
        ("choices", "2"): 0,
    }


def test_less_can_be_better_and_neither_end_has_no_verdict() -> None:
    probes = [probe(f"p{n}", "same", ["yes", "yes"], image_id=f"i{n}") for n in range(40)]
    steady = replies_of({f"p{n}.{k}": "yes" for n in range(40) for k in (0, 1)})
    flips = replies_of({f"p{n}.{k}": ("yes", "no")[k] for n in range(40) for k in (0, 1)})
    shared = {"title": "x", "description": "x.", "grain": "pair", "sums": {"part": DIFFER, "n": ONE}}
    ways = [Measure(name=f"flips {way}", higher_is_better=way, **shared) for way in (True, False, None)]  # type: ignore[arg-type]
    found = compare_tables(
        items_of(*probes), steady, flips, measures=ways, settings=ScoringSettings(ScoreOptions(n_resamples=100))
    ).comparisons
    assert [one.better for one in found] == ["second", "first", None]
    assert {one.difference for one in found} == {1.0}


def test_a_measure_needs_a_count() -> None:
    with pytest.raises(ValueError, match="count"):
        Measure(name="x", title="x", description="x.", grain="pair", sums={"part": ONE})


def test_ids_are_unique_and_every_headline_measure_has_a_direction() -> None:
    measures = all_measures()
    assert len({one.name for one in measures}) == len({one.title for one in measures}) == len(measures)
    assert all(one.higher_is_better is not None for one in measures if one.headline)
