"""What is read off bits is what the names of the things say one by one."""

from __future__ import annotations

import pytest

from falter.generation.english import default_grammar
from falter.generation.scene import Box, ObjectDescription, Scene, SceneGraph, SceneObject

_ONTOLOGY = default_grammar().ontology


@pytest.mark.parametrize(
    ("names", "complete"),
    [
        (("dog", "puppy", "sofa", "people", "car", "wheel"), {"objects"}),
        (("trees", "tree", "man", "player", "hat", "stove"), set()),
        ((), {"objects"}),
    ],
)
def test_kinds_by_bits(names: tuple[str, ...], complete: set[str]) -> None:
    things = {
        str(place): SceneObject(id=str(place), name=name, box=Box(10.0 * place, 0, 8, 8))
        for place, name in enumerate(names)
    }
    scene = Scene(
        SceneGraph(image_id="1", width=100, height=100, objects=things, complete=frozenset(complete)), _ONTOLOGY
    )
    assert scene.kind_bits is not None
    for kind in _ONTOLOGY.kinds:
        verdicts = [(thing, _ONTOLOGY.is_of_kind(thing.name, kind)) for thing in scene.objects]
        maybe = tuple(one for one in verdicts if one[1] is not False)
        assert scene.objects_of_kind(kind) == maybe
        assert scene.may_be_there(kind) == bool(maybe)
        if not scene.has_stand_ins:
            for number in ("singular", "plural"):
                bare = ObjectDescription(kind, number=number)
                assert scene.kind_exists(bare) is scene.settle_existence(bare, verdicts)


def test_a_name_that_is_not_in_the_vocabulary_has_no_bits() -> None:
    things = {"1": SceneObject(id="1", name="gizmotron", box=Box(0, 0, 8, 8))}
    scene = Scene(SceneGraph(image_id="1", width=100, height=100, objects=things), _ONTOLOGY)
    assert scene.kind_bits is None
    assert scene.may_be_there("dog")
    assert scene.kind_exists(ObjectDescription("dog")) is None
