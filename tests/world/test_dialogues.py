"""The world's dialogues: VisDial's schema, pronouns with one antecedent, and answers that the scene graph gives."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from falter.data.sources import open_source
from falter.generation.sources.visdial import VisdialSource
from falter.world.dialogues import AnswerMeaning, RoundDraft
from falter.world.write_visdial import may_be_right
from falter.world.write_world import write_world

SCENES = 120
COLORS = {"red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "gray"}
PRONOUNS = {"he": {"man", "boy"}, "she": {"woman", "girl"}}
_ANY = re.compile(r"^(?:is there|are there|do you see|can you see) (?:an?|any) (.+)$")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("world") / "out"
    write_world(out, SCENES, seed=5, images=False)
    return out


@pytest.fixture(scope="module")
def train(world: Path) -> Any:
    return json.loads((world / "train" / "visdial_1.0_train.json").read_text())


def test_the_schema_is_visdials_and_every_option_list_has_one_right_answer(world: Path, train: Any) -> None:
    data = train["data"]
    assert (train["version"], train["split"]) == ("1.0", "train")
    assert len(set(data["questions"])) == len(data["questions"])
    assert len(set(data["answers"])) == len(data["answers"])
    for dialogue in data["dialogs"]:
        assert len(dialogue["dialog"]) == 10
        for one in dialogue["dialog"]:
            assert len(set(one["answer_options"])) == len(one["answer_options"]) == 100
            assert one["answer_options"][one["gt_index"]] == one["answer"]
            said = [data["answers"][option] for option in one["answer_options"]]
            gold = data["answers"][one["answer"]]
            if gold.startswith(("yes", "no")):
                assert sum(option.split(",")[0] == gold.split(",")[0] for option in said) == 1
    positions = Counter(one["gt_index"] // 25 for each in data["dialogs"] for one in each["dialog"])
    assert min(positions.values()) > 0.15 * sum(positions.values())
    source = open_source(f"visdial:{world / 'val'}")
    assert isinstance(source, VisdialSource)
    assert not source.problems
    assert len(list(source.questions())) == 10 * len(source.image_ids())
    assert not list(world.rglob("*.part"))


def test_answers_are_those_of_the_scene_graph_and_pronouns_have_an_antecedent(world: Path, train: Any) -> None:
    """A reader of its own: it keeps what the last question was about, and looks the answer up in the graph."""
    graphs = json.loads((world / "train" / "train_sceneGraphs.json").read_text())
    data = train["data"]
    checked: Counter[str] = Counter()
    for dialogue in data["dialogs"]:
        objects = list(graphs[str(dialogue["image_id"])]["objects"].values())
        about: str | None = _first(dialogue["caption"], objects)
        for one in dialogue["dialog"]:
            question, answer = data["questions"][one["question"]], data["answers"][one["answer"]]
            words = question.split()
            pronoun = next((word for word in ("it", "they", "he", "she") if word in words), None)
            if pronoun is not None:
                assert about is not None, f"{pronoun} stands for nothing: {question}"
                assert about in PRONOUNS.get(pronoun, {about}), f"{pronoun} for {about}"
                checked["pronoun"] += 1
            named = re.search(r"\bthe (.+?)(?= (?:doing|made|have|look)\b|$)", question)
            if named is not None:
                about = _kind(named[1], objects)
            if question.startswith("what color") and about is not None:
                things = [each for each in objects if each["name"] == about]
                right = {color for each in things for color in each["attributes"] if color in COLORS}
                assert answer.split()[-1] in right, (question, answer)
                checked["color"] += 1
            affirmed = _ANY.match(question)
            if affirmed is not None:
                there = [each for each in objects if _plural(affirmed[1], each["name"])]
                if not answer.startswith("yes"):
                    assert not there, question
                    checked["no"] += 1
                about = there[0]["name"] if answer.startswith("yes") and len(there) == 1 else None
                checked["exists"] += 1
            elif question.startswith("how many"):
                about = None
    assert checked["pronoun"] > 100
    assert checked["color"] > 80
    assert min(checked["no"], checked["exists"] - checked["no"]) > 0.3 * checked["exists"]


def _kind(phrase: str, objects: list[dict[str, Any]]) -> str | None:
    names = {each["name"] for each in objects}
    found = [name for name in names if f" {phrase} ".find(f" {name} ") >= 0]
    return max(found, key=len) if found else None


def _first(caption: str, objects: list[dict[str, Any]]) -> str | None:
    """The kind that a caption begins with: the earliest, of those that begin there the longest."""
    places = [(f" {caption} ".find(f" {each['name']} "), -len(each["name"]), each["name"]) for each in objects]
    return min((place for place in places if place[0] >= 0), default=(0, 0, None))[2]


def _plural(words: str, name: str) -> bool:
    return words in (name, f"{name}s", f"{name}es", f"{name[:-1]}ies", name.replace("man", "men"))


@pytest.mark.parametrize(
    ("other", "right"),
    [
        (("word", "brown"), True),
        (("word", "standing"), True),
        (("word", "red"), False),
        (("kind", "animal"), True),
        (("kind", "car"), False),
        (("yes", ""), False),
    ],
)
def test_what_may_be_right_as_well_is_no_option(other: tuple[Any, str], right: bool) -> None:
    draft = RoundDraft("what color is it", "brown", AnswerMeaning("word", "brown"), ("brown", "standing"), ("dog",))
    assert may_be_right(AnswerMeaning(*other), draft) is right
    none = RoundDraft("are there any cats", "no", AnswerMeaning("no"), (), ("cat",))
    assert may_be_right(AnswerMeaning("count", "0"), none)
    assert not may_be_right(AnswerMeaning("yes"), none)
