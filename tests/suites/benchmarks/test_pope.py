"""POPE: the released questions, and answers in the layouts in which they go round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from falter.core.errors import InputError
from falter.data.suite import Suite
from falter.suites.benchmarks.pope.answers import official_answer
from tests.suites.benchmarks.published import Scored, imported, json_file, json_lines
from tests.suites.benchmarks.releases import POPE as QUESTIONS
from tests.suites.benchmarks.releases import pope_record as record
from tests.suites.benchmarks.releases import pope_text as text
from tests.suites.benchmarks.releases import write_pope


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_pope(tmp_path / "release")


@pytest.fixture
def suite(release: Path, tmp_path: Path) -> Suite:
    return imported("pope", release, tmp_path / "suite")


def test_questions_keep_their_text_and_their_file_is_their_test(suite: Suite) -> None:
    items = suite.to_polars()
    assert items["test"].to_list() == ["random"] * 4 + ["popular"] * 3 + ["adversarial"] * 3
    assert items["source_id"].to_list()[:5] == ["random:1", "random:2", "random:3", "random:4", "popular:1"]
    assert items["text"][1] == "Is there an oven in the imange?"
    assert items["gold"].to_list()[:4] == ["yes", "no", "yes", "no"]


def test_odd_questions_are_named_and_counted(release: Path, tmp_path: Path) -> None:
    broken = [{**record(1, "dog", "yes"), "label": "maybe"}, record(2, "cat", "no"), record(2, "cow", "no")]
    json_lines(release / "coco_pope_random.json", broken)
    (release / "readme.txt").write_text("x")
    manifest = imported("pope", release, tmp_path / "suite").manifest
    assert manifest.counts["files"]["coco_pope_random.json"] == 1
    assert manifest.counts["left_out"] == 2
    assert manifest.counts["skipped_files"] == ["readme.txt"]
    assert manifest.notes == [
        "1 record is left out: its label is neither yes nor no (coco_pope_random.json, line 1).",
        "1 record is left out: its question_id comes twice (coco_pope_random.json, line 3).",
    ]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Yes, there is a dog. No doubt.", "yes"),
        ("No", "no"),
        ("There is not, I think", "no"),
        ("No, it is", "no"),
        ("", "yes"),
        ("Nothing", "yes"),
        ("NO", "yes"),
        (".no", "yes"),
    ],
)
def test_answers_are_read_as_the_authors_read_them(said: str, meant: str) -> None:
    assert official_answer(said) == meant


def llava_rows(answers: dict[str, list[str]]) -> list[dict[str, Any]]:
    shift = {"adversarial": 0, "random": 10_000_000, "popular": 20_000_000}
    return [
        {
            "question_id": shift[test] + number,
            "prompt": f"{text(name)}\nAnswer the question using a single word or phrase.",
            "text": said,
            "answer_id": "x",
            "model_id": "m",
            "metadata": {},
        }
        for test in ("adversarial", "random", "popular")
        for number, ((name, _), said) in enumerate(zip(QUESTIONS[test], answers[test], strict=True), start=1)
    ]


def test_one_file_in_llavas_layout_answers_all_three(suite: Suite, tmp_path: Path) -> None:
    answers = {
        "random": ["Yes", "Yes", "No", "No, there is none."],
        "popular": ["Yes", "No", "Yes"],
        "adversarial": ["No", "Yes", ""],
    }
    path = json_lines(tmp_path / "answers.jsonl", llava_rows(answers))
    scored = Scored(suite, path, tmp_path / "run")
    assert scored.notes == ["1 prediction in answers.jsonl is empty: it says nothing (adversarial:3)"]
    assert scored.value("acc", "random") == 2 / 4
    assert scored.value("yes_rate", "random") == 2 / 4
    assert scored.value("acc", "popular") == 1.0
    assert scored.value("acc", "adversarial") == pytest.approx(1 / 3, abs=0)
    assert scored.value("yes_rate", "adversarial") == 2 / 3


RIGHT = {test: [label.capitalize() for _, label in questions] for test, questions in QUESTIONS.items()}


@pytest.mark.parametrize(("kept", "answered"), [(3, (0, 0, 3)), (2, (0, 0, 2)), (5, (2, 0, 3)), (8, (4, 1, 3))])
def test_a_file_that_was_cut_off_answers_nothing_of_the_tests_it_lacks(
    suite: Suite, tmp_path: Path, kept: int, answered: tuple[int, int, int]
) -> None:
    """Dog and apple are asked in all three tests: an answer in one of them is none in another."""
    scored = Scored(suite, json_lines(tmp_path / "cut.jsonl", llava_rows(RIGHT)[:kept]), tmp_path / "run")
    asked = {test: len(own) for test, own in QUESTIONS.items()}
    for (test, number), present in zip(asked.items(), answered, strict=True):
        assert scored.value("failed", test) == number - present
        assert scored.value("acc", test) == (1.0 if present else None)
    (note,) = scored.notes
    assert note.startswith(f"warning: {10 - sum(answered)} of 10 items are missing")


def test_a_split_of_its_own_answers_no_other(suite: Suite, tmp_path: Path) -> None:
    rows = [one for one in llava_rows(RIGHT) if one["question_id"] > 20_000_000]
    scored = Scored(suite, json_lines(tmp_path / "popular.jsonl", rows), tmp_path / "run")
    assert [scored.value("failed", test) for test in ("random", "popular", "adversarial")] == [4, 0, 3]
    assert scored.value("acc", "popular") == 1.0
    other = Scored(suite, json_lines(tmp_path / "all.jsonl", llava_rows(RIGHT)), tmp_path / "whole")
    assert other.notes == []
    assert other.run.replies().height == 6


def test_the_authors_layout_is_in_the_order_of_a_file(suite: Suite, tmp_path: Path) -> None:
    answers = ["yes", "no", "no", "I see no car."]
    rows = [
        {"question": text(name).lower(), "answer": said}
        for (name, _), said in zip(QUESTIONS["random"], answers, strict=True)
    ]
    scored = Scored(suite, json_lines(tmp_path / "answers.json", rows, end="\r\n"), tmp_path / "run")
    assert scored.value("acc", "random") == 3 / 4
    assert scored.notes[-1].startswith("warning: 6 of 10 items are missing")


def test_a_folder_of_three_files_is_one_run(suite: Suite, tmp_path: Path) -> None:
    for test, questions in QUESTIONS.items():
        rows = [{"question": text(name), "answer": label} for name, label in questions]
        json_file(tmp_path / "answers" / f"mine_{test}.json", rows)
    scored = Scored(suite, tmp_path / "answers", tmp_path / "run")
    assert [scored.value("acc", test) for test in QUESTIONS] == [1.0, 1.0, 1.0]
    assert scored.notes == []


def test_answers_with_image_and_question_are_joined_whatever_their_order(suite: Suite, tmp_path: Path) -> None:
    rows = [
        {"image": "val2014/000000000042.jpg", "question": text(name).replace("imange", "image"), "response": label}
        for name, label in reversed(QUESTIONS["random"])
    ]
    rows.append(
        {"image": "COCO_val2014_000000000042.jpg", "question": "Is there a cow in the image?", "response": "no"}
    )
    scored = Scored(suite, json_lines(tmp_path / "random.jsonl", rows), tmp_path / "run")
    assert scored.value("acc", "random") == 1.0
    assert (
        scored.notes[0] == "records of random.jsonl that ask what the suite does not ask, and are ignored: 1 (line 5)"
    )


def test_records_without_an_answer_are_named_and_count_as_missing(suite: Suite, tmp_path: Path) -> None:
    rows = llava_rows({"random": ["Yes"] * 4, "popular": ["Yes"] * 3, "adversarial": ["Yes"] * 3})
    rows[4]["text"] = None
    scored = Scored(suite, json_lines(tmp_path / "answers.jsonl", rows), tmp_path / "run")
    assert scored.notes[0] == "records of answers.jsonl that hold no answer, and count as missing: 1 (line 5)"
    assert scored.value("failed", "random") == 1


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"question": "Is there a cow in the image?", "answer": "yes"}] * 4, "fit none of the tests"),
        ([{"answer": "yes"}] * 3, "fit one of several of the tests"),
        ([{"answer": "yes", "category": "rare"}] * 3, "answers questions of 'rare'"),
        (
            [{"question_id": 10_000_001, "prompt": "Is there a cow in the image?", "text": "Yes"}],
            "line 1: answers 'Is there a cow in the image\\?', where the suite asks 'Is there a dog",
        ),
    ],
)
def test_answers_to_other_questions_are_refused(suite: Suite, tmp_path: Path, rows: list[Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Scored(suite, json_lines(tmp_path / "answers.jsonl", rows), tmp_path / "run")


def test_a_named_file_of_another_length_is_refused(suite: Suite, tmp_path: Path) -> None:
    path = json_lines(tmp_path / "random.jsonl", [{"answer": "yes"}] * 3)
    with pytest.raises(InputError, match="3 answers without ids to the 4 questions of random"):
        Scored(suite, path, tmp_path / "run")


def test_falters_own_layout_still_reads(suite: Suite, tmp_path: Path) -> None:
    rows = [{"source_id": f"random:{number}", "answer": "yes"} for number in range(1, 5)]
    scored = Scored(suite, json_lines(tmp_path / "own.jsonl", rows), tmp_path / "run")
    assert scored.value("acc", "random") == 2 / 4


def test_an_id_beyond_the_shifts_is_that_of_no_question(suite: Suite, tmp_path: Path) -> None:
    rows = llava_rows({"random": ["Yes"] * 4, "popular": ["Yes"] * 3, "adversarial": ["Yes"] * 3})
    rows.append({**rows[0], "question_id": 30_000_001})
    scored = Scored(suite, json_lines(tmp_path / "answers.jsonl", rows), tmp_path / "run")
    assert scored.notes == [
        "records of answers.jsonl that have ids that are not in the suite, and are ignored: 1 (line 11)"
    ]


def test_samples_of_a_harness_are_left_to_the_general_layouts(suite: Suite, tmp_path: Path) -> None:
    rows = [{"doc_id": number, "doc": {"source_id": f"random:{number}"}, "resps": [["No"]]} for number in range(1, 5)]
    scored = Scored(suite, json_lines(tmp_path / "samples.jsonl", rows), tmp_path / "run")
    assert scored.value("acc", "random") == 2 / 4
