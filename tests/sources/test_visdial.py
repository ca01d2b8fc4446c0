"""VisDial's rounds are questions with caption, history and options; what is out of range is counted, never a crash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.core.errors import InputError
from falter.data.items import Turn
from falter.data.sources import open_source
from falter.generation.sources.visdial import VisdialSource

QUESTIONS = ["what color is the dog", "is it big", "how many cats are there"]
ANSWERS = ["brown", "no", "2", "white", "yes, it is"]


def round_(question: int, answer: int, options: list[int] | None = None) -> dict[str, Any]:
    offered = [3, 1, 0, 2] if options is None else options
    gold = offered.index(answer) if answer in offered else 0
    return {"question": question, "answer": answer, "answer_options": offered, "gt_index": gold}


def write(folder: Path, *dialogues: dict[str, Any]) -> VisdialSource:
    data = {"dialogs": dialogues, "questions": QUESTIONS, "answers": ANSWERS}
    (folder / "visdial_1.0_val.json").write_text(json.dumps({"version": "1.0", "split": "val2018", "data": data}))
    source = open_source(f"visdial:{folder}")
    assert isinstance(source, VisdialSource)
    return source


def dialogue(*rounds: dict[str, Any], image: int = 7) -> dict[str, Any]:
    return {"image_id": image, "caption": "a dog on the grass", "dialog": list(rounds)}


def test_a_round_is_a_question_with_caption_history_and_options(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "VisualDialog_val2018_000000000007.jpg").touch()
    (tmp_path / "visdial_1.0_val_dense_annotations.json").write_text("[]")
    source = write(tmp_path, dialogue(round_(0, 0), round_(1, 1)))
    first, second = source.questions()
    assert (first.id, first.text, first.answer) == ("7-1", "what color is the dog", "brown")
    assert first.choices == ("white", "no", "brown", "2")
    assert first.context == (Turn("caption", "a dog on the grass"),)
    assert second.context == (*first.context, Turn("question", "what color is the dog"), Turn("answer", "brown"))
    assert (second.id, second.answer) == ("7-2", "no")
    assert source.captions("7") == ("a dog on the grass",)
    assert source.image_path("7") == tmp_path / "images" / "VisualDialog_val2018_000000000007.jpg"
    assert [one.answer for one in next(source.dialogues()).rounds] == ["brown", "no"]
    assert not source.problems


def test_the_last_round_of_a_test_split_has_options_and_no_answer(tmp_path: Path) -> None:
    before = {"question": 0, "answer": 0}
    last = {"question": 2, "answer_options": [0, 1, 2]}
    (only,) = write(tmp_path, dialogue(before, last)).questions()
    assert (only.id, only.answer, only.choices) == ("7-2", None, ("brown", "no", "2"))
    assert only.context is not None
    assert only.context[-1] == Turn("answer", "brown")


@pytest.mark.parametrize(
    ("broken", "reason", "rest"),
    [
        ({"question": 99}, "the index of a question is out of range", 1),
        ({"question": -1}, "the index of a question is out of range", 1),
        ({"answer": 99}, "the index of an answer is out of range", 1),
        ({"answer_options": [0, 1, 99]}, "an index of answer_options is out of range", 0),
        ({"gt_index": 4}, "gt_index is out of range", 0),
        ({"gt_index": 0}, "gt_index names another answer than that of the round", 0),
        ({"answer_options": [0, 0, 1, 2]}, "an option is offered twice", 0),
    ],
)
def test_a_broken_round_is_counted_with_the_rounds_it_is_history_of(
    tmp_path: Path, broken: dict[str, Any], reason: str, rest: int
) -> None:
    source = write(tmp_path, dialogue(round_(2, 2), {**round_(0, 0), **broken}, round_(1, 1)), dialogue(image=8))
    lost = {"an earlier round of the dialogue cannot be used": rest} if rest else {}
    assert source.problems == {reason: 1, **lost}
    assert [one.id for one in source.questions()] == (["7-1"] if rest else ["7-1", "7-3"])
    assert source.problems == {reason: 1, **lost}, "reading twice counts once"


def test_records_and_files_that_are_none_of_visdial(tmp_path: Path) -> None:
    source = write(tmp_path, {"image_id": 1}, dialogue(round_(0, 0)), dialogue(round_(0, 0)))
    assert source.problems == {"the record of a dialogue is malformed": 1, "an image has a second dialogue": 1}
    with pytest.raises(InputError, match=r"data\.dialogs\[0\]"):
        write(tmp_path, {"image_id": 1})
    (tmp_path / "visdial_1.0_val.json").write_text('{"data": []}')
    with pytest.raises(InputError, match="is not VisDial's format"):
        open_source(f"visdial:{tmp_path}")
    (tmp_path / "visdial_1.0_train.json").write_text("{}")
    with pytest.raises(InputError, match=r"found visdial_1.0_train.json, visdial_1.0_val.json"):
        open_source(f"visdial:{tmp_path}")
