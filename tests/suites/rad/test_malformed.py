"""What is malformed in a source of RAD is counted with its reason and skipped; the other questions are asked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import falter
from falter.data.sources import open_source
from falter.generation.authoring.generator import GenerateContext
from falter.generation.authoring.options import GenerateOptions
from falter.generation.sources import HasProblems
from falter.suites.rad.generator import RAD
from falter.suites.rad.options import RadOptions

pytestmark = pytest.mark.bundle("rad")

GOOD = 12
COLORS = ("red", "blue", "green")
TEXT = "What color is the car?"
JAPANESE = "車は何色ですか?"
LONG = f"What color is the car {'that is red ' * 833}?"
NO_WORDS = "the question has no words"
NO_LATIN = "the question is not written in Latin letters"
TOO_LONG = "the question is longer than 1000 characters"

Records = list[dict[str, Any]]


def ask(spec: str) -> tuple[list[str], Counter[str]]:
    """The texts of the originals, and everything that was counted as not usable."""
    source = open_source(spec)
    options = GenerateOptions(images="none", suite_options=RadOptions(labels="paper", draw="frequency"))
    context = GenerateContext(source=source, options=options)
    asked = [probe.original.text for probe in RAD.probes(source, options, context)]
    assert isinstance(source, HasProblems)
    return asked, Counter(source.problems) + context.rejected


def vqa_records() -> tuple[Records, Records]:
    """Good questions and annotations, and one of each at the end that a test breaks."""
    numbers = range(1, GOOD + 2)
    questions = [{"question_id": number, "image_id": number, "question": TEXT} for number in numbers]
    annotations = [
        {
            "question_id": number,
            "image_id": number,
            "multiple_choice_answer": COLORS[number % 3],
            "answers": [{"answer": COLORS[number % 3], "answer_id": place} for place in range(1, 11)],
        }
        for number in numbers
    ]
    return questions, annotations


def change(place: int, **fields: Any) -> Callable[[Records, Records], None]:
    """Give the last question (0) or annotation (1) other values."""
    return lambda *records: records[place][-1].update(fields)


VQA_FAULTS: dict[str, tuple[Callable[[Records, Records], Any], str]] = {
    "no answers": (change(1, answers=[]), "the annotation has no answers"),
    "answers are missing": (lambda _, annotations: annotations[-1].pop("answers"), "the annotation has no answers"),
    "an answer that nobody gave": (
        change(1, multiple_choice_answer="plaid"), "the multiple_choice_answer is none of the answers",
    ),
    "a repeated question": (
        lambda questions, annotations: (questions[-1].update(question_id=1), annotations.pop()),
        "the question_id appears twice",
    ),
    "a repeated annotation": (
        lambda questions, annotations: (questions.pop(), annotations[-1].update(question_id=1)),
        "the question_id of an annotation appears twice",
    ),
    "an annotation of no question": (
        lambda questions, _: questions.pop(), "an annotation has the question_id of no usable question",
    ),
    "a question without an annotation": (lambda _, annotations: annotations.pop(), "color: the question has no answer"),
    "an id that is no number": (change(0, question_id="x"), "the record of a question is malformed"),
    "answers that are no list": (change(1, answers="red"), "the record of an annotation is malformed"),
    "an empty question": (change(0, question=""), NO_WORDS),
    "control characters": (change(0, question="What color is the \x00car?"), "the question has control characters"),
    "another script": (change(0, question=JAPANESE), NO_LATIN),
    "ten thousand characters": (change(0, question=LONG), TOO_LONG),
}  # fmt: skip


@pytest.mark.parametrize("source", ["vqa", "vqa-cp"])
@pytest.mark.parametrize("fault", VQA_FAULTS)
def test_malformed_records_of_vqa_are_counted(source: str, fault: str, tmp_path: Path) -> None:
    questions, annotations = vqa_records()
    spoil, reason = VQA_FAULTS[fault]
    spoil(questions, annotations)
    names = ("questions", "annotations")
    for name, records in zip(names, (questions, annotations), strict=True):
        # VQA-CP publishes bare lists.
        whole = records if source == "vqa-cp" else {name: records}
        file = tmp_path / (f"vqacp_v2_train_{name}.json" if source == "vqa-cp" else f"v2_val_{name}.json")
        file.write_text(json.dumps(whole), encoding="utf-8")
    asked, counted = ask(f"{source}:{tmp_path}")
    assert asked == [TEXT] * GOOD
    assert counted[reason] == 1


def test_blanks_around_an_answer_are_none_of_it(tmp_path: Path) -> None:
    questions, annotations = vqa_records()
    for record in annotations:
        record["multiple_choice_answer"] += " "
        record["answers"] = [{"answer": f" {one['answer']}"} for one in record["answers"]]
    for name, records in (("questions", questions), ("annotations", annotations)):
        (tmp_path / f"v2_val_{name}.json").write_text(json.dumps({name: records}), encoding="utf-8")
    asked, _ = ask(f"vqa:{tmp_path}")
    assert asked == [TEXT] * (GOOD + 1)


VARIANTS = {"yes-no-vqa": "Is the color of the car red?", "vqa-rephrasings": "Which color does the car have?"}
STEMS = {"yes-no-vqa": "yes-no_from_colors_val", "vqa-rephrasings": "v2_OpenEnded_mscoco_valrep2014_humans_og"}


@pytest.mark.parametrize("release", VARIANTS)
@pytest.mark.parametrize(
    "fault", ["no answers", "an answer that nobody gave", "an id that is no number", "another script"]
)
def test_malformed_records_of_releases_are_counted(release: str, fault: str, tmp_path: Path) -> None:
    for place, start in ((tmp_path / "vqa", "v2_val"), (tmp_path / "release", STEMS[release])):
        questions, annotations = vqa_records()
        if place.name == "release":
            for question, annotation in zip(questions, annotations, strict=True):
                question |= {"question": VARIANTS[release], "rephrasing_of": question["question_id"]}
                if release == "vqa-rephrasings":
                    question["question_id"] = annotation["question_id"] = annotation["question_id"] + 100
                annotation |= {"multiple_choice_answer": "yes", "answers": [{"answer": "yes", "answer_id": 1}]}
            spoil, reason = VQA_FAULTS[fault]
            spoil(questions, annotations)
        place.mkdir()
        for name, records in (("questions", questions), ("annotations", annotations)):
            (place / f"{start}_{name}.json").write_text(json.dumps({name: records}), encoding="utf-8")
    originals = f"vqa:{tmp_path / 'vqa'}"
    suite = falter.import_suite(release, tmp_path / "release", originals=originals, out=tmp_path / "suite")
    assert [variant.text for probe in suite for variant in probe.variants] == [VARIANTS[release]] * GOOD
    assert sum(count for why, count in suite.manifest.counts["refused"].items() if why.endswith(reason)) == 1


def visdial_rounds() -> list[dict[str, Any]]:
    return [
        {
            "image_id": number,
            "caption": "a car",
            "dialog": [{"question": 0, "answer": number % 3, "answer_options": [0, 1, 2], "gt_index": number % 3}],
        }
        for number in range(1, GOOD + 2)
    ]


VISDIAL_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "no answer": ({"answer": None, "gt_index": None}, "color: the question has no answer"),
    "an answer out of range": ({"answer": 99}, "the index of an answer is out of range"),
    "an answer that is not among the options": (
        {"answer_options": [0, 2, 4], "gt_index": 1},
        "gt_index names another answer",
    ),
    "gt_index out of range": ({"gt_index": 7}, "gt_index is out of range"),
    "an option out of range": ({"answer_options": [0, 1, 99]}, "an index of answer_options is out of range"),
    "an option twice": ({"answer_options": [1, 1, 2]}, "an option is offered twice"),
    "a question out of range": ({"question": 99}, "the index of a question is out of range"),
    "a round that is no record": ({"question": "x"}, "the record of a dialogue is malformed"),
    "an empty question": ({"question": 1}, "the question of a round is empty"),
    "another script": ({"question": 2}, NO_LATIN),
    "ten thousand characters": ({"question": 3}, TOO_LONG),
}


def write_visdial(folder: Path, dialogs: list[dict[str, Any]]) -> str:
    data = {"dialogs": dialogs, "questions": [TEXT, "", JAPANESE, LONG], "answers": [*COLORS, "no", "maybe"]}
    (folder / "visdial_1.0_val.json").write_text(json.dumps({"data": data}), encoding="utf-8")
    return f"visdial:{folder}"


@pytest.mark.parametrize("fault", VISDIAL_FAULTS)
def test_malformed_rounds_of_visdial_are_counted(fault: str, tmp_path: Path) -> None:
    dialogs = visdial_rounds()
    fields, reason = VISDIAL_FAULTS[fault]
    dialogs[-1]["dialog"][0].update(fields)
    asked, counted = ask(write_visdial(tmp_path, dialogs))
    assert asked == [TEXT] * GOOD
    assert [number for found, number in counted.items() if found.startswith(reason)] == [1], counted


def test_a_second_dialogue_of_an_image_is_counted(tmp_path: Path) -> None:
    dialogs = visdial_rounds()
    dialogs[-1]["image_id"] = 1
    asked, counted = ask(write_visdial(tmp_path, dialogs))
    assert len(asked) == GOOD
    assert counted["an image has a second dialogue"] == 1


TABLE_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "no answer": ({"answer": ""}, "the row has no answer"),
    "an answer of another sort": ({"answer": "seven"}, "color: the answer is of another sort"),
    "a repeated id": ({"id": "1"}, "the id appears twice"),
    "no image": ({"image": None}, "the row has no image"),
    "no question": ({"question": " "}, "the row has no question"),
    "no words": ({"question": "?!"}, NO_WORDS),
    "another script": ({"question": JAPANESE}, NO_LATIN),
    "ten thousand characters": ({"question": LONG}, TOO_LONG),
}


@pytest.mark.parametrize("fault", TABLE_FAULTS)
def test_malformed_rows_of_a_table_are_counted(fault: str, tmp_path: Path) -> None:
    rows: Records = [
        {"id": str(number), "image": str(number), "question": TEXT, "answer": COLORS[number % 3]}
        for number in range(1, GOOD + 2)
    ]
    fields, reason = TABLE_FAULTS[fault]
    rows[-1].update(fields)
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    asked, counted = ask(f"table:{tmp_path}/own.jsonl")
    assert asked == [TEXT] * GOOD
    assert counted[reason] == 1
