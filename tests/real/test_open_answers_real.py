"""The replies of 14 models to questions of GQA: the labels of the table, both rules, and the verdicts of a reader."""

from __future__ import annotations

import ast
import csv
import json
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pytest

import falter
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite_writing import write_suite
from falter.evaluation.answers.open_answers import find_oddity, is_careful_match, is_exact_match
from falter.evaluation.answers.open_answers.reply_claims import given_answer

ROOT = Path(__file__).parents[2]
TABLE = ROOT.parent / "shared" / "data" / "gqa-replies" / "gqa_predictions_even_images.csv"
READINGS = ROOT / "docs" / "background" / "readings" / "open_answers.csv"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not TABLE.is_file(), reason="needs ../shared/data/gqa-replies beside the checkout"),
]

CONTRADICTING = {
    *(("22", "claude35_haiku"), ("201", "gemini25_pro"), ("705", "claude45_opus"), ("720", "gemma3_12b")),
    *(("852", "gemma3_12b"), ("1117", "gemma3_12b"), ("1429", "gpt5_1"), ("1898", "gemma3_12b")),
}
"""Index and model of the labels that contradict exact comparison."""


class Question(NamedTuple):
    index: str
    image: str
    text: str
    gold: str
    replies: dict[str, str]
    labels: dict[str, str]


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    csv.field_size_limit(1 << 20)
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    models = sorted(name.removeprefix("raw_response_") for name in rows[0] if name.startswith("raw_response_"))
    found = []
    for row in rows:
        asked = ast.literal_eval(row["question"])
        replies = {model: row[f"raw_response_{model}"] for model in models}
        labels = {model: row[f"label_{model}"] for model in models}
        found.append(
            Question(row["index"], str(asked["image_id"]), asked["question"], row["ground_truth"], replies, labels)
        )
    return found


@pytest.fixture(scope="module")
def correct(questions: list[Question]) -> dict[str, tuple[int, int]]:
    """By model how many replies are correct by the exact and by the careful rule."""
    return {
        model: (
            sum(is_exact_match(one.gold, one.replies[model]) for one in questions),
            sum(is_careful_match(one.text, one.gold, one.replies[model]) for one in questions),
        )
        for model in questions[0].replies
    }


def test_the_exact_rule_gives_the_labels_of_the_table(questions: list[Question]) -> None:
    wrong = {
        (one.index, model)
        for one in questions
        for model, reply in one.replies.items()
        if is_exact_match(one.gold, reply) != (one.labels[model] == "0.0")
    }
    assert len(questions) * len(questions[0].replies) == 13_608
    assert wrong == CONTRADICTING


def test_the_careful_rule_only_adds(questions: list[Question], correct: dict[str, tuple[int, int]]) -> None:
    differing = sum(careful - exact for exact, careful in correct.values())
    assert differing == 1267
    assert not any(
        is_exact_match(one.gold, reply) and not is_careful_match(one.text, one.gold, reply)
        for one in questions
        for reply in one.replies.values()
    )


def test_orders_of_models_turn(correct: dict[str, tuple[int, int]]) -> None:
    turned = [
        (one, two)
        for one, two in combinations(correct, 2)
        if (correct[one][0] - correct[two][0]) * (correct[one][1] - correct[two][1]) < 0
    ]
    assert len(turned) == 12
    assert ("gpt5_1", "gpt_4o") in turned


def test_odd_replies_are_counted(questions: list[Question]) -> None:
    odd = [find_oddity(reply) for one in questions for reply in one.replies.values()]
    assert (odd.count("log text"), odd.count("no answer"), odd.count("empty")) == (5, 46, 0)


def test_a_reader_agrees(questions: list[Question]) -> None:
    """The verdicts of the readings are about what the rules say now."""
    by_index = {one.index: one for one in questions}
    with READINGS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        one = by_index[row["index"]]
        reply = one.replies[row["model"]]
        assert (one.text, one.gold, given_answer(reply)) == (row["question"], row["gold"], row["answer"])
        judged = (is_exact_match(one.gold, reply), is_careful_match(one.text, one.gold, reply))
        assert judged == (row["official"] == "1", row["careful"] == "1")
    differing = [row["verdict"] for row in rows if row["sample"] == "differ"]
    agreed, wrong = differing.count("agreed"), differing.count("wrong")
    assert len(differing) == 300
    assert agreed / (agreed + wrong) >= 0.98


def test_through_the_program(questions: list[Question], tmp_path: Path) -> None:
    probes = [
        Probe.of(
            Item.make(
                suite="gqa",
                test="questions",
                probe_id=one.index,
                text=one.text,
                gold=one.gold,
                image=ImageRef(one.image),
                source_id=one.index,
            )
        )
        for one in questions
    ]
    write_suite(probes, tmp_path / "suite", name="gqa", images="none")
    for model in ("gemini25_pro", "gemma3_12b"):
        lines = [json.dumps({"source_id": one.index, "text": one.replies[model]}) for one in questions]
        (tmp_path / f"{model}.jsonl").write_text("\n".join(lines))
        falter.run(tmp_path / "suite", f"file:{tmp_path / model}.jsonl", out=tmp_path / "runs" / model)
    first, second = falter.load(tmp_path / "runs")
    found = first.open_answers(second)
    assert len(found.differing()) == 191 + 82
    assert len(found.turned_orders()) == 1
    scores = falter.score(tmp_path / "runs", measures=["acc_official", "acc_careful"], n_resamples=0)
    shown = [round(100 * one.value, 1) for one in scores if one.value is not None]
    assert sorted(shown) == [44.0, 49.1, 57.5, 63.7]
