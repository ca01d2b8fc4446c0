"""What small scenes say for sure, and where they cannot tell."""

from __future__ import annotations

from typing import Any

import pytest

from falter.generation.english import default_grammar
from falter.generation.scene import (
    And,
    Box,
    Choose,
    Count,
    CountIs,
    Exists,
    HasAttribute,
    IsKind,
    Not,
    ObjectDescription,
    OnSide,
    Option,
    Or,
    Query,
    Related,
    Relation,
    RelationHolds,
    Scene,
    SceneGraph,
    SceneObject,
)

YES, NO, UNKNOWN = "yes", "no", None


def scene(*things: str | tuple[Any, ...], complete: str = "", width: int = 100) -> Scene:
    """A scene of things in a row: a name, or (name, "attributes", "relation>place, ...", x)."""
    objects = {}
    for place, thing in enumerate(things):
        given = (thing,) if isinstance(thing, str) else thing
        name, attributes, relations, x = (*given, *("", "", "", None)[len(given) :])
        pairs = [one.strip().split(">") for one in relations.split(",") if one.strip()]
        objects[str(place)] = SceneObject(
            id=str(place),
            name=name,
            box=Box(place * 10 if x is None else x, 0, 9, 9),
            attributes=tuple(str(attributes).split()),
            relations=tuple(Relation(relation, target) for relation, target in pairs),
        )
    stated = frozenset(word.strip() for word in complete.split(",") if word.strip())
    graph = SceneGraph(image_id="1", width=width, height=9, objects=objects, complete=stated)
    return Scene(graph, default_grammar().ontology)


def one(kind: str, *attributes: str, **more: Any) -> ObjectDescription:
    return ObjectDescription(kind, attributes, **more)


def the(kind: str, *attributes: str, **more: Any) -> ObjectDescription:
    return ObjectDescription(kind, attributes, definite=True, **more)


def several(kind: str, *attributes: str, **more: Any) -> ObjectDescription:
    return ObjectDescription(kind, attributes, number="plural", **more)


def is_there(selection: ObjectDescription, where: Scene) -> str | None:
    answer = Exists(selection).answer(where)
    turned = Not(Exists(selection)).answer(where)
    assert turned == {YES: NO, NO: YES, UNKNOWN: UNKNOWN}[answer]
    return answer


@pytest.mark.parametrize(
    ("asked", "here", "answer"),
    [
        ("animal", "dog", YES),
        ("dog", "dog", YES),
        ("thing", "dog", YES),
        ("dog", "animal", UNKNOWN),
        ("cat", "dog", NO),
        ("pet", "dog", UNKNOWN),
        ("dog", "pet", UNKNOWN),
        ("car", "pet", NO),
        ("farm animal", "pet", UNKNOWN),
        ("child", "boy", YES),
        ("man", "boy", NO),
        ("bird", "duck", YES),
        ("penguin", "duck", NO),
        ("tableware", "cup", YES),
        ("container", "cup", YES),
        ("container", "tableware", UNKNOWN),
        ("sofa", "couch", YES),
        ("dog", "gizmo of no known kind", UNKNOWN),
    ],
)
def test_kinds(asked: str, here: str, answer: str | None) -> None:
    assert is_there(one(asked), scene(here)) == answer


def test_parts_of_what_is_there_are_unknown() -> None:
    assert is_there(one("wheel"), scene("car")) is UNKNOWN
    assert is_there(one("wheel"), scene("car", complete="objects")) is UNKNOWN
    assert is_there(one("wheel"), scene("dog")) == NO
    assert is_there(one("wheel"), scene("car", "wheel")) == YES
    assert is_there(one("handle"), scene("house")) is UNKNOWN, "a house has doors, and doors have handles"
    assert is_there(one("pedal"), scene("vehicle")) is UNKNOWN, "a vehicle may be a bicycle"
    assert is_there(one("pedal"), scene("car")) == NO
    assert is_there(one("wing"), scene("pet")) is UNKNOWN, "a pet may be a bird"


def test_a_stray_part_may_have_a_whole() -> None:
    assert is_there(one("car"), scene("wheel")) is UNKNOWN
    assert is_there(one("vehicle"), scene("wheel")) is UNKNOWN
    assert is_there(one("car"), scene("wheel", "bicycle")) == NO, "the wheel is the bicycle's"
    assert is_there(one("car"), scene("wheel", complete="objects")) == NO
    assert is_there(one("house"), scene("handle")) is UNKNOWN, "of a door of the house"
    assert is_there(one("cat"), scene("wheel")) == NO


