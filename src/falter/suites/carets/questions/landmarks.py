"""Which things of a scene are to the left or right of others, by their boxes, and by which landmarks.

Boxes say it where no relation is annotated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from falter.generation.askable import rules
from falter.generation.askable.doings import carried_in
from falter.generation.askable.naming import is_nameable, tells_of_a_moment
from falter.generation.askable.placement import (
    SIDES,
    are_side_by_side,
    has_a_place,
    has_room,
    is_a_landmark,
    may_stand_beside,
)
from falter.generation.english import Ontology
from falter.generation.scene import Number, ObjectDescription, Related, Scene, SceneObject
from falter.suites.carets.questions.draws import choose, sample

_PLURAL_SHARE = rules.number("plural-share")
_SIDES_OF_ABSENT = 2
"""How many places beside landmarks are tried for each absent kind."""


class Landmark(NamedTuple):
    """A thing, and the words that pick it out alone."""

    thing: SceneObject
    described: ObjectDescription


def is_only_one_called(thing: SceneObject, kind: str, scene: Scene, ontology: Ontology) -> bool:
    """Whether nothing else is annotated by a name for such a thing, though something might be one: a girl a woman."""
    others = [other for other, _ in scene.objects_of_kind(kind) if other.id != thing.id]
    return bool(others) and not any(
        (lexeme := ontology.lexeme(other.name)) is not None
        and (lexeme[1] == "plural" or ontology.is_a(lexeme[0], kind) or ontology.is_a(kind, lexeme[0]))
        for other in others
    )


def nameable_landmark(thing: SceneObject, ontology: Ontology) -> ObjectDescription | None:
    """A thing by its name after a relation: "on the ground" is said, though nobody asks whether there is a ground."""
    lexeme = ontology.lexeme(thing.name)
    if lexeme is None or not (is_nameable(lexeme[0], ontology) or ontology.is_a(lexeme[0], "place")):
        return None
    return ObjectDescription(lexeme[0], number=lexeme[1])


@lru_cache(maxsize=4)
def landmarks(scene: Scene, ontology: Ontology) -> dict[str, Landmark]:
    """By its id each thing that "the ..." picks out alone: by its kind, else by its kind and one attribute."""
    found: dict[str, Landmark] = {}
    for thing in scene.objects:
        named = nameable_landmark(thing, ontology)
        if named is None:
            continue
        # Nobody finds something by the sad woman.
        values = [
            (value,)
            for value in thing.attributes
            if ontology.is_natural(value, named.kind) and not tells_of_a_moment(value, ontology)
        ]
        if is_only_one_called(thing, named.kind, scene, ontology):
            values = []
        for words in ((), *values):
            described = ObjectDescription(named.kind, words, None, named.number, definite=True)
            if scene.resolve(described) == (thing,):
                found[thing.id] = Landmark(thing, described)
                break
    return found


@lru_cache(maxsize=4)
def _with_sides(scene: Scene, ontology: Ontology) -> list[Landmark]:
    """The landmarks that things are to the left or right of, where the annotation leaves that to the boxes."""
    if SIDES[0] in scene.graph.complete:
        return []
    return [
        one
        for one in landmarks(scene, ontology).values()
        if is_a_landmark(one.thing.box, scene.graph) and stands_by_itself(one.thing, scene, ontology)
    ]


def stands_by_itself(thing: SceneObject, scene: Scene, ontology: Ontology) -> bool:
    """Whether something has a place of its own: a shirt that is worn, or a banana in a hand, is where its owner is."""
    kind = ontology.kind_for_name(thing.name)
    in_place = "flying" not in thing.attributes and thing.id not in carried_in(scene)
    return kind is not None and in_place and has_a_place(kind, ontology)


def is_placed_by(thing: SceneObject, landmark: SceneObject, scene: Scene, ontology: Ontology) -> bool:
    """Whether people would say where a thing is by the side of a landmark on which it is."""
    kind, other = ontology.kind_for_name(thing.name), ontology.kind_for_name(landmark.name)
    return (
        kind is not None
        and other is not None
        and may_stand_beside(kind, other, ontology)
        and are_side_by_side(thing.box, landmark.box, scene.graph)
        and not {thing.id, landmark.id} & carried_in(scene)
    )


def could_be_beside(related: Related, scene: Scene, ontology: Ontology) -> bool:
    """Whether a relation, where it is to the left or right of something, leads to a landmark with room on that side."""
    if related.name not in SIDES:
        return True
    found = scene.resolve(related.to)
    if found is None or len(found) != 1 or not stands_by_itself(found[0], scene, ontology):
        return False
    return is_a_landmark(found[0].box, scene.graph) and has_room(related.name, found[0].box, scene.graph)


def beside(thing: SceneObject, scene: Scene, ontology: Ontology) -> Iterator[Related]:
    """What a thing is to the left or right of, by the boxes."""
    if not stands_by_itself(thing, scene, ontology):
        return
    for landmark in _with_sides(scene, ontology):
        if is_placed_by(thing, landmark.thing, scene, ontology):
            for side in SIDES:
                if scene.holds(thing, side, landmark.thing):
                    yield Related(side, landmark.described)


def absent_beside(
    scene: Scene,
    ontology: Ontology,
    present: dict[str, ObjectDescription],
    absent: Sequence[str],
    are_several: Callable[[str], bool],
    rng: Random,
) -> Iterator[ObjectDescription]:
    """What is not to the left or right of landmarks: kinds that are elsewhere, and some that are nowhere."""
    known = _with_sides(scene, ontology)
    for landmark in known:
        for kind, named in present.items():
            if not may_stand_beside(kind, landmark.described.kind, ontology):
                continue
            things = [thing for thing, _ in scene.objects_of_kind(kind)]
            for side in SIDES:
                if has_room(side, landmark.thing.box, scene.graph) and all(
                    scene.holds(thing, side, landmark.thing) is False for thing in things
                ):
                    number = draw_number(kind, ontology, are_several, rng, named.number)
                    yield ObjectDescription(kind, (), Related(side, landmark.described), number)
    # Nobody asks for "a sun", an ocean or a passenger to the left of something: who one is there is what one does.
    movable = [
        kind
        for kind in absent
        if not (ontology.kinds[kind].unique or ontology.kinds[kind].role or ontology.is_a(kind, "place"))
    ]
    for kind in movable if known else ():
        for landmark in sample(known, _SIDES_OF_ABSENT, rng):
            side = choose(SIDES, rng)
            if may_stand_beside(kind, landmark.described.kind, ontology) and has_room(
                side, landmark.thing.box, scene.graph
            ):
                number = draw_number(kind, ontology, are_several, rng)
                yield ObjectDescription(kind, (), Related(side, landmark.described), number)


def draw_number(
    kind: str, ontology: Ontology, are_several: Callable[[str], bool], rng: Random, number: Number | None = None
) -> Number:
    """The number in which a kind is asked for: mostly the one it is in, or its noun's own.

    Nobody asks for beds or ovens in a room, or for laptops where there would be one.
    """
    own = ontology.kinds[kind].number
    usual: Number = number or ("singular" if own == "count" else own)
    is_one = ontology.kinds[kind].unique or bool(ontology.rooms(kind)) or not are_several(kind)
    return "plural" if usual == "singular" and not is_one and rng.random() < _PLURAL_SHARE else usual
