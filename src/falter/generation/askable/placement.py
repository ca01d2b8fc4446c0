"""Where things of a kind stand, and which may stand beside which: by what they are, and by their boxes."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from falter.generation.askable import rules
from falter.generation.english import Ontology
from falter.generation.scene import Box, SceneGraph

SIDES = rules.words("opposites", "side")
_NEAR = rules.words("near-relations")
_ON = rules.words("on-relations")
_ATOP = rules.words("atop-relations")
_HEIGHTS = rules.words("height-relations")
_BELOW = rules.words("below-relations", "what hangs on walls")
_ON_WALLS = rules.words("on-walls")
_SURFACES = rules.words("surfaces")
_ON_SOMEBODY = rules.words("on-somebody")
_SKY = rules.words("sky")
_PUT_ANYWHERE = rules.words("put-anywhere")
_ON_TABLES = rules.words("on-tables")
_ON_FLOORS = rules.words("on-floors")
_OF_ROOMS = rules.words("in-rooms")
_OF_STREETS = rules.words("in-streets")
_OUTDOORS = rules.words("outdoors")
_IN_BOTH = rules.words("in-both")
_FISH = "fish"
_LARGE = rules.words("large")
_LIVING = rules.words("living")

_WIDEST = rules.number("widest-with-a-side", "beside another")
_SMALLEST = rules.number("smallest-found", "beside another")
_SMALLEST_LANDMARK = rules.number("smallest-found", "a landmark")
_LEVEL = rules.number("level-share")
_SAME_GROUND = rules.number("same-ground")
_FARTHEST = rules.number("farthest")
_FARTHEST_IN_IMAGE = rules.number("farthest-in-image")
_LEAST_RATIO = rules.number("least-landmark")
_MOST_RATIO = rules.number("most-landmark")
_ROOM = rules.number("free-room")


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
        ("room", _ON_FLOORS),
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
        is_any(kind, ("person",), ontology) and is_any(landmark, (*_SURFACES, *_ON_TABLES), ontology)
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
