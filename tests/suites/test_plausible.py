"""What is offered beside the truth is what people would say of such a thing."""

from __future__ import annotations

from random import Random
from typing import Any

from falter.english import default_grammar
from falter.scene import Box, Relation, Scene, SceneGraph, SceneObject
from falter.suites.carets.questions.arguments import absent_objects, present_objects
from falter.suites.carets.questions.cooccurrence import CooccurrenceCounts


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


def test_what_people_do_is_not_guessed_of_an_animal() -> None:
    cooccurrence = CooccurrenceCounts(
        [graph("1", ("sheep", ("walking",)), ("man", ("reading",)), ("dog", ("running",)), ("boy", ("dancing",)))],
        default_grammar().ontology,
    )
    assert sorted(cooccurrence.values_of("action", "sheep", Random(0))) == ["running", "walking"]
    assert sorted(cooccurrence.values_of("action", "woman", Random(0))) == ["dancing", "reading"]


def test_a_color_may_be_that_of_anything() -> None:
    cooccurrence = CooccurrenceCounts(
        [graph("1", ("sheep", ("white",)), ("car", ("red",)))], default_grammar().ontology
    )
    assert sorted(cooccurrence.values_of("color", "sheep", Random(0))) == ["red", "white"]


def test_one_wears_one_hat_and_two_shoes() -> None:
    ontology = default_grammar().ontology
    dressed = graph("1", ("man", (), ("wearing", 1), ("wearing", 2)), ("hats", ()), ("shoes", ()))
    other = graph("2", ("boy", (), ("wearing", 1)), ("hat", ()), ("girl", (), ("wearing", 3)), ("shoe", ()))
    cooccurrence = CooccurrenceCounts([dressed, other], ontology)
    scene = Scene(dressed, ontology)
    said = {
        (one.kind, one.number, one.relation.to.kind, one.relation.to.number)
        for one in (
            *present_objects(scene, "related", ontology, Random(0)),
            *absent_objects(scene, "related", ontology, cooccurrence, Random(0)),
        )
        if one.relation is not None
    }
    assert ("man", "singular", "shoe", "plural") in said
    assert not any(one[1:] == ("singular", "hat", "plural") for one in said)
