"""Which things are said to be to the left or right of others: by what they are, and by where their boxes are."""

from __future__ import annotations

from functools import lru_cache

from falter.english import Ontology
from falter.scene import Box, SceneGraph

__all__ = [
    "SIDES",
    "are_side_by_side",
    "has_a_place",
    "has_room",
    "is_a_landmark",
    "is_any",
    "is_near_its_surface",
    "is_placed_by_words",
    "may_stand_beside",
    "sort_of_place",
]

SIDES = ("to the left of", "to the right of")
_NEAR = ("near", "next to", "beside", "by", "close to")

_ON, _TABLES = ("on", "on top of", "standing on", "sitting on"), ("table", "desk", "counter")
_ATOP = ("sitting on top of", "sitting atop", "standing on top of", "lying on top of")
"""What annotators write, and people say with "on" alone."""
_HEIGHTS = ("above", "below", "over", "under", "beneath", "underneath")

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
    if not (has_a_place(kind, ontology) and has_a_place(landmark, ontology)):
        return False
    if ontology.is_a(kind, landmark) or ontology.is_a(landmark, kind) or is_any(landmark, _PUT_ANYWHERE, ontology):
        return False
    for one, other in ((kind, landmark), (landmark, kind)):
        if ontology.is_a(one, _FISH) and not is_any(other, (_FISH, "watercraft"), ontology):
            return False
    if is_any(landmark, _LIVING, ontology):
        # An animal moves about: nobody finds a television by the cat.
        unlike = (*_PUT_ANYWHERE, *_OF_ROOMS)
        lasting = is_any(kind, unlike, ontology) and not is_any(kind, _IN_BOTH, ontology)
        return not (lasting and is_any(landmark, ("animal",), ontology)) and not is_any(
            kind, (*_ON_TABLES, *_LARGE), ontology
        )
    on_tables = [is_any(one, _ON_TABLES, ontology) for one in (kind, landmark)]
    if any(on_tables):
        return all(on_tables)
    if is_any(kind, _PUT_ANYWHERE, ontology):
        return is_any(landmark, _OF_ROOMS, ontology)
    indoors, outdoors = (
        [is_any(one, group, ontology) and not is_any(one, _IN_BOTH, ontology) for one in (kind, landmark)]
        for group in (_OF_ROOMS, _OF_STREETS)
    )
    return not (any(indoors) and any(outdoors))


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
