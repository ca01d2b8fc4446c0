"""Scenes of the contrastive mix: each role and position both ways, drawn as it is annotated."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

from falter.core.files import read_json
from falter.generation.scene import SceneObject
from falter.world import WorldScene
from falter.world.compose import compose
from falter.world.world_data import PEOPLE
from falter.world.write_world import write_world

COUNT = 150
LIVING = {*PEOPLE, "dog", "cat", "rabbit", "sheep", "pig"}


@cache
def scenes() -> tuple[WorldScene, ...]:
    return tuple(compose(4, index, "contrastive") for index in range(COUNT))


def related(name: str) -> list[tuple[SceneObject, SceneObject]]:
    return [
        (thing, scene.graph.objects[relation.target])
        for scene in scenes()
        for thing in scene.graph.objects.values()
        for relation in thing.relations
        if relation.name == name
    ]


def test_who_does_something_has_it_done_to_them_elsewhere() -> None:
    done: Counter[str] = Counter()
    suffered: Counter[str] = Counter()
    for scene in scenes():
        objects = scene.graph.objects
        for one in scene.actions:
            if {objects[one.agent].name, objects[one.patient].name} <= LIVING:
                done[objects[one.agent].name] += 1
                suffered[objects[one.patient].name] += 1
    assert done.total() >= COUNT / 3
    assert all(done[kind] >= 4 and suffered[kind] >= 4 for kind in PEOPLE)


def test_what_is_under_a_table_is_within_its_legs_and_what_is_on_top_is_above() -> None:
    under = [(thing.box, base.box) for thing, base in related("under") if base.name == "table"]
    assert under
    assert all(base.x < thing.x and thing.right < base.right and thing.y > base.y for thing, base in under)
    on = [(thing.box, base.box) for thing, base in related("on top of")]
    assert on
    assert all(thing.y < base.y or base.y < thing.bottom < base.bottom for thing, base in on)


def test_positions_in_depth_are_annotated_from_either_side() -> None:
    before = {(thing.id, other.id) for thing, other in related("in front of")}
    behind = {(other.id, thing.id) for thing, other in related("behind")}
    assert before == behind
    assert len(before) >= COUNT / 6


def test_many_scenes_have_four_or_more_of_a_kind() -> None:
    large = [scene for scene in scenes() if any(group.count >= 4 for group in scene.counted_groups)]
    assert len(large) >= COUNT / 4


def test_a_world_says_that_it_is_of_another_mix(tmp_path: Path) -> None:
    write_world(tmp_path / "one", 3, 0, images=False, mix="contrastive")
    write_world(tmp_path / "two", 3, 0, images=False)
    assert read_json(tmp_path / "one" / "world.json", dict)["mix"] == "contrastive"
    assert "mix" not in read_json(tmp_path / "two" / "world.json", dict)
