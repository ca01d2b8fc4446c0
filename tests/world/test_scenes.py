"""Scenes are the same every time, show what their graphs say, and say nothing that is not plain to see."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.generation.english import default_grammar
from falter.generation.scene import SceneGraph, SceneObject
from falter.world.compose import WorldScene, compose
from falter.world.drawing import DRAWABLE, HEIGHT, WIDTH
from falter.world.drawn_objects import visibility
from falter.world.layout import MIN_VISIBLE_SHARE
from falter.world.questions import QuestionSampler
from falter.world.world_data import PEOPLE, load_world_data

COUNT = 400


@cache
def scenes() -> tuple[WorldScene, ...]:
    return tuple(compose(11, index) for index in range(COUNT))


def related(graph: SceneGraph, name: str) -> list[tuple[SceneObject, SceneObject]]:
    return [
        (thing, graph.objects[relation.target])
        for thing in graph.objects.values()
        for relation in thing.relations
        if relation.name == name
    ]


def is_place(thing: SceneObject) -> bool:
    return default_grammar().ontology.is_a(thing.name, "place")


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**40), index=st.integers(0, 100_000))
def test_a_scene_is_the_same_every_time(seed: int, index: int) -> None:
    assert compose(seed, index) == compose(seed, index)


def test_other_numbers_and_seeds_give_other_scenes() -> None:
    assert len({repr(scene.appearances) for scene in scenes()}) == COUNT
    assert compose(11, 3).appearances != compose(12, 3).appearances


def test_three_to_twelve_things_inside_the_image() -> None:
    sizes = Counter(len(scene.appearances) for scene in scenes())
    assert set(sizes) <= set(range(3, 13))
    assert {3, 6, 9, 12} <= set(sizes)
    for scene in scenes():
        for thing in scene.graph.objects.values():
            box = thing.box
            assert box.w > 0
            assert box.h > 0
            assert 0 <= box.x < box.right <= WIDTH, (scene.index, thing)
            assert 0 <= box.y < box.bottom <= HEIGHT, (scene.index, thing)


def test_everything_annotated_can_be_seen() -> None:
    for scene in scenes():
        seen = visibility(scene.appearances, scene.wearers)
        worst = min(zip(seen.shares, scene.appearances, strict=True), key=lambda pair: pair[0])
        assert worst[0] >= MIN_VISIBLE_SHARE, (scene.index, worst)


def test_relations_lead_to_objects_of_the_scene_and_use_known_words() -> None:
    ontology = default_grammar().ontology
    for scene in scenes():
        for thing in scene.graph.objects.values():
            assert thing.name in ontology.kinds
            assert all(word in ontology.family_by_value for word in thing.attributes), thing
            for relation in thing.relations:
                assert relation.name in ontology.relations
                assert relation.target in scene.graph.objects
                assert relation.target != thing.id


def test_left_and_right_follow_the_boxes_and_come_in_pairs() -> None:
    for scene in scenes():
        left = related(scene.graph, "to the left of")
        assert all(first.box.right <= second.box.x for first, second in left)
        pairs = {(first.id, second.id) for first, second in left}
        assert {(second.id, first.id) for first, second in related(scene.graph, "to the right of")} == pairs
        worn = {second.id for _, second in related(scene.graph, "wearing")}
        free = [each for each in scene.graph.objects.values() if not is_place(each) and each.id not in worn]
        for first in free:
            for second in free:
                if first.box.right <= second.box.x:
                    assert (first.id, second.id) in pairs, (scene.index, first.name, second.name)


@pytest.mark.parametrize(("name", "inverse"), [("above", "below"), ("behind", "in front of"), ("near", "near")])
def test_relations_with_an_inverse_are_said_both_ways(name: str, inverse: str) -> None:
    found = 0
    for scene in scenes():
        there = {(first.id, second.id) for first, second in related(scene.graph, name)}
        back = {(second.id, first.id) for first, second in related(scene.graph, inverse)}
        assert there == back
        found += len(there)
    assert found > 10


def test_what_is_above_is_higher_and_what_is_behind_is_further() -> None:
    for scene in scenes():
        assert all(first.box.bottom <= second.box.y for first, second in related(scene.graph, "above"))
        assert all(first.box.bottom < second.box.bottom for first, second in related(scene.graph, "behind"))


def test_people_wear_clothes_and_nobody_else_does() -> None:
    for scene in scenes():
        wearing = related(scene.graph, "wearing")
        assert all(first.name in PEOPLE for first, _ in wearing)
        worn = Counter(second.id for _, second in wearing)
        assert all(count == 1 for count in worn.values())
        for person in (each for each in scene.graph.objects.values() if each.name in PEOPLE):
            clothes = {second.name for first, second in wearing if first is person}
            assert {"shirt", "pants"} <= clothes or "dress" in clothes, (scene.index, clothes)


def test_roles_suit_the_verbs_and_nobody_does_two_things() -> None:
    ontology = default_grammar().ontology
    for scene in scenes():
        objects = scene.graph.objects
        agents = Counter(action.agent for action in scene.actions)
        assert all(count == 1 for count in agents.values()), scene.index
        for action in scene.actions:
            word = ontology.relations[action.verb]
            assert any(ontology.is_a(objects[action.agent].name, kind) for kind in word.subjects), action
            assert any(ontology.is_a(objects[action.patient].name, kind) for kind in word.objects), action
            assert any(
                one.name == action.verb and one.target == action.patient for one in objects[action.agent].relations
            )
            if action.tool is not None:
                assert any(
                    one.name == "holding" and one.target == action.tool for one in objects[action.agent].relations
                )


def test_there_are_enough_verbs_and_relations() -> None:
    assert len(load_world_data().verbs) >= 30
    many = [compose(4, index) for index in range(1200)]
    verbs = Counter(action.verb for scene in many for action in scene.actions)
    assert len(verbs) >= 30, sorted(set(load_world_data().verbs) - set(verbs))
    relations = {one.name for scene in many for thing in scene.graph.objects.values() for one in thing.relations}
    assert len(relations) >= 35


def test_groups_count_what_the_graph_holds() -> None:
    sizes = Counter()
    for scene in scenes():
        names = Counter(thing.name for thing in scene.graph.objects.values())
        for group in scene.counted_groups:
            assert group.count == len(group.members) == names[group.kind]
            sizes[group.count] += 1
    assert {2, 3, 4, 5, 6, 7} <= set(sizes)


def test_no_kind_is_everywhere_and_none_is_nowhere() -> None:
    seen: Counter[str] = Counter()
    for scene in scenes():
        seen.update({appearance.kind for appearance in scene.appearances})
    assert max(seen.values()) <= 0.4 * COUNT, seen.most_common(3)
    data = load_world_data()
    drawn = {kind for each in data.environments.values() for kind, weight in (each.front | each.back).items() if weight}
    assert drawn <= set(DRAWABLE)
    assert drawn <= set(seen), sorted(drawn - set(seen))


def test_company_can_be_learned_and_is_not_certain() -> None:
    farms = [scene for scene in scenes() if scene.environment == "farm"]
    rooms = [scene for scene in scenes() if not load_world_data().environments[scene.environment].outdoors]

    def share(kind: str, among: list[WorldScene]) -> float:
        return sum(any(appearance.kind == kind for appearance in scene.appearances) for scene in among) / len(among)

    beasts = ("cow", "horse", "sheep", "pig", "barn")
    assert max(share(kind, farms) for kind in beasts) > 0.15
    assert all(share(kind, rooms) == 0 for kind in beasts)
    assert all(share(kind, farms) < 0.9 for kind in DRAWABLE)
    assert all(share(kind, rooms) < 0.9 for kind in DRAWABLE)


def test_the_world_uses_its_own_words_only() -> None:
    words = load_world_data().families
    ontology = default_grammar().ontology
    for family, used in words.items():
        assert set(used.values) <= set(ontology.families[family].values)
        assert all(kind in ontology.kinds for kind in used.shown)
    own = {word for used in words.values() for word in used.values}
    for scene in scenes():
        for thing in scene.graph.objects.values():
            assert set(thing.attributes) <= own
        assert scene.graph.complete & set(ontology.families) <= set(words)
        sampler = QuestionSampler(scene, random.Random(scene.index))
        for family, used in words.items():
            assert sampler.other_word(family, used.values[0]) in used.values[1:]


def test_complete_families_have_a_word_for_everything() -> None:
    ontology = default_grammar().ontology
    words = load_world_data().families
    for scene in scenes():
        views = [
            appearance for appearance in scene.appearances if appearance.kind in ("painting", "window", "television")
        ]
        assert "objects" in scene.graph.complete or views
        assert not {"near", "next to", "to the left of", "size", "behind"} & scene.graph.complete
        for family in scene.graph.complete & set(words) - {"action"}:
            for thing in scene.graph.objects.values():
                shown = any(ontology.is_a(thing.name, kind) for kind in words[family].shown)
                if shown and ontology.family_applies_to(family, thing.name):
                    assert set(words[family].values) & set(thing.attributes), (scene.index, family, thing)


def test_nobody_drinks_from_what_is_empty() -> None:
    vessels = [vessel for scene in scenes() for _, vessel in related(scene.graph, "drinking from")]
    assert vessels
    assert all("full" in vessel.attributes for vessel in vessels)


def test_what_is_drawn_with_a_grain_is_not_called_plain() -> None:
    things = [thing for scene in scenes() for thing in scene.graph.objects.values()]
    grained = [thing for thing in things if {"wood", "stone", "brick"} & set(thing.attributes)]
    assert any("striped" in thing.attributes for thing in grained)
    assert not [thing for thing in grained if "plain" in thing.attributes]


def test_most_families_are_complete_in_many_scenes() -> None:
    seen = Counter(family for scene in scenes() for family in scene.graph.complete)
    share = {family: seen[family] / len(scenes()) for family in load_world_data().families}
    assert min(share[family] for family in ("opening", "contents", "light", "shape", "mood", "action")) > 0.5, share
    assert min(share[family] for family in ("color", "pose", "material")) > 0.25, share
    assert min(share[family] for family in ("length", "pattern")) > 0.1, share
    assert share["size"] == 0
