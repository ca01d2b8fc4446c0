"""Every measure on tables small enough to compute by hand."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest

from falter.core.errors import InputError, UsageError
from falter.data.items import Probe
from falter.evaluation.measures.outcomes import outcomes
from falter.evaluation.measures.requirements import check_requirement, parse_requirement
from falter.evaluation.measures.results import Score
from falter.evaluation.measures.scoring import score_tables
from falter.evaluation.score_options import ScoreOptions

from .tables import items_of, probe, replies_of


def scores(probes: list[Probe], replies: dict[str, str | None], **settings: object) -> dict[str, Score]:
    found = score_tables(items_of(*probes), replies_of(replies), ScoreOptions(**settings))
    return {score.measure: score for score in found if score.group.facet is None}


def value(found: dict[str, Score], name: str) -> tuple[float | None, int]:
    return found[name].value, found[name].n


FOUR = [
    probe("p1", "same", ["yes", "yes"], image_id="i1"),
    probe("p2", "same", ["yes", "yes"], image_id="i1"),
    probe("p3", "same", ["no", "no"], image_id="i2"),
    probe("p4", "same", ["no", "no"], image_id="i3"),
]
FOUR_REPLIES = {
    "p1.0": "Yes.", "p1.1": "yes",  # right, right
    "p2.0": "yes", "p2.1": "no",  # right, wrong
    "p3.0": "yes", "p3.1": "yes",  # wrong, wrong
    "p4.0": "perhaps", "p4.1": "no",  # off the list, right
}  # fmt: skip


def test_pairs_that_should_agree() -> None:
    found = scores(FOUR, FOUR_REPLIES)
    assert value(found, "acc") == (4 / 8, 8)
    assert value(found, "acc_original") == (2 / 4, 4)
    assert value(found, "acc_perturbed") == (2 / 4, 4)
    assert value(found, "cons") == (2 / 4, 4)
    assert value(found, "cons_strict") == (2 / 4, 4)
    assert value(found, "c_acc") == (1 / 4, 4)
    assert value(found, "yes_rate") == (5 / 8, 8)
    assert value(found, "no_rate") == (2 / 8, 8)
    assert value(found, "other_rate") == (1 / 8, 8)
    assert value(found, "off_list_rate") == (1 / 8, 8)
    assert value(found, "first_choice_rate") == (None, 0)
    # Originals: right 1/2, wrong 1/4, off the list 1/4; variants: right 1/2, wrong 1/2.
    assert value(found, "cons_independent") == (1 / 2 * 1 / 2 + 1 / 4 * 1 / 2, 4)
    assert "set_acc" not in found
    assert "vqa_accuracy" not in found


def test_pairs_that_should_differ_and_answers_off_the_list() -> None:
    probes = [probe(f"p{number}", "different", ["yes", "no"], image_id=f"i{number}") for number in range(4)]
    found = scores(
        probes,
        {
            "p0.0": "yes", "p0.1": "no",  # both right
            "p1.0": "no", "p1.1": "yes",  # both wrong, and yet consistent
            "p2.0": "yes", "p2.1": "purple",  # differ by the formula only
            "p3.0": "yes", "p3.1": "!unparsed",  # differ by the formula only
        },
    )  # fmt: skip
    assert value(found, "cons") == (1, 4)
    assert value(found, "cons_strict") == (2 / 4, 4)
    assert value(found, "c_acc") == (1 / 4, 4)
    assert value(found, "acc") == (4 / 8, 8)
    assert found["unparsed"].value == 1
    # right 3/4, wrong 1/4 | right 1/4, wrong 1/4, the rest equal to nothing: all but r1 w2 + w1 r2.
    assert value(found, "cons_independent") == (1 - (3 / 4 * 1 / 4 + 1 / 4 * 1 / 4), 4)


def test_always_yes_is_never_consistent_where_the_answer_must_change() -> None:
    probes = [
        probe(f"p{number}", "different", ["yes", "no"] if number % 2 else ["no", "yes"], image_id=f"i{number // 3}")
        for number in range(10)
    ]
    found = scores(probes, {f"p{number}.{side}": "yes" for number in range(10) for side in (0, 1)})
    for name, expected in {"cons": 0, "cons_strict": 0, "c_acc": 0, "acc": 0.5, "yes_rate": 1}.items():
        assert found[name].value == expected
    # Ten pairs about images of three, three, three and one: as many as 100 / 28 images of one size.
    assert (found["cons"].low, found["cons"].high) == (0, pytest.approx(1 - 0.025 ** (28 / 100)))
    assert found["cons_independent"].value == 0.5


def test_the_oracle_is_perfect() -> None:
    found = scores(
        FOUR, {f"p{number}.{side}": "yes" if number < 3 else "no" for number in range(1, 5) for side in (0, 1)}
    )
    for name in ("acc", "cons", "cons_strict", "c_acc"):
        assert (found[name].value, found[name].high, found[name].interval) == (1, 1, "exact")
        assert 0 < (found[name].low or 0) < 0.5


def test_unparsed_counts_as_wrong_and_what_was_not_had_is_left_out() -> None:
    found = scores(
        [probe(f"p{number}", "same", ["yes", "yes"], image_id="i") for number in range(7)],
        {
            "p0.0": "yes", "p0.1": "!unparsed",
            "p1.0": "yes", "p1.1": "!failed",
            "p2.0": "yes",
            "p3.0": "!unsupported", "p3.1": "!failed",
            "p4.0": "!failed",
            "p5.0": "yes", "p5.1": None,  # ok without an answer: nothing to read
            "p6.0": "yes", "p6.1": " . ",  # nothing is left of it
        },
    )  # fmt: skip
    counts = {name: found[name].value for name in ("pairs", "unparsed", "unsupported", "failed", "missing")}
    assert counts == {"pairs": 7, "unparsed": 3, "unsupported": 1, "failed": 2, "missing": 1}
    assert value(found, "acc") == (1 / 2, 6)
    assert value(found, "cons") == (0, 3)


def test_consistency_is_of_replies_whatever_they_are_and_strictly_of_choices() -> None:
    """CARETS compares normalized predictions: equal refusals are consistent where the answer must stay."""
    replies = {
        "p0.0": "yes", "p0.1": "Yes.",
        "p1.0": "!unparsed I cannot see it.", "p1.1": "!unparsed i cannot see it",
        "p2.0": "!unparsed I cannot see it.", "p2.1": "!unparsed It is too dark.",
        "p3.0": "!unparsed I cannot see it.", "p3.1": "yes",
        "p4.0": "purple", "p4.1": "purple",
    }  # fmt: skip
    same = [probe(f"p{number}", "same", ["yes", "yes"], image_id=f"i{number}") for number in range(5)]
    found = scores(same, replies)
    assert (value(found, "cons"), value(found, "cons_strict")) == ((3 / 5, 5), (1 / 5, 5))
    assert "|cons:replies|" in found["cons"].signature
    different = [probe(f"p{number}", "different", ["yes", "no"], image_id=f"i{number}") for number in range(5)]
    found = scores(different, replies)
    assert (value(found, "cons"), value(found, "cons_strict")) == ((2 / 5, 5), (0, 5))


def test_a_gate_on_consistency_does_not_take_refusals() -> None:
    probes = [probe(f"p{number}", "same", ["yes", "yes"], image_id=f"i{number}") for number in range(5)]
    refused = {item.item_id: "!unparsed I cannot see it." for one in probes for item in one.items}
    found = list(scores(probes, refused).values())
    for name in ("cons", "CONS"):
        result = check_requirement(parse_requirement(f"s.t.{name}>=0.5"), found)
        assert (result.score.measure, result.score.value, result.passed) == ("cons_strict", 0, False)


def test_what_was_said_is_the_answer_or_else_the_text() -> None:
    items = items_of(probe("p", "same", ["red"] * 8, choices=["red", "blue"]))
    replies = pa.table(
        {
            "item_id": [f"p.{number}" for number in range(7)],
            "status": ["ok", "ok", "unparsed", "unparsed", "truncated", "unparsed", "failed"],
            "answer": ["the red", "Green!", None, None, None, None, None],
            "text": ["It is red.", None, "I see nothing.", "i see nothing", "red", None, "the server was busy"],
        }
    )
    frame = outcomes(items, replies).frame
    red, green, nothing, again, cut_off, empty, failed, missing = frame["said"]
    assert nothing == again
    assert cut_off == red
    assert len({red, green, nothing, empty}) == 4
    assert (failed, missing) == (0, 0)
    assert frame["answer"].to_list() == [red, green, 0, 0, 0, 0, 0, 0]


def test_multiple_choice() -> None:
    colours = ["red", "green", "blue"]
    probes = [probe(f"p{n}", "same", ["green", "green"], choices=colours, image_id="i") for n in range(3)]
    found = scores(
        probes,
        {"p0.0": "a red", "p0.1": "Red", "p1.0": "green", "p1.1": "green", "p2.0": "green", "p2.1": "blue"},
    )
    assert value(found, "first_choice_rate") == (2 / 6, 6)
    assert value(found, "yes_rate") == (None, 0)
    assert value(found, "cons") == (2 / 3, 3)
    # Two of three right, the wrong third spread over two colours.
    assert found["cons_independent"].value == pytest.approx(2 / 3 * 1 / 3 + 1 / 3 * 2 / 3 / 2)


def test_independence_where_three_choices_must_differ() -> None:
    probes = [probe(f"p{n}", "different", ["red", "green"], choices=["red", "green", "blue"]) for n in range(2)]
    found = scores(probes, {"p0.0": "red", "p0.1": "green", "p1.0": "blue", "p1.1": "red"})
    # By side half right, half wrong. They meet when right meets wrong (each 1/4, one wrong choice in two is the other's
    # right one) and when both are wrong and name the third colour (1/4 of 1/4).
    assert found["cons_independent"].value == pytest.approx(1 - (1 / 4 + 1 / 4) / 2 - 1 / 4 / 4)


def test_open_questions_and_the_people_who_were_asked() -> None:
    ten = ["dog"] * 2 + ["puppy"] * 3 + ["cat"] * 5
    probes = [probe("p", "each", ["cat", "cat"], choices=None, answers=[ten, ten])]
    found = scores(probes, {"p.0": "dog", "p.1": "a puppy"})
    # Two of ten: (2 * 1/3 + 8 * 2/3) / 10 = 0.6; three of ten: (3 * 2/3 + 7 * 1) / 10 = 0.9.
    assert found["vqa_accuracy"].value == pytest.approx((0.6 + 0.9) / 2)
    assert value(found, "acc") == (1.0, 2)
    assert "cons" not in found
    assert "cons_independent" not in found
    loose = scores(probes, {"p.0": "dog", "p.1": "bird"}, vqa_rule="min3")
    assert loose["vqa_accuracy"].value == pytest.approx(2 / 3 / 2)
    assert "rule:min3" in loose["vqa_accuracy"].signature


def test_sets_are_right_only_whole() -> None:
    probes = [
        probe("p", "each", ["yes", "no", "yes"], image_id="i"),
        probe("q", "each", ["yes", "no", "yes"], image_id="j"),
        probe("r", "each", ["yes", "no"], image_id="j"),
    ]
    found = scores(
        probes,
        {
            "p.0": "yes",
            "p.1": "no",
            "p.2": "yes",
            "q.0": "yes",
            "q.1": "no",
            "q.2": "no",
            "r.0": "yes",
            "r.1": "!failed",
        },
    )
    assert value(found, "set_acc") == (1 / 2, 2)
    assert value(found, "c_acc") == (3 / 4, 4)
    assert value(found, "acc") == (7 / 8, 8)
    assert "set_cons" not in found
    tied = scores([probe("p", "same", ["yes"] * 3)], {"p.0": "no", "p.1": "no", "p.2": "no"})
    assert value(tied, "set_cons") == (1, 1)
    assert value(tied, "set_acc") == (0, 1)


def test_a_breakdown_takes_the_variants_value_before_the_originals() -> None:
    probes = [
        probe("p", "same", ["yes"] * 3, facets=[{"type": "object"}, {"blur": "3"}, {"blur": "9", "type": "action"}]),
        probe("q", "same", ["yes"] * 2, facets=[{}, {}]),
    ]
    replies = {"p.0": "yes", "p.1": "yes", "p.2": "no", "q.0": "yes", "q.1": "yes"}
    found = score_tables(items_of(*probes), replies_of(replies), ScoreOptions(by=("type", "blur")))
    by_value = {
        (score.group.facet, score.group.value): (score.value, score.n)
        for score in found
        if score.measure == "acc" and score.group.facet
    }
    assert by_value == {
        ("type", "action"): (0.5, 2),
        ("type", "object"): (1, 2),
        ("blur", "3"): (1, 2),
        ("blur", "9"): (0.5, 2),
    }
    assert any("|s:t|blur=9|" in score.signature for score in found)


def test_an_unknown_facet_names_those_there_are() -> None:
    probes = [probe("p", "same", ["yes"] * 2, facets=[{"type": "object"}, {"blur": "3"}])]
    with pytest.raises(UsageError, match="blur, type"):
        score_tables(items_of(*probes), replies_of({}), ScoreOptions(by=("colour",)))


def test_a_run_without_replies_has_counts_and_no_values() -> None:
    found = scores(FOUR, {})
    assert value(found, "acc") == (None, 0)
    assert value(found, "cons_independent") == (None, 0)
    assert (found["acc"].low, found["acc"].high) == (None, None)
    assert value(found, "missing") == (4, 4)


def test_a_suite_without_items_has_no_scores() -> None:
    assert score_tables(items_of(), replies_of({"x": "yes"})) == []


def test_a_single_image_has_a_value_but_no_interval() -> None:
    found = scores([probe("p", "same", ["yes", "yes"], image_id="i")], {"p.0": "yes", "p.1": "no"})
    assert (found["acc"].value, found["acc"].low, found["acc"].high) == (0.5, None, None)


def test_text_only_probes_are_clusters_of_their_own() -> None:
    probes = [probe(f"p{n}", "same", ["yes", "yes"]) for n in range(8)]
    replies = {f"p{n}.{side}": "yes" if n < 4 else "no" for n in range(8) for side in (0, 1)}
    found = scores(probes, replies)
    assert found["acc"].low is not None
    assert found["acc"].low < 0.5 < found["acc"].high


def test_matching_has_no_answer_measures() -> None:
    found = scores([probe("p", "prefer", ["yes", "no"], task="match", choices=None)], {"p.0": "yes", "p.1": "no"})
    matching = {"acc_r", "acc", "p_c", "p_f", "min_pc_pf", "auroc", "ties"}
    assert set(found) == {*matching, "pairs", "unparsed", "unsupported", "failed", "missing"}


def test_a_question_without_a_right_answer_is_refused() -> None:
    items = items_of(probe("p", "same", ["yes", None]))
    with pytest.raises(InputError, match="without a right answer"):
        score_tables(items, replies_of({}))


def test_rows_out_of_order_are_put_in_order_and_broken_probes_refused() -> None:
    items = items_of(*FOUR)
    shuffled = items.take(pa.array([7, 2, 0, 5, 1, 6, 3, 4]))
    assert {s.measure: s for s in score_tables(shuffled, replies_of(FOUR_REPLIES))} == scores(FOUR, FOUR_REPLIES)
    with pytest.raises(InputError, match="once each"):
        score_tables(items.slice(1), replies_of(FOUR_REPLIES))


def test_the_last_of_several_replies_counts() -> None:
    replies = pa.concat_tables([replies_of({"p1.0": "!failed", "p1.1": "yes"}), replies_of({"p1.0": "yes"})])
    found = {score.measure: score for score in score_tables(items_of(FOUR[0]), replies)}
    assert value(found, "acc") == (1, 2)


def test_an_unknown_status_is_refused() -> None:
    with pytest.raises(InputError, match="lost"):
        score_tables(items_of(*FOUR), replies_of({"p1.0": "!lost"}))


def test_the_table_of_outcomes() -> None:
    people = ["cat"] * 2 + ["dog"] * 8
    found = outcomes(
        items_of(
            probe("p", "same", ["yes", "yes"], image_id="i", facets=[{"type": "object"}, {}]),
            probe("q", "each", ["dog", "dog"], choices=None, answers=[people, None]),
        ),
        replies_of({"p.0": "Yes!", "p.1": "blue", "q.0": "cat", "q.1": "!failed"}),
        facets=None,
        ids=True,
    )
    frame = found.table_of_pairs()
    assert frame.row(0, named=True) == {
        "probe_id": "p", "variant": 1, "suite": "s", "test": "t", "task": "answer", "expects": "same", "image_id": "i",
        "facet:type": "object",
        "original_item_id": "p.0", "original_outcome": "correct", "original_answer": "Yes!", "original_correct": True,
        "original_credit": 1.0,
        "variant_item_id": "p.1", "variant_outcome": "off_list", "variant_answer": "blue", "variant_correct": False,
        "variant_credit": 0.0,
        "included": True, "consistent": False,
    }  # fmt: skip
    second = frame.row(1, named=True)
    assert second["original_credit"] == pytest.approx(0.6)
    assert (second["original_outcome"], second["variant_outcome"]) == ("correct", "failed")
    assert (second["variant_correct"], second["variant_answer"], second["consistent"]) == (None, None, None)
    assert second["included"] is False
    assert isinstance(frame, pl.DataFrame)
