"""Visual7W in its own format; records that cannot be used are counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.core.errors import InputError, UsageError
from falter.data.sources import open_source
from falter.generation.sources import HasQuestions


def pair(number: int, **more: Any) -> dict[str, Any]:
    wrong = ["Three.", "Four.", "Five."]
    given = {"qa_id": number, "question": "How many dogs are there?", "answer": "Two.", "type": "how"}
    return given | {"multiple_choices": wrong, "image_id": 7} | more


def write(folder: Path, *images: Any) -> Path:
    path = folder / "dataset_v7w_telling.json"
    path.write_text(json.dumps({"dataset": "v7w", "images": images}))
    return path


def image(number: int, *pairs: Any, split: str = "train") -> dict[str, Any]:
    return {"image_id": number, "filename": f"v7w_{number}.jpg", "split": split, "qa_pairs": pairs}


def test_questions_have_their_answer_and_the_choices(tmp_path: Path) -> None:
    write(tmp_path, image(7, pair(1), pair(2, multiple_choices=None)), image(8, pair(3), split="test"))
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "v7w_7.jpg").write_bytes(b"x")
    source = open_source(f"visual7w:{tmp_path}")
    assert isinstance(source, HasQuestions)
    first, second, third = source.questions()
    assert (first.id, first.image_id, first.answer, first.question_type) == ("1", "7", "Two", "how")
    assert first.choices == ("Two", "Three", "Four", "Five")
    assert second.choices is None
    assert third.image_id == "8"
    assert source.image_ids() == ["7", "8"]
    assert source.image_path("7") == tmp_path / "images" / "v7w_7.jpg"
    assert source.image_path("8") is None


def test_a_split_by_itself(tmp_path: Path) -> None:
    path = write(tmp_path, image(7, pair(1)), image(8, pair(3), split="test"))
    source = open_source(f"visual7w:file={path},split=test")
    assert isinstance(source, HasQuestions)
    assert [one.id for one in source.questions()] == ["3"]
    assert source.describe()["split"] == "test"
    with pytest.raises(UsageError, match="no split 'dev'"):
        open_source(f"visual7w:file={path},split=dev")


def test_what_cannot_be_used_is_counted(tmp_path: Path) -> None:
    write(tmp_path, image(7, pair(1), pair(1), pair(2, question=None), "no record"), {"image_id": "x"}, image(8))
    source: Any = open_source(f"visual7w:{tmp_path}")
    assert [one.id for one in source.questions()] == ["1"]
    assert source.problems == {
        "the qa_id appears twice": 1,
        "the record of a question is malformed": 2,
        "the record of an image is malformed": 1,
    }


def test_files_that_are_no_visual7w(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found none"):
        open_source(f"visual7w:{tmp_path}")
    with pytest.raises(InputError, match="does not exist"):
        open_source(f"visual7w:file={tmp_path / 'no.json'}")
    path = write(tmp_path, {"image_id": 1})
    with pytest.raises(InputError, match=r"images\[0\]"):
        open_source(f"visual7w:{tmp_path}")
    path.write_text("[1, 2]")
    with pytest.raises(InputError, match="Visual7W's format"):
        open_source(f"visual7w:{tmp_path}")
