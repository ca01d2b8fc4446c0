"""What a thing is named by, and what has a left and a right."""

from __future__ import annotations

import msgspec
import pytest

from falter.generation.askable.placement import are_side_by_side, is_placed_by_words, may_stand_beside
from falter.generation.english import default_grammar
from falter.generation.scene import Box, Relation, Scene, SceneGraph, SceneObject
from falter.suites.carets.questions.referring_expressions import references, targets_among_several

ONTOLOGY = default_grammar().ontology
IMAGE = SceneGraph(image_id="1", width=400, height=300, objects={})


def scene(*things: tuple[str, float, tuple[str, ...]], width: float = 60) -> Scene:
    """Things side by side, by their names, their left edges and their attributes."""
    objects = {
        str(place): SceneObject(id=str(place), name=name, box=Box(x, 100, width, 120), attributes=values)
        for place, (name, x, values) in enumerate(things)
    }
    return Scene(SceneGraph(image_id="1", width=400, height=300, objects=objects), ONTOLOGY)


def named(made: Scene, place: int, kind: str, form: str) -> list[str]:
    return [one.describe() for one in references(made.objects[place], kind, form, made, ONTOLOGY)]


def test_the_only_one_of_its_kind_needs_no_more_words() -> None:
    made = scene(("dog", 0, ("white",)), ("man", 100, ("tall",)))
    assert named(made, 0, "dog", "single") == ["the dog"]
    assert named(made, 0, "animal", "single") == ["the animal"]
    assert named(made, 0, "dog", "related") == []


def test_one_of_several_is_named_by_an_attribute_or_a_relation_and_not_by_both() -> None:
    made = scene(("dog", 0, ("white",)), ("man", 100, ()), ("dog", 200, ("black",)))
    assert named(made, 0, "dog", "single") == ["the white dog"]
    assert named(made, 0, "dog", "related") == ["the dog to the left of the man"]


@pytest.mark.parametrize(
    ("box", "landmark", "wanted"),
    [
        (Box(0, 100, 60, 120), Box(100, 100, 60, 120), True),
        (Box(0, 100, 60, 120), Box(50, 100, 60, 120), False),
        (Box(0, 0, 60, 60), Box(100, 180, 60, 100), False),
        (Box(0, 0, 60, 200), Box(100, 0, 60, 60), False),
        (Box(0, 100, 30, 30), Box(300, 100, 30, 30), False),
        (Box(0, 20, 150, 250), Box(160, 200, 20, 40), False),
        (Box(0, 200, 20, 40), Box(60, 100, 100, 150), True),
        (Box(0, 100, 5, 5), Box(10, 100, 60, 10), False),
    ],
)
def test_boxes_are_side_by_side_on_one_ground_and_of_sizes_that_go_together(
    box: Box, landmark: Box, wanted: bool
) -> None:
    assert are_side_by_side(box, landmark, IMAGE) is wanted


@pytest.mark.parametrize(
    ("kind", "landmark", "wanted"),
    [
        ("dog", "bench", True),
        ("person", "bus", True),
        ("cup", "plate", True),
        ("bottle", "woman", False),
        ("ball", "dog", False),
        ("book", "sun", False),
        ("boy", "airplane", False),
        ("balloon", "umbrella", False),
        ("dining table", "knife", False),
        ("bowl", "table", False),
        ("knife", "dog", False),
        ("chair", "racket", False),
        ("backpack", "bus", False),
        ("dining table", "bus", False),
        ("bench", "bus", True),
        ("adult", "man", False),
        ("barn", "woman", False),
    ],
)
def test_kinds_have_landmarks_of_their_sort(kind: str, landmark: str, wanted: bool) -> None:
    assert may_stand_beside(kind, landmark, ONTOLOGY) is wanted


@pytest.mark.parametrize(
    ("kind", "relation", "landmark", "wanted"),
    [
        ("car", "below", "airplane", False),
        ("bird", "above", "zebra", False),
        ("painting", "above", "sofa", True),
        ("chair", "near", "ball", False),
        ("building", "near", "horse", False),
        ("man", "near", "horse", True),
        ("boy", "on", "table", False),
        ("woman", "on", "phone", False),
        ("boy", "on", "skateboard", True),
        ("laptop", "on", "table", True),
    ],
)
def test_relations_are_those_that_people_find_things_by(kind: str, relation: str, landmark: str, wanted: bool) -> None:
    assert is_placed_by_words(kind, relation, landmark, ONTOLOGY) is wanted


def test_what_may_not_be_the_only_one_is_named_as_one_of_several() -> None:
    # In a room a second sofa may have been passed over, and a lamp is near a sofa rather than a sofa near a lamp.
    boxes = {"lamp": Box(0, 100, 20, 40), "sofa": Box(100, 100, 200, 120), "room": Box(0, 0, 400, 300)}
    objects = {
        name: SceneObject(
            id=name,
            name=name,
            box=box,
            relations=tuple(Relation(name="near", target=other) for other in boxes if other != name),
        )
        for name, box in boxes.items()
    }
    room = SceneGraph(image_id="1", width=400, height=300, objects=objects, location="living room")
    whole = msgspec.structs.replace(room, complete=frozenset({"objects"}))

    def near(graph: SceneGraph) -> list[str]:
        made = Scene(graph, ONTOLOGY)
        found = {one.name: targets_among_several(one, made, ONTOLOGY) for one in made.objects}
        return [f"{name} {one.name} {one.to.describe()}" for name, some in found.items() for one in some]

    assert near(room) == ["lamp near sofa"]
    assert near(whole) == []


def test_the_only_woman_beside_a_girl_is_not_picked_out_by_a_landmark() -> None:
    def person(key: str, name: str, place: int) -> SceneObject:
        mood = {"1": ("happy",), "2": ("sad",)}.get(key, ())
        return SceneObject(id=key, name=name, box=Box(place, 0, 80, 90), attributes=mood)

    beside_a_girl = [person("1", "woman", 0), person("2", "girl", 150), person("3", "bench", 300)]
    beside_another = [person("1", "woman", 0), person("2", "woman", 150), person("3", "bench", 300)]
    for things, named in ((beside_a_girl, False), (beside_another, True)):
        graph = SceneGraph(image_id="1", width=400, height=100, objects={one.id: one for one in things})
        found = list(references(things[0], "woman", "single", Scene(graph, ONTOLOGY), ONTOLOGY))
        assert bool(found) is named


def test_what_is_carried_about_is_not_below_what_hangs_on_a_wall() -> None:
    def placed(kind: str, landmark: str) -> bool:
        return is_placed_by_words(kind, "below", landmark, ONTOLOGY)

    assert placed("sofa", "painting") and placed("bed", "mirror") and placed("chair", "window")
    assert not any(placed(kind, wall) for kind in ("umbrella", "flower", "ball") for wall in ("painting", "mirror"))
    assert placed("bag", "bench")
