"""Which things are to the left or right of others: by what they are, by their boxes, and by landmarks.

Boxes say it where no relation is annotated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from falter.generation.english import Ontology
from falter.generation.scene import Box, Number, ObjectDescription, Related, Scene, SceneGraph, SceneObject
from falter.suites.carets.questions.draws import choose, sample
from falter.suites.carets.questions.naming import is_nameable, tells_of_a_moment

__all__ = [
    "SIDES",
    "absent_beside",
    "are_side_by_side",
    "beside",
    "could_be_beside",
    "is_any",
    "is_near_its_surface",
    "is_only_one_called",
    "is_placed_by",
    "is_placed_by_words",
    "landmarks",
    "may_stand_beside",
    "nameable_landmark",
    "sort_of_place",
]

SIDES = ("to the left of", "to the right of")
_NEAR = ("near", "next to", "beside", "by", "close to")

_ON, _TABLES = ("on", "on top of", "standing on", "sitting on"), ("table", "desk", "counter")
_ATOP = ("sitting on top of", "sitting atop", "standing on top of", "lying on top of")
"""What annotators write, and people say with "on" alone."""
_HEIGHTS = ("above", "below", "over", "under", "beneath", "underneath")
_BELOW, _ON_WALLS = ("below", "beneath", "underneath"), ("picture", "painting", "poster", "mirror", "window", "clock")
"""What hangs on walls: what is put down somewhere is not found by it, as furniture is."""

_ON_SOMEBODY = ("clothing", "accessory", "body part")
_SKY = ("sun", "moon", "star", "cloud", "aircraft", "kite", "balloon", "parachute", "bug")
_PUT_ANYWHERE = (
    "bag", "luggage", "umbrella", "sporting equipment", "toy", "ball", "tool", "utensil", "cane", "phone",
    "remote control", "paper", "napkin", "straw", "pen", "pencil", "toiletries", "brush", "cigarette", "flower",
    "frisbee", "marking", "fabric item", "blanket", "pillow", "cushion", "book", "magazine", "menu", "card",
    "newspaper", "broom", "bucket", "ladder", "watering can", "guitar",
)  # fmt: skip
"""Small things that are carried about: nobody finds another thing by them."""
_ON_TABLES = (
    "food", "drink", "tableware", "utensil", "cookware", "container", "candle", "book", "magazine", "napkin", "phone",
    "remote control", "keyboard", "computer", "computer mouse", "tablet", "monitor", "toaster", "microwave", "clock",
    "teddy bear", "menu", "card", "newspaper", "toiletries", "pen", "pencil", "scissors", "paper", "camera",
)  # fmt: skip
_OF_ROOMS = ("furniture", "appliance", "television", "toilet", "sink", "bathtub")
_OF_STREETS = ("vehicle", "building", "traffic light", "street light", "fire hydrant", "parking meter", "sign")
_OUTDOORS = ("plant", "fence", "bench", "cart", "street sign", "barn")
_FISH = "fish"
_LARGE = ("building", "bridge", "train", "place")
_LIVING = ("person", "animal")
_IN_BOTH = ("bench", "cart", "potted plant")

_WIDEST = 0.5
"""The share of the image's width beyond which a thing has no left and right to speak of."""
_SMALLEST_LANDMARK, _SMALLEST = 0.006, 0.0015
"""The shares of the image's area below which nobody would find a thing by the landmark, or see it beside one."""
_LEVEL = 0.5
"""The share of the lower box's height over which two boxes are level."""
_SAME_GROUND = 0.5
"""How far apart the lower edges are at most, in heights of the higher box."""
_FARTHEST, _FARTHEST_IN_IMAGE = 2.5, 0.45
"""How wide a gap is at most, in widths of the wider box and of the image."""
_LEAST_RATIO = 0.3
"""How large a landmark is at least, in areas of what is beside it."""
_MOST_RATIO = 40.0
"""How large it is at most."""
_ROOM = 0.12
"""The share of the image's width that is free on the side of a landmark where something is looked for."""


@lru_cache(maxsize=8192)
def is_any(kind: str, above: tuple[str, ...], ontology: Ontology) -> bool:
    """Whether a kind is one of several, or below one."""
    return any(ontology.is_a(kind, one) for one in above)


