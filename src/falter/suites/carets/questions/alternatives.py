"""Which two things people choose between: "a car or a truck", not "a car or a person"."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from falter.english import Ontology

__all__ = ["are_of_one_kind", "serve_one_use", "way_of"]

_TOO_WIDE = frozenset(
    (
        "thing", "part", "body part", "place", "structure", "device", "container", "substance", "marking",
        "fabric item", "group of people", "accessory", "decoration", "artwork", "tool", "toy", "label", "paper",
        "picture", "ground", "room", "water", "tag",
    )
)  # fmt: skip
"""Kinds that say too little of what is below them: nobody hesitates between a clock and a laptop."""
_FOR_EATING = frozenset(("tableware", "utensil", "bottle", "cookware"))
_OF_STREETS = frozenset(("traffic light", "stop sign", "street sign", "fire hydrant", "parking meter", "street light"))
_USES = (
    frozenset(("utensil", "silverware")),
    frozenset(("plate", "bowl", "tray")),
    frozenset(("cup", "glass", "bottle")),
)
"""What a table is laid with, by what it is for: nobody hesitates between a fork and a wine glass."""
_WAYS = {
    "rails": ("train", "train car", "locomotive"),
    "water": ("watercraft",),
    "air": ("aircraft",),
    "road": ("vehicle",),
}


@lru_cache(maxsize=4096)
def way_of(kind: str, ontology: Ontology) -> str | None:
    """What vehicles of a kind move on; None of other kinds."""
    return next((way for way, kinds in _WAYS.items() if any(ontology.is_a(kind, one) for one in kinds)), None)


@lru_cache(maxsize=65536)
def are_of_one_kind(first: str, second: str, ontology: Ontology) -> bool:
    """Whether two kinds are of one near kind, such as animals or furniture, or of one set.

    A set are the fixtures of a room, what a table is laid with, and what stands at the edge of streets. A train, a boat
    and a car are not of one kind.
    """
    one, other = _sort_of(first, ontology), _sort_of(second, ontology)
    return one.way == other.way and not (
        one.near_kinds.isdisjoint(other.near_kinds)
        and one.rooms.isdisjoint(other.rooms)
        and one.sets.isdisjoint(other.sets)
    )


class _Sort(NamedTuple):
    """What a kind has in common with others that are of one near kind with it."""

    way: str | None
    near_kinds: frozenset[str]
    """Those it belongs to that say enough of it."""
    rooms: frozenset[str]
    sets: frozenset[frozenset[str]]


@lru_cache(maxsize=4096)
def _sort_of(kind: str, ontology: Ontology) -> _Sort:
    above = ontology.ancestors(kind)
    sets = frozenset(group for group in (_FOR_EATING, _OF_STREETS) if not group.isdisjoint(above))
    return _Sort(way_of(kind, ontology), above - _TOO_WIDE, ontology.rooms(kind), sets)


@lru_cache(maxsize=65536)
def serve_one_use(first: str, second: str, ontology: Ontology) -> bool:
    """Whether people would choose between two kinds of one near kind; of what a table is laid with, for one use."""
    one, other = ontology.ancestors(first), ontology.ancestors(second)
    if _FOR_EATING.isdisjoint(one) and _FOR_EATING.isdisjoint(other):
        return are_of_one_kind(first, second, ontology)
    if "cookware" in one and "cookware" in other:
        return True
    return any(not use.isdisjoint(one) and not use.isdisjoint(other) for use in _USES)
