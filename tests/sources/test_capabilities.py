"""A source says by its methods what it has, and whoever needs more is told so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falter.core.errors import UsageError
from falter.data.images import Source
from falter.data.sources import SOURCES, open_source
from falter.generation.sources import (
    HasCaptions,
    HasDialogues,
    HasQuestions,
    HasScenes,
    capability_names,
    require,
    require_questions,
    require_scenes,
)

GRAPHS = {"1": {"width": 9, "height": 9, "objects": {}}}
QUESTIONS = {"q": {"question": "Is there a dog?", "imageId": "1", "answer": "no"}}
INSTANCES: dict[str, list[object]] = {"images": [], "annotations": [], "categories": []}
CAPTIONS = {"annotations": [{"image_id": 7, "caption": "a dog"}]}
DIALOGUES = {"data": {"dialogs": [], "questions": [], "answers": []}}
VQA = {"questions": [{"question_id": 1, "image_id": 1, "question": "Is there a dog?"}]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in (
        ("graphs", GRAPHS),
        ("questions", QUESTIONS),
        ("instances", INSTANCES),
        ("captions", CAPTIONS),
        ("dialogs", DIALOGUES),
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


@pytest.mark.parametrize(
    ("spec", "has"),
    [
        ("coco:captions={0}/captions.json", ["captions"]),
        ("coco:captions={0}/captions.json,instances={0}/instances.json", ["scene graphs", "captions"]),
        ("coco:instances={0}/instances.json", ["scene graphs"]),
        ("visdial:dialogs={0}/dialogs.json", ["questions", "captions", "dialogues"]),
        ("gqa:graphs={0}/graphs.json,questions={0}/questions.json", ["scene graphs", "questions"]),
    ],
)
def test_a_source_has_what_its_opener_declares_as_far_as_the_files_go(folder: Path, spec: str, has: list[str]) -> None:
    source = open_source(spec.format(folder))
    assert list(capability_names(source)) == has
    assert set(has) <= set(capability_names(SOURCES.get(source.name)))
    assert isinstance(source, HasCaptions) is ("captions" in has)
    if "dialogues" not in has:
        with pytest.raises(UsageError, match=f"the source {source.name} has no dialogues, which chat needs; use"):
            require(source, HasDialogues, "chat")


def test_captions_are_found_by_image(folder: Path) -> None:
    source = open_source(f"coco:captions={folder}/captions.json")
    assert isinstance(source, HasCaptions)
    assert (source.captions("7"), source.captions("8"), source.image_ids()) == (["a dog"], [], ["7"])
