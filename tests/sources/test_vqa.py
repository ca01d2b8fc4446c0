"""VQA's native files are read whole; a faulty record is counted with its reason, a faulty file is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.core.errors import InputError, UsageError
from falter.data.sources import open_source
from falter.generation.sources import HasScenes
from falter.generation.sources.vqa import VqaFiles, VqaSource, open_vqa


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
    ("change", "reason"),
    [
        (lambda content: content["questions"][1].update(question=7), "the record of a question is malformed"),
        (lambda content: content["questions"][1].pop("image_id"), "the record of a question is malformed"),
        (lambda content: content["questions"].append(question(50, 5)), "the question_id appears twice"),
    ],
)
def test_faulty_questions_are_skipped_and_counted(folder: Path, change: Any, reason: str) -> None:
    rewrite(questions_file(folder), change)
    source = VqaSource(VqaFiles([questions_file(folder)], []))
    assert "50" in [one.id for one in source.questions()]
    assert [(reason in key, count) for key, count in source.problems.items()] == [(True, 1)]
    assert len(list(source.questions())) + 1 == len(json.loads(questions_file(folder).read_text())["questions"])


@pytest.mark.parametrize(
    ("change", "reason", "kept"),
    [
        (
            lambda content: content["annotations"][0].update(question_id=91),
            "an annotation has the question_id of no usable question",
            [("50", "yes"), ("90", None)],
        ),
        (
            lambda content: content["annotations"][1].update(image_id=6),
            "question and annotation name different images",
            [("90", "no")],
        ),
        (lambda content: content["annotations"][1].update(answers=[]), "has no answers", [("90", "no")]),
        (lambda content: content["annotations"][1].pop("answers"), "has no answers", [("90", "no")]),
        (
            lambda content: content["annotations"][1].update(multiple_choice_answer="maybe"),
            "the multiple_choice_answer is none of the answers",
            [("90", "no")],
        ),
        (
            lambda content: content["annotations"][1].pop("multiple_choice_answer"),
            "has no multiple_choice_answer",
            [("90", "no")],
        ),
        (
            lambda content: content["annotations"][1].update(answers=["yes"]),
            "the record of an annotation is malformed",
            [("50", None), ("90", "no")],
        ),
        (
            lambda content: content["annotations"].append(content["annotations"][0]),
            "the question_id of an annotation appears twice",
            [("50", "yes"), ("90", "no")],
        ),
    ],
)
def test_faulty_annotations_are_skipped_and_counted(
    folder: Path, change: Any, reason: str, kept: list[tuple[str, str | None]]
) -> None:
    rewrite(annotations_file(folder), change)
    source = open_vqa({"": str(folder)})
    assert isinstance(source, VqaSource)
    assert [(one.id, one.answer) for one in source.questions()] == kept
    assert [(reason in key, count) for key, count in source.problems.items()] == [(True, 1)]


def test_a_file_of_which_nothing_can_be_used_is_an_error(folder: Path) -> None:
    rewrite(annotations_file(folder), lambda content: [one.update(question_id=7) for one in content["annotations"]])
    with pytest.raises(InputError, match=r"annotations\[0\]: question_id 7 is in no questions file"):
        open_vqa({"": str(folder)})
    rewrite(questions_file(folder), lambda content: [one.pop("question") for one in content["questions"]])
    with pytest.raises(InputError, match=r"questions\[0\]: .*question"):
        open_vqa({"": str(folder)})
    rewrite(questions_file(folder), lambda content: content.update(questions={}))
    with pytest.raises(InputError, match="not VQA's format"):
        open_vqa({"": str(folder)})


def test_version_1_has_choices_and_is_told_from_version_2(tmp_path: Path) -> None:
    asked = {**question(50, 5), "multiple_choices": ["yes", "no", "2", "2"]}
    (tmp_path / "MultipleChoice_mscoco_val2014_questions.json").write_text(json.dumps({"questions": [asked]}))
    answered = {"annotations": [annotation(50, 5, ["yes"] * 10)]}
    (tmp_path / "mscoco_val2014_annotations.json").write_text(json.dumps(answered))
    (only,) = open_source(f"vqa:{tmp_path}").questions()
    assert (only.choices, only.answer) == (("yes", "no", "2"), "yes")
    (tmp_path / "OpenEnded_mscoco_val2014_questions.json").write_text(json.dumps({"questions": [question(50, 5)]}))
    (only,) = open_source(f"vqa:{tmp_path}").questions()
    assert only.choices is None
    (tmp_path / "v2_OpenEnded_mscoco_val2014_questions.json").write_text(json.dumps({"questions": [question(50, 5)]}))
    with pytest.raises(InputError, match="version 1 and of version 2"):
        open_source(f"vqa:{tmp_path}")


def test_vqa_cp_is_a_list_of_records_beside_other_files(folder: Path) -> None:
    train = [{**question(7, 5), "coco_split": "train2014"}]
    (folder / "vqacp_v2_train_questions.json").write_text(json.dumps(train))
    (folder / "vqacp_v2_train_annotations.json").write_text(json.dumps([annotation(7, 5, ["no"] * 10)]))
    source = open_source(f"vqa-cp:{folder}")
    assert [(one.id, one.answer) for one in source.questions()] == [("7", "no")]
    assert source.name == source.describe()["name"] == "vqa-cp"
    assert source.image_path("5") == folder / "images" / "COCO_val2014_000000000005.jpg"
    assert [one.id for one in open_source(f"vqa:{folder}").questions()] == ["50", "90"]


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
