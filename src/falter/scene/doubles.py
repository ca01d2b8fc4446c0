"""What may be one thing annotated twice: "man" and "person" in nearly the same box."""

from __future__ import annotations

from collections.abc import Sequence

from falter.scene.graph import Box, SceneGraph, SceneObject
from falter.scene.ontology_protocol import SceneOntology

__all__ = ["find_doubles"]

_SAME_BOX = 0.5
"""The share of what two boxes cover together that both cover, from which on they may be of one thing."""
_ANYTHING = "thing"
"""The kind that tells nothing."""


def find_doubles(graph: SceneGraph, things: Sequence[SceneObject], ontology: SceneOntology) -> frozenset[str]:
    """The ids of things that may be an earlier one again: of a common kind, in nearly the same box.

    Where all objects are annotated, each is annotated once. A group is several things by its name already.
    """
    if "objects" in graph.complete:
        return frozenset()
    vague = ontology.kind_bits.get(_ANYTHING, 0)
    found: set[str] = set()
    earlier: list[tuple[Box, int]] = []
    for thing in things:
        bits = ontology.bits_by_name[thing.name]
        if bits is None or bits.is_group:
            continue
        box, sure = thing.box, bits.sure & ~vague
        if any(sure & others and _is_same(box, other) for other, others in earlier):
            found.add(thing.id)
        earlier.append((box, sure))
    return frozenset(found)


def _is_same(box: Box, other: Box) -> bool:
    width = min(box.x + box.w, other.x + other.w) - max(box.x, other.x)
    height = min(box.y + box.h, other.y + other.h) - max(box.y, other.y)
    if width <= 0 or height <= 0:
        return False
    both = width * height
    return both >= _SAME_BOX * (box.w * box.h + other.w * other.h - both)