def test_what_annotators_leave_out_is_unknown() -> None:
    assert is_there(one("sky"), scene("dog")) is UNKNOWN
    assert is_there(one("place"), scene("dog")) is UNKNOWN, "the sky is one"
    assert is_there(one("sky"), scene("dog", complete="objects")) == NO
    assert is_there(one("never heard of"), scene("dog")) is UNKNOWN


def test_what_somebody_suggested_would_have_is_unknown() -> None:
    # Cooks whose hats alone are annotated have arms too.
    assert is_there(one("arm"), scene("hat")) is UNKNOWN
    assert is_there(one("arm"), scene("hat", complete="objects")) == NO
    assert is_there(one("arm"), scene("chair")) == NO


@pytest.mark.parametrize("kind", ["boot", "leaf", "twig", "paint"])
def test_what_is_seldom_worth_a_box_is_not_denied(kind: str) -> None:
    assert is_there(one(kind), scene("dog")) is UNKNOWN


def test_one_and_many() -> None:
    assert is_there(several("dog"), scene("dog", "dog")) == YES
    assert is_there(several("dog"), scene("dog")) is UNKNOWN
    assert is_there(several("dog"), scene("cat")) == NO
    assert is_there(several("dog"), scene("dog", "animal")) is UNKNOWN
    assert is_there(several("dog"), scene("dogs")) == YES
    assert is_there(one("dog"), scene("dogs")) == YES
    assert is_there(several("animal"), scene("dog", "cat")) == YES
    assert is_there(several("wheel"), scene("car")) is UNKNOWN


def test_mass_and_plural_only_nouns() -> None:
    assert is_there(one("furniture", number="mass"), scene("chair")) == YES
    assert is_there(one("grass", number="mass"), scene("grass")) == YES
    assert is_there(several("glasses"), scene("glasses")) == YES
    assert is_there(several("glasses"), scene("hat")) == NO
    assert Count(several("glasses")).answer(scene("glasses")) is UNKNOWN


def test_definite_things_must_be_the_only_ones() -> None:
    near = Related("near", the("table"))
    assert is_there(one("cup", relation=near), scene(("cup", "", "near>1"), "table")) == YES
    assert is_there(one("cup", relation=near), scene(("cup", "", "near>1"), "table", "table")) is UNKNOWN
    assert is_there(one("cup", relation=near), scene("cup")) is UNKNOWN, "there is no table to speak of"
    assert is_there(one("dog", relation=near), scene("cup")) is UNKNOWN
    assert is_there(one("cup", relation=near), scene(("cup", "", "near>1"), "furniture")) is UNKNOWN
    assert is_there(
        one("cup", relation=Related("near", the("wheel"))), scene(("cup", "", "near>1"), "wheel", "car")
    ) is (UNKNOWN), "the car may have another wheel"
    assert HasAttribute(the("dog"), "black").answer(scene(("dog", "black"), ("cat", "white"))) == YES
    assert HasAttribute(the("dog"), "black").answer(scene(("dog", "black"), ("dog", "white"))) is UNKNOWN
    assert HasAttribute(the("dog", "white"), "white").answer(scene(("dog", "black"), ("dog", "white"))) == YES
    assert HasAttribute(the("dog"), "black").answer(scene(("dogs", "black"))) is UNKNOWN


def test_definite_groups() -> None:
    dogs = the("dog", number="plural")
    assert HasAttribute(dogs, "black").answer(scene(("dog", "black"), ("dog", "black"))) == YES
    assert HasAttribute(dogs, "black").answer(scene(("dog", "black"), ("dog", "white"))) is UNKNOWN
    assert HasAttribute(dogs, "black").answer(scene(("dogs", "black"))) == YES
    assert HasAttribute(dogs, "black").answer(scene(("dog", "black"))) is UNKNOWN
    near = Related("near", dogs)
    assert is_there(one("cat", relation=near), scene(("cat", "", "near>1, near>2"), "dog", "dog")) == YES
    half = scene(("cat", "", "near>1"), "dog", "dog", complete="near")
    assert is_there(one("cat", relation=near), half) is UNKNOWN, "near one of them"
    assert is_there(one("cat", relation=near), scene("cat", "dog", "dog", complete="near")) == NO


