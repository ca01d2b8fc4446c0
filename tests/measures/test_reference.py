"""Random outcomes of every kind, against plain loops."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.data.items import Probe
from falter.evaluation.measures.scoring import score_tables
from falter.evaluation.score_options import ScoreOptions

from . import reference
from .tables import items_of, probe, replies_of

ANSWERS = ["yes", "no", "Yes.", "the red", "red", "blue", "two", "2", "perhaps", "", "."]
CHOICES = [("yes", "no"), ("no", "yes"), ("red", "blue"), ("red", "blue", "2"), ("blue", "a red", "2", "yes"), None]


@st.composite
def probes(draw: st.DrawFn, number: int) -> Probe:
    members = draw(st.integers(1, 4))
    choices = draw(st.sampled_from(CHOICES))
    answer = st.sampled_from(["yes", "no", "red", "blue", "2"])
    people = st.none() | st.lists(answer, min_size=0, max_size=10)
    test = draw(st.sampled_from(["rephrase", "negation", "order"]))
    return probe(
        f"p{number}",
        {"rephrase": "same", "negation": "different", "order": "each"}[test],
        [draw(answer) for _ in range(members)],
        test=test,
        image_id=draw(st.none() | st.sampled_from(["i", "j", "k"])),
        choices=choices,
        answers=[draw(people) for _ in range(members)] if draw(st.booleans()) else None,
        item_ids=[f"item{draw(st.integers(0, 12))}" for _ in range(members)],
    )


@st.composite
def suites(draw: st.DrawFn) -> list[Probe]:
    return [draw(probes(number)) for number in range(draw(st.integers(0, 8)))]


said = st.sampled_from(
    [*ANSWERS, None, "!unparsed", "!unparsed I see.", "!unparsed i see", "!unparsed 2", "!failed", "!unsupported"]
)


@given(suites(), st.dictionaries(st.integers(0, 12).map("item{}".format), said, max_size=13))
@settings(max_examples=150, deadline=None)
def test_measures_agree_with_plain_loops(suite: list[Probe], replies: dict[str, str | None]) -> None:
    table = replies_of(replies)
    by_item = {row["item_id"]: (row["status"], row["answer"]) for row in table.to_pylist()}
    texts = {row["item_id"]: row["text"] for row in table.to_pylist()}
    expected = reference.measure(suite, by_item, texts)
    totals = reference.totals(suite, by_item, texts)
    found: dict[str, set[str]] = {}
    # Without their texts, open questions have no rules of their own; test_open_questions has those.
    for score in score_tables(items_of(*suite).drop_columns(["text"]), table, ScoreOptions(n_resamples=20)):
        found.setdefault(score.group.test, set()).add(score.measure)
        value, n = (expected | totals)[score.group.test].get(score.measure, (None, 0))
        assert (score.n, score.measure) == (n, score.measure)
        assert score.value == (None if value is None else pytest.approx(value))
        if score.low is not None:
            assert score.high is not None
            assert -1e-9 <= score.low <= score.high <= 1 + 1e-9
    for test, values in expected.items():
        several = any(
            len(one.variants) > 1 or one.original.expects == "each" for one in suite if one.original.test == test
        )
        hidden = set() if several else {"set_acc", "set_cons"}
        if test == "order":
            hidden |= {"cons", "cons_strict", "cons_independent", "set_cons"}
        shown = {name for name, (_, n) in values.items() if n} - hidden
        assert shown <= found[test]
