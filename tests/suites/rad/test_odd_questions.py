"""What a source may hold: questions that nobody can be asked are counted, and dialogues keep history and options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.data.items import Probe
from falter.data.sources import open_source
from falter.generation.authoring.generator import GenerateContext
from falter.generation.authoring.options import GenerateOptions
from falter.suites.rad.generator import RAD
from falter.suites.rad.inspection import audit_generated as audit
from falter.suites.rad.options import RadOptions
from tests.cli.in_process import falter_here

pytestmark = pytest.mark.bundle("rad")

ODD = {
    "": "the question has no words",
    " ?! ": "the question has no words",
    "犬は何匹いますか?": "the question is not written in Latin letters",
    "How many dogs " * 715: "the question is longer than 1000 characters",
}


def make(spec: str, **own: Any) -> tuple[list[Probe], GenerateContext]:
    source = open_source(spec)
    options = GenerateOptions(images="none", suite_options=RadOptions(**own))
    context = GenerateContext(source=source, options=options)
    return list(RAD.probes(source, options, context)), context


def test_odd_questions_are_counted_with_their_reason(tmp_path: Path) -> None:
    asked = [*ODD, "Wie viele Hunde sind da?", "What color is the dog?", "What color is the cat?"]
    rows = [{"image": "1", "question": text or " ", "answer": "red"} for text in asked]
    rows[-1]["answer"] = "blue"
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    probes, context = make(f"table:{tmp_path}/own.jsonl", labels="paper", draw="frequency")
    assert [one.original.text for one in probes] == asked[-2:]
    assert context.rejected["the question is not written in Latin letters"] == 1
    assert context.rejected["the question is longer than 1000 characters"] == 1
    assert context.rejected["the question has no words"] == 1


def test_variants_of_a_round_offer_its_options_with_yes_and_no(tmp_path: Path) -> None:
    questions = ["what color is the dog", "what color is the cat"]
    answers = ["brown", "white", "no", "maybe", "2"]
    rounds = [
        {"question": 0, "answer": 0, "answer_options": [4, 0, 3], "gt_index": 1},
        {"question": 1, "answer": 1, "answer_options": [1, 2, 3], "gt_index": 0},
    ]
    data = {
        "dialogs": [{"image_id": 7, "caption": "two animals", "dialog": rounds}],
        "questions": questions,
        "answers": answers,
    }
    (tmp_path / "visdial_1.0_val.json").write_text(json.dumps({"data": data}))
    probes, _ = make(f"visdial:{tmp_path}", draw="frequency")
    first, second = ((one.original, one.variants[0]) for one in probes)
    assert first[0].choices == ("2", "brown", "maybe")
    assert set(first[1].choices or ()) == {"2", "brown", "maybe", "yes", "no"}
    assert [one for one in first[1].choices or () if one in ("2", "brown", "maybe")] == ["2", "brown", "maybe"]
    assert sorted(second[1].choices or ()) == ["maybe", "no", "white", "yes"]
    for original, variant in (first, second):
        assert original.context == variant.context
        assert original.gold in (original.choices or ())
        assert variant.gold in (variant.choices or ())
        assert original.context
    assert [turn.text for turn in second[0].context or ()] == ["two animals", "what color is the dog", "brown"]


def test_the_command_line_counts_what_is_malformed_and_refuses_what_cannot_be_read(tmp_path: Path) -> None:
    questions, annotations = [], []
    for number in range(40):
        color = ("red", "blue", "green", "white")[number % 4]
        questions.append({"question_id": number, "image_id": number, "question": "What color is the car?"})
        answers = [{"answer": color, "answer_id": place} for place in range(10)]
        record = {"question_id": number, "image_id": number, "answers": answers, "multiple_choice_answer": color}
        annotations.append(record)
    questions[0]["question"] = ""
    questions.append(dict(questions[1]))
    annotations[2]["answers"] = []
    annotations[3]["multiple_choice_answer"] = "plaid"
    annotations[4]["question_id"] = 999
    (tmp_path / "questions.json").write_text(json.dumps(questions))
    (tmp_path / "annotations.json").write_text(json.dumps(annotations))
    command = ("generate", "rad", "--from", f"vqa:{tmp_path}", "--images", "none", "--draw", "frequency")
    done = falter_here(*command, "--out", tmp_path / "suite")
    assert done.code == 0, done.stderr
    assert "color: 36 pairs" in done.stdout
    for line in (
        "rejected 1 x: the question has no words",
        "rejected 1 x: the question_id appears twice",
        "rejected 1 x: the annotation has no answers",
        "rejected 1 x: the multiple_choice_answer is none of the answers",
        "rejected 1 x: an annotation has the question_id of no usable question",
        "rejected 1 x: color: the question has no answer",
    ):
        assert line in done.stderr
    (tmp_path / "annotations.json").write_text(json.dumps(annotations)[:-5])
    broken = falter_here(*command, "--out", tmp_path / "again")
    assert broken.code == 2
    assert len(broken.stderr.splitlines()) == 1
    assert "annotations.json: is not VQA's format" in broken.stderr
    assert not (tmp_path / "again").exists()


def test_a_source_of_which_nothing_is_left_says_why(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("image,question,answer\n,What color is the dog?,brown\n")
    done = falter_here("generate", "rad", "--from", f"table:{tmp_path}/own.csv", "--out", tmp_path / "suite")
    assert done.code == 2
    assert "no probe could be made (1 x the row has no image)" in done.stderr
    (tmp_path / "own.csv").write_text("image,question,answer\n1.jpg,Is it raining?,no\n")
    done = falter_here("generate", "rad", "--from", f"table:{tmp_path}/own.csv", "--out", tmp_path / "suite")
    assert done.code == 2
    assert "no probe could be made (the source has nothing that these tests read)" in done.stderr
    assert not (tmp_path / "suite").exists()


def test_articles_and_full_stops_of_own_answers_are_not_repeated(tmp_path: Path) -> None:
    answers = ["a dog", "The cat.", "an elephant", "dog", "a horse ", "cat", "horse", "elephant"] * 5
    rows = [
        {"image": str(n), "question": "What kind of animal is this?", "answer": one} for n, one in enumerate(answers)
    ]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    probes, _ = make(f"table:{tmp_path}/own.jsonl", draw="frequency")
    assert len(probes) == len(answers)
    texts = {one.variants[0].text for one in probes}
    assert texts <= {f"Is this animal {one}?" for one in ("a dog", "a cat", "an elephant", "a horse")}
    assert {audit(one, None) for one in probes} == {""}
