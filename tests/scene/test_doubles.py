"""One thing that is annotated twice is not two things."""

from __future__ import annotations

import pytest

from falter.generation.english.ontology import load_ontology
from falter.generation.scene import Box, ObjectDescription, Related, Scene, SceneGraph, SceneObject
from falter.generation.scene.graph import Relation

MAN = Box(200, 120, 70, 150)
SAME_MAN = Box(201, 121, 69, 149)
NEXT_TO_HIM = Box(255, 120, 70, 150)
APART = Box(380, 140, 30, 70)


def _scene(*named: tuple[str, Box], complete: frozenset[str] = frozenset()) -> Scene:
    objects = {str(place): SceneObject(id=str(place), name=name, box=box) for place, (name, box) in enumerate(named)}
    return Scene(SceneGraph(image_id="1", width=500, height=375, objects=objects, complete=complete), load_ontology())


PEOPLE = ObjectDescription("person", number="plural")


@pytest.mark.parametrize(
    ("things", "expected"),
    [
        ([("man", MAN), ("person", SAME_MAN)], None),
        ([("person", MAN), ("person", SAME_MAN)], None),
        ([("man", MAN), ("person", NEXT_TO_HIM)], True),
        ([("man", MAN), ("person", SAME_MAN), ("boy", APART)], True),
        ([("boy", APART), ("man", MAN), ("person", SAME_MAN)], True),
        ([("people", MAN), ("person", SAME_MAN)], True),
    ],
)
def test_two_names_in_one_box_make_no_several(things: list[tuple[str, Box]], expected: bool | None) -> None:
    scene = _scene(*things)
    assert scene.exists(PEOPLE) is expected
    assert scene.kind_exists(PEOPLE) is expected
    assert scene.exists(ObjectDescription("person")) is True


def test_what_may_be_one_counts_as_one_at_least() -> None:
    assert _scene(("cow", MAN), ("cow", SAME_MAN)).count(ObjectDescription("cow"))[:2] == (1, 2)
    assert _scene(("cow", MAN), ("cow", APART)).count(ObjectDescription("cow"))[:2] == (2, 2)


def test_where_all_is_annotated_nothing_is_annotated_twice() -> None:
    assert _scene(("man", MAN), ("man", SAME_MAN), complete=frozenset({"objects"})).exists(PEOPLE) is True


def test_unlike_things_in_one_box_are_two() -> None:
    scene = _scene(("man", MAN), ("jacket", SAME_MAN), ("jacket", APART))
    assert scene.exists(ObjectDescription("jacket", number="plural")) is True


def test_the_several_are_not_picked_out_of_one() -> None:
    several = ObjectDescription("sofa", number="plural", definite=True)
    known = frozenset({"referents"})
    assert _scene(("sofa", MAN), ("couch", SAME_MAN), complete=known).resolve(several) is None
    assert len(_scene(("sofa", MAN), ("couch", APART), complete=known).resolve(several) or ()) == 2


def test_who_holds_one_ball_annotated_twice_holds_no_balls() -> None:
    ball, same = Box(340, 80, 12, 12), Box(341, 80, 12, 12)
    holding = ObjectDescription("man", (), Related("holding", ObjectDescription("ball", number="plural")))

    def whether_he_holds(other: Box) -> bool | None:
        objects = {
            "m": SceneObject(
                id="m", name="man", box=MAN, relations=(Relation("holding", "a"), Relation("holding", "b"))
            ),
            "a": SceneObject(id="a", name="ball", box=ball),
            "b": SceneObject(id="b", name="ball", box=other),
        }
        graph = SceneGraph(image_id="1", width=500, height=375, objects=objects)
        return Scene(graph, load_ontology()).exists(holding)

    assert whether_he_holds(same) is None
    assert whether_he_holds(Box(400, 80, 12, 12)) is True
