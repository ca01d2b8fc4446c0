"""Single open questions: accuracy by the official and by the careful rule, side by side."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from msgspec.structs import replace

from falter.data.items import Probe
from falter.evaluation.measures import Score
from falter.evaluation.measures.scoring import score_tables
from falter.evaluation.score_options import ScoreOptions
from tests.measures.tables import items_of, probe, replies_of

QUESTIONS = [
    ("On which side is the cup?", "right", "Right side"),
    ("On which side is the cup?", "right", "left"),
    ("What is it?", "dog", "Dog"),
    ("What is it?", "dog", "hot dog"),
    ("Are there mugs or cups?", "no", "Neither"),
    ("Is it clean?", "no", "Not sure"),
]


def open_probe(number: int, question: str, gold: str, people: list[str] | None = None) -> Probe:
    (item,) = probe(f"p{number}", "same", [gold], choices=None, image_id=f"i{number}").items
    return Probe((replace(item, text=question, answers=None if people is None else tuple(people)),))


def scored(items: pa.Table, replies: pa.Table, **settings: Any) -> dict[str, Score]:
    return {one.measure: one for one in score_tables(items, replies, ScoreOptions(**settings))}


def test_both_rules_stand_side_by_side() -> None:
    items = items_of(*(open_probe(n, question, gold) for n, (question, gold, _) in enumerate(QUESTIONS)))
    found = scored(items, replies_of({f"p{n}.0": said for n, (_, _, said) in enumerate(QUESTIONS)}))
    assert (found["acc_official"].value, found["acc_official"].n) == (pytest.approx(1 / 6), 6)
    assert (found["acc_careful"].value, found["acc_careful"].n) == (pytest.approx(3 / 6), 6)
    assert found["rules_differ"].value == 2
    assert "|open:official|" in found["acc_official"].signature
    assert "|open:careful-3|" in found["acc_careful"].signature
    assert found["acc_careful"].low is not None


def test_where_humans_answered_the_official_rule_is_vqa_accuracy() -> None:
    people = ["couch"] * 2 + ["sofa"] * 2 + ["chair"] * 6
    items = items_of(open_probe(0, "What is it?", "chair", people), open_probe(1, "What is it?", "chair", people))
    found = scored(items, replies_of({"p0.0": "couch", "p1.0": "Sofas."}), n_resamples=0)
    assert found["acc_official"].value == pytest.approx((0.6 + 0.0) / 2)
    assert found["acc_careful"].value == pytest.approx(1.0)


def test_a_reply_that_was_cut_off_is_incorrect_and_one_that_failed_is_excluded() -> None:
    items = items_of(*(open_probe(n, "What is it?", "dog") for n in range(4)))
    replies = replies_of({"p0.0": "dog", "p1.0": "!truncated dog", "p2.0": "!failed", "p3.0": "!unparsed a dog"})
    found = scored(items, replies, n_resamples=0)
    assert (found["acc_official"].value, found["acc_official"].n) == (pytest.approx(1 / 3), 3)
    assert (found["acc_careful"].value, found["acc_careful"].n) == (pytest.approx(2 / 3), 3)
    assert found["truncated"].value == 1


def test_an_answer_that_the_model_gave_itself_is_what_is_judged() -> None:
    items = items_of(open_probe(0, "What is it?", "dog"))
    replies = pa.Table.from_pylist(
        [{"item_id": "p0.0", "status": "ok", "answer": "dog", "text": "I see a cat.", "given": True}]
    )
    assert scored(items, replies, n_resamples=0)["acc_official"].value == 1.0


def test_questions_with_choices_or_variants_have_one_rule() -> None:
    items = items_of(probe("p0", "same", ["yes"]), probe("p1", "same", ["dog", "dog"], choices=None))
    found = scored(items, replies_of({"p0.0": "yes", "p1.0": "dog", "p1.1": "a dog"}), n_resamples=0)
    assert not {"acc_official", "acc_careful", "rules_differ"} & found.keys()