@pytest.mark.parametrize(
    ("annotated", "asked", "complete", "answer"),
    [
        ("red", "red", "", YES),
        ("red", "blue", "", NO),
        ("", "blue", "", UNKNOWN),
        ("", "blue", "color", NO),
        ("open", "closed", "", NO),
        ("open closed", "closed", "", UNKNOWN),
        ("red", "small", "", UNKNOWN),
        ("red", "shiny", "", UNKNOWN),
        ("shiny", "shiny", "", YES),
        ("black white", "white", "", YES),
    ],
)
def test_attributes(annotated: str, asked: str, complete: str, answer: str | None) -> None:
    where = scene(("box", annotated), complete=complete)
    assert HasAttribute(the("box"), asked).answer(where) == answer
    assert is_there(one("box", asked), where) == answer


RELATIONS = [
    ("on", "on", "", YES),
    ("sitting on", "on", "", YES),
    ("on", "sitting on", "", UNKNOWN),
    ("sitting on", "under", "", NO),
    ("on top of", "on", "", YES),
    ("on top of", "below", "", NO),
    ("on top of", "under", "", NO),
    ("on", "under", "", UNKNOWN),
    ("on", "above", "", UNKNOWN),
    ("under", "below", "", YES),
    ("below", "under", "", UNKNOWN),
    ("above", "below", "", NO),
    ("above", "standing under", "", NO),
    ("inside", "in", "", YES),
    ("in", "inside", "", UNKNOWN),
    ("on", "inside", "", UNKNOWN),
    ("next to", "near", "", YES),
    ("near", "next to", "", UNKNOWN),
    ("", "holding", "", UNKNOWN),
    ("", "holding", "holding", NO),
    ("sitting on", "on", "on", YES),
    ("carrying", "holding", "", UNKNOWN),
    ("pushing", "pulling", "", NO),
    ("admiring", "admiring", "", YES),
    ("admiring", "on", "", UNKNOWN),
]


@pytest.mark.parametrize(("annotated", "asked", "complete", "answer"), RELATIONS)
def test_relations(annotated: str, asked: str, complete: str, answer: str | None) -> None:
    said = f"{annotated}>1" if annotated else ""
    where = scene(("man", "", said), "box", complete=complete)
    assert RelationHolds(the("man"), asked, the("box")).answer(where) == answer
    assert is_there(one("man", relation=Related(asked, the("box"))), where) == answer
    assert is_there(one("man", relation=Related(asked, one("box"))), where) == answer


@pytest.mark.parametrize(
    ("annotated", "asked", "answer"),
    [
        ("above", "below", YES),
        ("flying over", "below", YES),
        ("under", "above", YES),
        ("on", "under", UNKNOWN),
        ("behind", "in front of", YES),
        ("behind", "behind", NO),
        ("near", "near", YES),
        ("next to", "near", YES),
        ("talking to", "talking to", YES),
        ("above", "above", NO),
        ("under", "standing under", NO),
        ("on", "inside", UNKNOWN),
        ("holding", "holding", UNKNOWN),
    ],
)
def test_relations_said_of_the_other_thing(annotated: str, asked: str, answer: str | None) -> None:
    where = scene("man", ("box", "", f"{annotated}>0"))
    assert RelationHolds(the("man"), asked, the("box")).answer(where) == answer


def test_contradictions_settle_nothing() -> None:
    where = scene(("man", "", "above>1, under>1"), "box", complete="above")
    assert RelationHolds(the("man"), "above", the("box")).answer(where) is UNKNOWN
    backwards = scene(("man", "", "to the right of>1"), "box")
    assert RelationHolds(the("man"), "to the right of", the("box")).answer(backwards) is UNKNOWN
    both = scene(("man", "", "behind>1"), ("box", "", "behind>0"))
    assert RelationHolds(the("man"), "behind", the("box")).answer(both) is UNKNOWN


def test_sideways_by_boxes() -> None:
    where = scene("man", "box")
    assert RelationHolds(the("man"), "to the left of", the("box")).answer(where) == YES
    assert RelationHolds(the("box"), "to the left of", the("man")).answer(where) == NO
    assert RelationHolds(the("box"), "to the right of", the("man")).answer(where) == YES
    overlapping = scene("man", ("box", "", "", 5))
    assert RelationHolds(the("man"), "to the left of", the("box")).answer(overlapping) is UNKNOWN
    said = scene(("man", "", "to the left of>1"), ("box", "", "", 5))
    assert RelationHolds(the("man"), "to the left of", the("box")).answer(said) == YES
    assert RelationHolds(the("box"), "to the left of", the("man")).answer(said) == NO


