"""Two runs on the same questions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from falter.evaluation.measures import Comparison, compare_tables
from falter.evaluation.measures.comparisons import ComparedRuns

from .tables import items_of, probe, replies_of


def by_measure(found: ComparedRuns) -> dict[str, Comparison]:
    return {one.measure: one for one in found.comparisons}


def test_by_hand() -> None:
    probes = [probe(f"p{n}", "same", ["yes", "yes"], image_id=f"i{n}") for n in range(5)]
    first = {
        "p0.0": "yes",
        "p0.1": "yes",
        "p1.0": "yes",
        "p1.1": "no",
        "p2.0": "no",
        "p2.1": "no",
        "p3.0": "yes",
        "p3.1": "yes",
    }
    second = {f"p{n}.{side}": "yes" for n in range(5) for side in (0, 1)} | {"p3.1": "!failed"}
    found = by_measure(compare_tables(items_of(*probes), replies_of(first), replies_of(second)))
    assert set(found) == {"acc", "cons", "c_acc"}
    acc, c_acc, cons = found["acc"], found["c_acc"], found["cons"]
    # p3 failed for the second, p4 is missing for the first: three pairs are left.
    assert (acc.first, acc.second, acc.n) == (3 / 6, 1, 6)
    assert acc.difference == 0.5
    assert (acc.only_first, acc.only_second, acc.p) == (0, 3, 0.25)
    assert (c_acc.first, c_acc.second, c_acc.n) == (1 / 3, 1, 3)
    assert (c_acc.only_first, c_acc.only_second, c_acc.p) == (0, 2, 0.5)
    assert (cons.only_first, cons.only_second, cons.p) == (0, 1, 1.0)
    assert [one.p_holm for one in found.values()] == pytest.approx([0.75, 1, 1])
    assert {one.better for one in found.values()} == {None}


def test_a_question_in_several_pairs_is_one_case() -> None:
    probes = [
        probe("p", "same", ["yes"] * 4, image_id="i"),
        probe("q", "same", ["yes"] * 2, image_id="j", item_ids=["p.0", "q.1"]),
    ]
    rest = {"p.1": "yes", "p.2": "yes", "p.3": "yes", "q.1": "yes"}
    found = by_measure(
        compare_tables(items_of(*probes), replies_of({"p.0": "yes", **rest}), replies_of({"p.0": "no", **rest}))
    )
    assert (found["acc"].only_first, found["acc"].only_second) == (1, 0)
    assert (found["c_acc"].only_first, found["c_acc"].only_second) == (4, 0)
    assert (found["set_acc"].only_first, found["set_acc"].only_second, found["set_acc"].n) == (2, 0, 2)


def test_a_clear_difference_is_found_and_turns_round() -> None:
    rng = np.random.default_rng(0)
    probes = [probe(f"p{n}", "different", ["yes", "no"], image_id=f"i{n % 60}") for n in range(300)]

    def answers(accuracy: float) -> dict[str, str]:
        return {
            item.item_id: item.gold if rng.random() < accuracy else {"yes": "no", "no": "yes"}[item.gold]
            for one in probes
            for item in one.items
        }

    weak, strong = answers(0.6), answers(0.8)
    there = by_measure(compare_tables(items_of(*probes), replies_of(weak), replies_of(strong)))
    back = by_measure(compare_tables(items_of(*probes), replies_of(strong), replies_of(weak)))
    c_acc = there["c_acc"]
    right = {
        name: [all(replies[item.item_id] == item.gold for item in one.items) for one in probes]
        for name, replies in (("weak", weak), ("strong", strong))
    }
    only = [
        sum(a and not b for a, b in zip(right[x], right[y], strict=True))
        for x, y in (("weak", "strong"), ("strong", "weak"))
    ]
    assert (c_acc.only_first, c_acc.only_second) == tuple(only)
    assert c_acc.p == pytest.approx(binomtest(only[0], sum(only)).pvalue)
    assert c_acc.better == "second"
    assert back["c_acc"].better == "first"
    assert c_acc.low is not None
    assert 0 < c_acc.low < c_acc.difference < c_acc.high
    assert back["c_acc"].difference == pytest.approx(-c_acc.difference)
    # The same run against itself: on as many as 1 - 0.025 ** (1 / 60) of the images either could be ahead, as none is.
    same = by_measure(compare_tables(items_of(*probes), replies_of(weak), replies_of(weak)))["acc"]
    assert (same.difference, same.p, same.better, same.interval) == (0, 1, None, "exact")
    assert (same.low, same.high) == pytest.approx(((0.025 ** (1 / 60) - 1), 1 - 0.025 ** (1 / 60)))


def test_runs_that_share_no_pair() -> None:
    probes = [probe("p", "same", ["yes", "yes"]), probe("q", "same", ["yes", "yes"])]
    first, second = {"p.0": "yes", "p.1": "yes"}, {"q.0": "yes", "q.1": "yes"}
    assert compare_tables(items_of(*probes), replies_of(first), replies_of(second)).comparisons == []
