"""Boxes of two categories on one thing: annotators did not agree on what it is, so it is of their common kind alone."""

from __future__ import annotations

from itertools import combinations

import msgspec

from falter.english import Ontology
from falter.scene import Box, SceneObject

__all__ = ["merge_double_boxes"]

_SAME_THING = 0.7
"""How much of the area that two boxes cover together is covered by both, from which on they are on one thing."""
_NEVER_ELSE = "person"
"""People are not taken for anything else: one who hides a chair is another thing than the chair."""


def merge_double_boxes(objects: dict[str, SceneObject], ontology: Ontology) -> tuple[dict[str, SceneObject], int]:
    """The objects, with one of the nearest common kind for each two boxes on one thing, and how many were merged.

    A box of a car and one of a truck on the same thing become a motor vehicle: whether it is a car is unknown.
    """
    merged = dict(objects)
    for first, second in combinations(objects.values(), 2):
        if first.name == second.name or not _overlap(first.box, second.box) >= _SAME_THING:
            continue
        one, other = (merged.get(thing.id) for thing in (first, second))
        if one is None or other is None:
            continue
        name = _common_kind(one.name, other.name, ontology)
        if name is not None:
            merged[one.id] = msgspec.structs.replace(one, name=name)
            del merged[other.id]
    return merged, len(objects) - len(merged)


def _overlap(first: Box, second: Box) -> float:
    """The area that both boxes cover, as a share of what they cover together."""
    both = first.share_within(second) * first.w * first.h
    return both / (first.w * first.h + second.w * second.h - both)


def _common_kind(first: str, second: str, ontology: Ontology) -> str | None:
    """The narrowest kind that both names belong to; None for people and for names that the ontology does not have."""
    kinds = [ontology.kind_for_name(name) for name in (first, second)]
    known = [kind for kind in kinds if kind is not None and not ontology.is_a(kind, _NEVER_ELSE)]
    if len(known) < len(kinds):
        return None
    common = ontology.ancestors(known[0]) & ontology.ancestors(known[1])
    return max(sorted(common), key=lambda kind: len(ontology.ancestors(kind)), default=None)