def test_nothing_is_related_to_itself() -> None:
    assert is_there(one("dog", relation=Related("near", the("dog"))), scene(("dog", "", "near>0"))) == NO


def test_related_to_something_indefinite() -> None:
    hat = Related("wearing", one("hat"))
    assert is_there(one("man", relation=hat), scene(("man", "", "wearing>1"), "hat")) == YES
    assert is_there(one("man", relation=hat), scene("man", "hat")) is UNKNOWN
    assert is_there(one("man", relation=hat), scene("man", "hat", complete="wearing")) == NO
    assert is_there(one("man", relation=hat), scene("man")) == NO
    shirt = Related("wearing", one("shirt"))
    assert is_there(one("man", relation=shirt), scene("man")) is UNKNOWN, "shirts are often left out"
    assert is_there(one("man", relation=shirt), scene("man", complete="objects, wearing")) == NO
    flowers = Related("holding", several("flower"))
    assert is_there(one("girl", relation=flowers), scene(("girl", "", "holding>1"), "flowers")) == YES
    assert is_there(one("girl", relation=flowers), scene(("girl", "", "holding>1"), "flower")) is UNKNOWN
    assert (
        is_there(one("girl", relation=flowers), scene(("girl", "", "holding>1, holding>2"), "flower", "flower")) == YES
    )
    assert is_there(one("girl", relation=flowers), scene("girl", "flower", complete="holding")) == NO


def test_counts() -> None:
    three = scene("dog", "dog", "dog", "cat")
    assert Count(one("dog")).answer(three) == "3"
    assert Count(one("animal")).answer(three) == "4"
    assert Count(one("cow")).answer(three) == "0"
    assert Count(one("dog")).answer(scene("dog", "animal")) is UNKNOWN
    assert Count(one("dog")).answer(scene("dogs")) is UNKNOWN
    assert Count(one("wheel")).answer(scene("car", "wheel")) is UNKNOWN
    assert CountIs(one("dog"), 3).answer(three) == YES
    assert CountIs(one("dog"), 2).answer(three) == NO
    assert CountIs(one("dog"), 2, "at least").answer(three) == YES
    assert CountIs(one("dog"), 2, "at most").answer(three) == NO
    assert CountIs(one("dog"), 4, "at most").answer(three) == YES
    group = scene("dogs", "dog")
    assert CountIs(one("dog"), 3, "at least").answer(group) == YES
    assert CountIs(one("dog"), 3).answer(group) is UNKNOWN
    assert CountIs(one("dog"), 2).answer(group) == NO
    assert CountIs(one("dog", relation=Related("near", the("cow"))), 0).answer(three) is UNKNOWN


def test_sides() -> None:
    where = scene(("dog", "", "", 0), ("cat", "", "", 80), ("cow", "", "", 46))
    assert OnSide(the("dog"), "left").answer(where) == YES
    assert OnSide(the("cat"), "left").answer(where) == NO
    assert OnSide(the("cow"), "left").answer(where) is UNKNOWN
    assert OnSide(the("pig"), "left").answer(where) is UNKNOWN


def test_is_kind() -> None:
    where = scene(("dog", "black"), "cat")
    assert IsKind(the("animal", "black"), "dog").answer(scene(("dog", "black"), ("cat", "white"))) == YES
    assert IsKind(the("animal", "black"), "dog").answer(where) is UNKNOWN, "the cat may be black too"
    assert IsKind(the("dog"), "animal").answer(where) == YES
    assert IsKind(the("dog"), "pet").answer(where) is UNKNOWN
    assert IsKind(the("dog"), "cat").answer(where) == NO


def test_and_or_not() -> None:
    where = scene("dog")
    dog, cat, sky = (Exists(one(kind)) for kind in ("dog", "cat", "sky"))
    assert And((dog, Not(cat))).answer(where) == YES
    assert And((dog, sky)).answer(where) is UNKNOWN
    assert And((cat, sky)).answer(where) == NO
    assert Or((dog, sky)).answer(where) == YES
    assert Or((cat, sky)).answer(where) is UNKNOWN


def test_choose() -> None:
    where = scene(("box", "red"))

    def colour(*values: str) -> Query:
        return Choose(tuple(Option(value, HasAttribute(the("box"), value)) for value in values))

    assert colour("red", "blue").answer(where) == "red"
    assert colour("green", "blue").answer(where) is UNKNOWN
    assert colour("red", "small").answer(where) is UNKNOWN
    assert colour("red", "red").answer(where) is UNKNOWN
    assert colour("red", "blue").answer(scene("box")) is UNKNOWN
