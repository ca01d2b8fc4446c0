"""A source says by its methods what it has, and whoever needs more is told so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falter.errors import UsageError
from falter.sources import HasQuestions, HasScenes, Source, open_source, require_questions, require_scenes

GRAPHS = {"1": {"width": 9, "height": 9, "objects": {}}}
QUESTIONS = {"q": {"question": "Is there a dog?", "imageId": "1", "answer": "no"}}
INSTANCES: dict[str, list[object]] = {"images": [], "annotations": [], "categories": []}
VQA = {"questions": [{"question_id": 1, "image_id": 1, "question": "Is there a dog?"}]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in (
        ("graphs", GRAPHS),
        ("questions", QUESTIONS),
        ("instances", INSTANCES),
        ("vqa", VQA),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "scenes", "questions"),
    [
        ("gqa:graphs={0}/graphs.json", True, False),
        ("gqa:questions={0}/questions.json", False, True),
        ("gqa:graphs={0}/graphs.json,questions={0}/questions.json", True, True),
        ("coco:instances={0}/instances.json", True, False),
        ("vqa:questions={0}/vqa.json", False, True),
    ],
)
def test_what_a_source_has_follows_from_its_files(folder: Path, spec: str, scenes: bool, questions: bool) -> None:
    source = open_source(spec.format(folder))
    assert isinstance(source, Source)
    assert isinstance(source, HasScenes) is scenes
    assert isinstance(source, HasQuestions) is questions
    if scenes:
        assert require_scenes(source) is source
    else:
        with pytest.raises(UsageError, match=f"the source {source.name} has no scene graphs"):
            require_scenes(source)
    if questions:
        assert require_questions(source) is source
    else:
        with pytest.raises(UsageError, match=f"the source {source.name} has no questions"):
            require_questions(source)


def test_graphs_without_images_take_the_images_of_the_questions(folder: Path) -> None:
    (folder / "graphs.json").write_text("{}")
    source = open_source(f"gqa:graphs={folder}/graphs.json,questions={folder}/questions.json")
    assert list(source.image_ids()) == ["1"]
