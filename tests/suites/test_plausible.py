"""What is offered beside the truth is what people would say of such a thing."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from falter.generation.askable.source_habits import SourceHabits
from falter.generation.english import default_grammar
from falter.generation.scene import Box, ObjectDescription, Related, Relation, Scene, SceneGraph, SceneObject
from falter.suites.carets.questions.arguments import absent_objects, present_objects
from falter.suites.carets.questions.attribute_verification import named_otherwise
from falter.suites.carets.questions.surroundings import Surroundings


def graph(image: str, *things: tuple[Any, ...]) -> SceneGraph:
    """Things in a row: (name, attributes, (relation, place) or nothing)."""
    objects = {
        str(place): SceneObject(
            id=str(place),
            name=name,
            box=Box(place * 10, 0, 9, 9),
            attributes=attributes,
            relations=tuple(Relation(relation, str(target)) for relation, target in relations),
        )
        for place, (name, attributes, *relations) in enumerate(things)
    }
    return SceneGraph(image_id=image, width=100, height=9, objects=objects)


def absent(here: SceneGraph, form: str, habits: SourceHabits, seed: int = 0) -> list[ObjectDescription]:
    """What a source would ask for in an image that is not there."""
    ontology = default_grammar().ontology
    scene = Scene(here, ontology)
    surroundings = Surroundings(scene, ontology, habits)
    return absent_objects(scene, form, ontology, habits, surroundings, Random(seed))


def test_what_people_do_is_not_guessed_of_an_animal() -> None:
    habits = SourceHabits(
        [graph("1", ("sheep", ("walking",)), ("man", ("reading",)), ("dog", ("running",)), ("boy", ("dancing",)))],
        default_grammar().ontology,
    )
    of_a_sheep = set(habits.values.of_family("action", "sheep", Random(0)))
    assert {"walking", "grazing"} <= of_a_sheep
    assert not of_a_sheep & {"reading", "dancing", "driving", "cooking"}
    assert {"reading", "eating"} <= set(habits.values.of_family("action", "woman", Random(0)))


def test_colors_are_those_that_such_things_have() -> None:
    habits = SourceHabits([graph("1", ("cat", ("white",)), ("car", ("green",)))], default_grammar().ontology)
    of_a_cat = set(habits.values.of_family("color", "cat", Random(0)))
    assert {"white", "black", "orange", "gray"} <= of_a_cat
    assert not of_a_cat & {"green", "purple", "teal"}


@pytest.mark.parametrize(
    ("description", "family"),
    [
        (ObjectDescription("surfer"), "sport"),
        (ObjectDescription("man", (), Related("on", ObjectDescription("skateboard"))), "sport"),
        (ObjectDescription("man", (), Related("sitting on", ObjectDescription("bench"))), "pose"),
        (ObjectDescription("woman", (), Related("holding", ObjectDescription("book"))), "action"),
        (ObjectDescription("boy", (), Related("holding", ObjectDescription("cup"))), "action"),
        (ObjectDescription("man", (), Related("holding", ObjectDescription("sandwich"))), "action"),
        (ObjectDescription("horse", ("white",)), "tone"),
        (ObjectDescription("orange"), "color"),
    ],
)
def test_a_description_does_not_answer_its_own_question(description: ObjectDescription, family: str) -> None:
    ontology = default_grammar().ontology
    assert not named_otherwise(description, family, ontology)
    assert named_otherwise(ObjectDescription("man", (), Related("near", ObjectDescription("tree"))), family, ontology)
    umbrella = ObjectDescription("man", (), Related("holding", ObjectDescription("umbrella")))
    assert named_otherwise(umbrella, family, ontology)


def test_what_is_denied_is_as_plausible_as_what_is_there() -> None:
    ontology = default_grammar().ontology
    kitchen = graph("1", ("oven", ()), ("sink", ()), ("refrigerator", ()), ("microwave", ()))
    street = graph("2", ("car", ()), ("traffic light", ()), ("truck", ()))
    habits = SourceHabits([kitchen, street], ontology)
    for here, elsewhere in ((kitchen, street), (street, kitchen)):
        denied = Surroundings(Scene(here, ontology), ontology, habits).absent_kinds(Random(0))
        assert denied
        assert not set(denied) & {thing.name for thing in elsewhere.objects.values()}


def test_where_annotators_had_a_list_only_its_kinds_are_denied() -> None:
    ontology = default_grammar().ontology
    kitchen = graph("1", ("oven", ()), ("sink", ()))
    habits = SourceHabits([kitchen], ontology, frozenset({"oven", "sink", "refrigerator", "zebra"}))
    listed = msgspec.structs.replace(kitchen, categories=frozenset({"oven", "sink", "refrigerator", "zebra"}))
    denied = Surroundings(Scene(listed, ontology), ontology, habits).absent_kinds(Random(0))
    assert denied == ["refrigerator"]


def test_one_wears_one_hat_and_two_shoes() -> None:
    ontology = default_grammar().ontology
    dressed = graph("1", ("man", (), ("wearing", 1), ("wearing", 2)), ("hats", ()), ("shoes", ()))
    other = graph("2", ("boy", (), ("wearing", 1)), ("hat", ()), ("girl", (), ("wearing", 3)), ("shoe", ()))
    habits = SourceHabits([dressed, other], ontology)
    scene = Scene(dressed, ontology)
    said = {
        (one.kind, one.number, one.relation.to.kind, one.relation.to.number)
        for one in (
            *present_objects(scene, "related", ontology, Random(0)),
            *absent(dressed, "related", habits),
        )
        if one.relation is not None
    }
    assert ("man", "singular", "shoe", "plural") in said
    assert not any(one[1:] == ("singular", "hat", "plural") for one in said)


def test_what_is_denied_of_a_kind_is_what_it_is_known_to_take() -> None:
    ontology = default_grammar().ontology
    here = graph("1", ("horse", ("brown",)), ("grass", ()), ("fence", ()), ("car", ("green",)))
    elsewhere = graph("2", ("shirt", ("white",)), ("hat", ("black",)), ("cup", ("purple",)), ("bag", ("pink",)))
    habits = SourceHabits([here, elsewhere], ontology)
    of_horses = {
        value
        for seed in range(20)
        for one in absent(here, "single", habits, seed)
        if one.kind == "horse"
        for value in one.attributes
    }
    # The source has no white horse and no black one; people speak of both. Nothing in it is gray.
    assert {"white", "black"} <= of_horses
    assert not of_horses & {"green", "purple", "pink", "gray"}


def test_where_annotators_say_no_attributes_none_is_denied() -> None:
    ontology = default_grammar().ontology
    kitchen = graph("1", ("oven", ()), ("sink", ()), ("refrigerator", ()))
    habits = SourceHabits([kitchen], ontology)
    denied = absent(kitchen, "single", habits)
    assert denied
    assert not any(one.attributes for one in denied)


def test_a_sport_is_asked_about_where_it_could_be_done() -> None:
    ontology = default_grammar().ontology
    table = graph("1", ("bowl", ()), ("food", ()), ("table", ()), ("fork", ()), ("person", ("sitting",)))
    ramp = graph("2", ("ramp", ()), ("sidewalk", ()), ("helmet", ()), ("boy", ("skateboarding",)), ("person", ()))
    habits = SourceHabits([table, ramp], ontology)
    asked = [
        {value for seed in range(30) for one in absent(here, "single", habits, seed) for value in one.attributes}
        for here in (table, ramp)
    ]
    assert "skateboarding" in asked[1]
    assert not asked[0] & {"skateboarding", "surfing", "skiing", "snowboarding"}


def test_relations_that_people_speak_of_are_denied_too() -> None:
    ontology = default_grammar().ontology
    kitchen = graph("1", ("plate", (), ("on", 1)), ("table", ()), ("knife", ()), ("bowl", ()), ("cup", (), ("on", 1)))
    habits = SourceHabits([kitchen], ontology)
    related = {
        (one.kind, one.relation.name, one.relation.to.kind)
        for seed in range(10)
        for one in absent(kitchen, "related", habits, seed)
        if one.relation is not None
    }
    # No image of the source has a bottle; people speak of bottles on tables.
    assert ("bottle", "on", "table") in related
    assert not any(kind in ("plate", "table") and name == "on" and to == "cup" for kind, name, to in related)
