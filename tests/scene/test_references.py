"""What "the ..." picks out, against its plain definition over all things that may fit."""

from __future__ import annotations

import pytest

from falter.generation.english import default_grammar
from falter.generation.scene import ObjectDescription, Related, Scene, SceneGraph, SceneObject
from falter.generation.scene.graph import Box, Relation
from falter.world.compose import compose

ONTOLOGY = default_grammar().ontology


def picked_out(scene: Scene, described: ObjectDescription) -> tuple[SceneObject, ...] | None:
    """The definition: all verdicts are settled, no other may be there, and the number is right."""
    if described.relation is not None and not scene.presuppositions_hold(described.relation.to):
        return None
    verdicts = scene.objects_for(described)
    if any(verdict is None for _, verdict in verdicts) or scene._unannotated.may_have_another(described.kind):
        return None
    found = tuple(thing for thing, verdict in verdicts if verdict)
    groups = [thing for thing in found if ONTOLOGY.grammatical_number(thing.name) == "plural"]
    if described.number == "plural":
        return found if (len(found) >= 2 and not groups) or (len(found) == 1 and groups) else None
    return found if len(found) == 1 and not groups else None


def without_limits(graph: SceneGraph) -> SceneGraph:
    """The same things annotated by people, who leave much out."""
    import msgspec

    return msgspec.structs.replace(graph, complete=frozenset())


def street() -> SceneGraph:
    """Things that stand for others, groups, and things named twice."""
    things = {
        "1": SceneObject(id="1", name="coat", box=Box(10, 10, 20, 40), attributes=("red",)),
        "2": SceneObject(id="2", name="wheel", box=Box(60, 60, 20, 20), attributes=("black",)),
        "3": SceneObject(id="3", name="dogs", box=Box(100, 60, 40, 30), relations=(Relation("near", "4"),)),
        "4": SceneObject(id="4", name="man", box=Box(150, 20, 30, 90), attributes=("tall",)),
        "5": SceneObject(id="5", name="car", box=Box(200, 40, 80, 60), attributes=("red",)),
        "6": SceneObject(id="6", name="car", box=Box(300, 40, 80, 60), attributes=("blue",)),
    }
    return SceneGraph(image_id="street", width=400, height=120, objects=things)


def descriptions(scene: Scene) -> list[ObjectDescription]:
    kinds = {
        above
        for thing in scene.objects
        if (kind := ONTOLOGY.kind_for_name(thing.name)) is not None
        for above in ONTOLOGY.ancestors(kind)
    }
    values = sorted({value for thing in scene.objects for value in thing.attributes})
    plain = [
        ObjectDescription(kind, words, None, number, definite=True)
        for kind in sorted(kinds | {"person", "vehicle"})
        for words in ((), *((value,) for value in values[:4]))
        for number in ("singular", "plural")
    ]
    targets = [one for one in plain if scene.resolve(one) is not None][:4]
    return plain + [
        ObjectDescription(one.kind, one.attributes, Related(name, target), one.number, definite=True)
        for one in plain[::3]
        for target in targets
        for name in ("to the left of", "near", "wearing")
    ]


@pytest.mark.parametrize("number", range(4))
def test_the_only_thing_is_the_one_that_fits_where_no_other_may(number: int) -> None:
    graph = compose(0, number).graph if number < 3 else street()
    resolved = 0
    for one in (graph, without_limits(graph)):
        scene = Scene(one, ONTOLOGY)
        for described in descriptions(scene):
            found = scene.resolve(described)
            assert found == picked_out(scene, described), described.describe()
            resolved += found is not None
    assert resolved > 5
