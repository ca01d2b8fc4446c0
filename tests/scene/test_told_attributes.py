"""What a relation tells of the one who is in it."""

from __future__ import annotations

import pytest

from falter.generation.english import default_grammar
from falter.generation.scene import Box, HasAttribute, ObjectDescription, Relation, Scene, SceneGraph, SceneObject


def asked(name: str, attributes: tuple[str, ...], relation: str, value: str) -> str | None:
    thing = SceneObject(
        id="1", name=name, box=Box(0, 0, 9, 9), attributes=attributes, relations=(Relation(relation, "2"),)
    )
    other = SceneObject(id="2", name="bench", box=Box(0, 5, 9, 9))
    graph = SceneGraph(image_id="1", width=20, height=20, objects={"1": thing, "2": other})
    described = ObjectDescription(name, definite=True)
    return HasAttribute(described, value).answer(Scene(graph, default_grammar().ontology))


@pytest.mark.parametrize(
    ("name", "attributes", "relation", "value", "answer"),
    [
        ("dog", (), "lying on", "lying", "yes"),
        ("dog", (), "lying on", "standing", "no"),
        ("dog", (), "walking past", "walking", "yes"),
        ("dog", (), "walking past", "sleeping", "no"),
        ("dog", (), "near", "walking", None),
        # Only people and animals pose; who flies a kite does not fly; what is annotated otherwise stays.
        ("bowl", (), "sitting on", "sitting", None),
        ("dog", (), "flying", "flying", None),
        ("dog", ("standing",), "lying on", "lying", "no"),
    ],
)
def test_a_relation_tells_what_somebody_does(
    name: str, attributes: tuple[str, ...], relation: str, value: str, answer: str | None
) -> None:
    assert asked(name, attributes, relation, value) == answer


@pytest.mark.parametrize(
    ("attributes", "value", "answer"),
    [
        (("white",), "light colored", "yes"),
        (("white",), "dark colored", "no"),
        (("black",), "light colored", "no"),
        (("black", "white"), "dark colored", None),
        (("red",), "dark colored", None),
    ],
)
def test_a_color_tells_of_light_and_dark(attributes: tuple[str, ...], value: str, answer: str | None) -> None:
    assert asked("dog", attributes, "near", value) == answer


def test_a_color_tells_nothing_further_beside_another() -> None:
    words = default_grammar().ontology.attributes
    assert words.told_by_others(("white", "large")) == ("light colored",)
    assert words.told_by_others(("white", "red")) == ()