@lru_cache(maxsize=4096)
def sort_of_place(kind: str, ontology: Ontology) -> str:
    """Where things of a kind are found: in the sky, on somebody, carried about, on tables, outdoors or in rooms."""
    sorts = (
        ("sky", _SKY),
        ("worn", _ON_SOMEBODY),
        ("living", _LIVING),
        ("room", ("curtain", "rug", "carpet")),
        ("carried", _PUT_ANYWHERE),
        ("table", _ON_TABLES),
        ("outdoors", (*_OF_STREETS, *_OUTDOORS)),
    )
    return next((name for name, kinds in sorts if is_any(kind, kinds, ontology)), "room")


def has_a_place(kind: str, ontology: Ontology) -> bool:
    """Whether things of a kind are somewhere by themselves, rather than on somebody or up in the sky."""
    return not is_any(kind, _ON_SOMEBODY, ontology) and not is_any(kind, _SKY, ontology)


def is_near_its_surface(kind: str, relation: str, landmark: str, ontology: Ontology) -> bool:
    """Whether something that stands on tables would be said to be near furniture, or this near it: it is on it."""
    return relation in _NEAR and any(
        is_any(one, _ON_TABLES, ontology) and is_any(other, ("furniture",), ontology)
        for one, other in ((kind, landmark), (landmark, kind))
    )


@lru_cache(maxsize=65536)
def is_placed_by_words(kind: str, relation: str, landmark: str, ontology: Ontology) -> bool:
    """Whether people would say where such a thing is by this relation to such a landmark.

    Nobody finds a car below an airplane, a chair near a ball, or a building near a horse.
    """
    if relation in SIDES:
        return may_stand_beside(kind, landmark, ontology)
    if relation in _HEIGHTS:
        if relation in _BELOW and is_any(kind, _PUT_ANYWHERE, ontology) and is_any(landmark, _ON_WALLS, ontology):
            return False
        small = is_any(landmark, (*_ON_TABLES, *_PUT_ANYWHERE), ontology)
        return not small and not any(is_any(one, (*_SKY, *_LIVING), ontology) for one in (kind, landmark))
    if relation in _ATOP:
        return False
    if relation in _NEAR:
        too_large = is_any(kind, _LARGE, ontology) and not is_any(landmark, _LARGE, ontology)
        return not too_large and not is_any(landmark, (*_PUT_ANYWHERE, *_SKY), ontology)
    # Who is on the table is no guess, and who is on the phone speaks.
    return relation not in _ON or not (
        is_any(kind, ("person",), ontology) and is_any(landmark, (*_TABLES, *_ON_TABLES), ontology)
    )


@lru_cache(maxsize=65536)
def may_stand_beside(kind: str, landmark: str, ontology: Ontology) -> bool:
    """Whether people would say that such a thing is to the left or right of such a landmark.

    What stands on tables is beside other such things; what stands in rooms or streets is beside
    what stands there too. Small things that are carried about are no landmarks.
    """
    one, other = _standing_of(kind, ontology), _standing_of(landmark, ontology)
    if not (one.has_a_place and other.has_a_place) or other.put_anywhere:
        return False
    if ontology.is_a(kind, landmark) or ontology.is_a(landmark, kind):
        return False
    if (one.fish and not other.in_water) or (other.fish and not one.in_water):
        return False
    if other.living:
        # An animal moves about: nobody finds a television by the cat.
        return not (one.stays and other.animal) and not (one.on_tables or one.large)
    if one.on_tables or other.on_tables:
        return one.on_tables and other.on_tables
    if one.put_anywhere:
        return other.of_rooms
    return not ((one.indoors or other.indoors) and (one.outdoors or other.outdoors))


class _Standing(NamedTuple):
    """Where things of a kind stand."""

    has_a_place: bool
    put_anywhere: bool
    fish: bool
    in_water: bool
    living: bool
    animal: bool
    on_tables: bool
    large: bool
    of_rooms: bool
    indoors: bool
    outdoors: bool
    stays: bool
    """Whether somebody puts it somewhere and it stays there."""


