"""VQA v2's native files are read whole, and every fault in them is named with its file and record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.errors import InputError, UsageError
from falter.sources import HasScenes, open_source
from falter.sources.vqa import open_vqa


def question(number: int, image: int, text: str = "Is there a dog?") -> dict[str, Any]:
    return {"image_id": image, "question": text, "question_id": number}


def annotation(number: int, image: int, answers: list[str]) -> dict[str, Any]:
    return {
        "question_type": "is there a",
        "multiple_choice_answer": answers[0],
        "answers": [
            {"answer": answer, "answer_confidence": "yes", "answer_id": place}
            for place, answer in enumerate(answers, start=1)
        ],
        "image_id": image,
        "answer_type": "yes/no",
        "question_id": number,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    questions = {"info": {}, "license": {"name": "CC BY 4.0"}, "questions": [question(50, 5), question(90, 9)]}
    annotations = {"annotations": [annotation(90, 9, ["no"] * 10), annotation(50, 5, ["yes"] * 7 + ["no"] * 3)]}
    (tmp_path / "v2_OpenEnded_mscoco_val2014_questions.json").write_text(json.dumps(questions))
    (tmp_path / "v2_mscoco_val2014_annotations.json").write_text(json.dumps(annotations))
    (tmp_path / "val_balanced_questions.json").write_text("{}")
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "COCO_val2014_000000000005.jpg").touch()
    (tmp_path / "images" / "9.jpg").touch()
    return tmp_path


def rewrite(path: Path, change: Any) -> None:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def questions_file(folder: Path) -> Path:
    return folder / "v2_OpenEnded_mscoco_val2014_questions.json"


def annotations_file(folder: Path) -> Path:
    return folder / "v2_mscoco_val2014_annotations.json"


def test_a_folder_is_read_with_answers_joined_by_question(folder: Path) -> None:
    source = open_source(f"vqa:{folder}")
    first, second = source.questions()
    assert (first.id, first.image_id, first.answer, first.answer_type) == ("50", "5", "yes", "yes/no")
    assert first.answers == ("yes",) * 7 + ("no",) * 3
    assert second.answer == "no"
    assert list(source.image_ids()) == ["5", "9"]
    assert not isinstance(source, HasScenes)


def test_images_are_found_by_both_names(folder: Path) -> None:
    source = open_source(f"vqa:{folder}")
    assert source.image_path("5") == folder / "images" / "COCO_val2014_000000000005.jpg"
    assert source.image_path("9") == folder / "images" / "9.jpg"
    assert source.image_path("10") is None


def test_files_may_be_named_and_answers_left_out(folder: Path) -> None:
    source = open_source(f"vqa:questions={questions_file(folder)}")
    first = next(source.questions())
    assert (first.text, first.answer, first.answers) == ("Is there a dog?", None, None)
    assert [file["name"] for file in source.describe()["files"]] == [questions_file(folder).name]


def test_truncated_json_names_the_file(folder: Path) -> None:
    path = annotations_file(folder)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=path.name):
        open_vqa({"": str(folder)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: content["questions"][1].update(question=7), r"questions\[1\]: .*str"),
        (lambda content: content["questions"][1].pop("image_id"), r"questions\[1\]: .*image_id"),
        (
            lambda content: content["questions"].append(question(50, 5)),
            r"questions\[2\]: question_id 50 appears twice",
        ),
        (lambda content: content.update(questions={}), "not VQA v2's format"),
    ],
)
def test_faulty_questions_are_named(folder: Path, change: Any, message: str) -> None:
    rewrite(questions_file(folder), change)
    with pytest.raises(InputError, match=message):
        open_vqa({"": str(folder)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda content: content["annotations"][0].update(question_id=91),
            r"annotations\[0\]: question_id 91 is in",
        ),
        (lambda content: content["annotations"][1].update(image_id=6), r"annotations\[1\]: .* image 6 here"),
        (lambda content: content["annotations"][1].update(answers=[]), "has no answers"),
        (
            lambda content: content["annotations"][1].update(answers=["yes"]),
            r"annotations\[1\]: is not an annotation of VQA: Expected `object`",
        ),
        (lambda content: content["annotations"].append(content["annotations"][0]), r"annotations\[2\]: .* twice"),
    ],
)
def test_faulty_annotations_are_named(folder: Path, change: Any, message: str) -> None:
    rewrite(annotations_file(folder), change)
    with pytest.raises(InputError, match=message):
        open_vqa({"": str(folder)})


def test_wrong_settings_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no setting 'graphs'"):
        open_vqa({"graphs": "x"})
    with pytest.raises(UsageError, match="needs questions"):
        open_vqa({"images": str(folder)})
    with pytest.raises(InputError, match="does not exist"):
        open_vqa({"questions": str(folder / "absent.json")})
    with pytest.raises(InputError, match="not a folder"):
        open_vqa({"": str(folder / "absent")})
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="holds no"):
        open_vqa({"": str(tmp_path / "empty")})


def test_the_licence_is_what_the_files_state(folder: Path) -> None:
    assert open_source(f"vqa:{folder}").licence == "CC BY 4.0"
    rewrite(questions_file(folder), lambda content: content.pop("license"))
    assert open_source(f"vqa:{folder}").licence == "not stated"