@lru_cache(maxsize=4096)
def _standing_of(kind: str, ontology: Ontology) -> _Standing:
    def is_one_of(*above: str) -> bool:
        return is_any(kind, above, ontology)

    put_anywhere, of_rooms, in_both = is_one_of(*_PUT_ANYWHERE), is_one_of(*_OF_ROOMS), is_one_of(*_IN_BOTH)
    return _Standing(
        has_a_place=has_a_place(kind, ontology),
        put_anywhere=put_anywhere,
        fish=is_one_of(_FISH),
        in_water=is_one_of(_FISH, "watercraft"),
        living=is_one_of(*_LIVING),
        animal=is_one_of("animal"),
        on_tables=is_one_of(*_ON_TABLES),
        large=is_one_of(*_LARGE),
        of_rooms=of_rooms,
        indoors=of_rooms and not in_both,
        outdoors=is_one_of(*_OF_STREETS) and not in_both,
        stays=(put_anywhere or of_rooms) and not in_both,
    )


def is_a_landmark(box: Box, graph: SceneGraph) -> bool:
    """Whether a box is large enough to be found, and does not fill the image from left to right."""
    return box.w <= _WIDEST * graph.width and box.w * box.h >= _SMALLEST_LANDMARK * graph.width * graph.height


def are_side_by_side(box: Box, landmark: Box, graph: SceneGraph) -> bool:
    """Whether two boxes are apart, not far from each other, on the same ground, and of sizes that go together."""
    if not is_a_landmark(landmark, graph) or box.w * box.h < _SMALLEST * graph.width * graph.height:
        return False
    gap = max(box.x, landmark.x) - min(box.right, landmark.right)
    level = min(box.bottom, landmark.bottom) - max(box.y, landmark.y)
    ratio = landmark.w * landmark.h / (box.w * box.h)
    return (
        0 <= gap <= min(_FARTHEST * max(box.w, landmark.w), _FARTHEST_IN_IMAGE * graph.width)
        and level >= _LEVEL * min(box.h, landmark.h)
        and abs(box.bottom - landmark.bottom) <= _SAME_GROUND * max(box.h, landmark.h)
        and _LEAST_RATIO <= ratio <= _MOST_RATIO
    )


def has_room(side: str, landmark: Box, graph: SceneGraph) -> bool:
    """Whether something could well be on a side of a landmark."""
    free = landmark.x if side == SIDES[0] else graph.width - landmark.right
    return free >= _ROOM * graph.width


_PLURAL_SHARE = 0.3
_CARRIED_BY = ("wearing", "holding", "carrying", "holding onto")
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


@lru_cache(maxsize=4)
def _carried(scene: Scene) -> frozenset[str]:
    """The ids of what somebody wears or holds."""
    relations = (relation for thing in scene.objects for relation in thing.relations)
    return frozenset(relation.target for relation in relations if relation.name in _CARRIED_BY)


def stands_by_itself(thing: SceneObject, scene: Scene, ontology: Ontology) -> bool:
    """Whether something has a place of its own: a shirt that is worn, or a banana in a hand, is where its owner is."""
    kind = ontology.kind_for_name(thing.name)
    in_place = "flying" not in thing.attributes and thing.id not in _carried(scene)
    return kind is not None and in_place and has_a_place(kind, ontology)


def is_placed_by(thing: SceneObject, landmark: SceneObject, scene: Scene, ontology: Ontology) -> bool:
    """Whether people would say where a thing is by the side of a landmark on which it is."""
    kind, other = ontology.kind_for_name(thing.name), ontology.kind_for_name(landmark.name)
    return (
        kind is not None
        and other is not None
        and may_stand_beside(kind, other, ontology)
        and are_side_by_side(thing.box, landmark.box, scene.graph)
        and not {thing.id, landmark.id} & _carried(scene)
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
                    number = _number(kind, named.number, ontology, are_several, rng)
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
                own = ontology.kinds[kind].number
                spoken = _number(kind, "singular" if own == "count" else own, ontology, are_several, rng)
                yield ObjectDescription(kind, (), Related(side, landmark.described), spoken)


def _number(kind: str, number: Number, ontology: Ontology, are_several: Callable[[str], bool], rng: Random) -> Number:
    one = ontology.kinds[kind].unique or bool(ontology.rooms(kind)) or not are_several(kind)
    plural = number == "singular" and not one and rng.random() < _PLURAL_SHARE
    return "plural" if plural else number
