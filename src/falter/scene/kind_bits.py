"""The kinds of all things of a scene at once: each kind of the ontology is one bit of a number."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import NamedTuple

from falter.scene.graph import SceneObject
from falter.scene.ontology_protocol import SceneOntology

__all__ = ["KindBits", "kind_bits"]


class KindBits(NamedTuple):
    """Which kinds are there, by what the names of the annotated things say."""

    some: int
    """Kinds of which a thing surely is."""
    several: int
    """Kinds of which there surely are two things, or a group."""
    possible: int
    """Kinds of which a thing is or may be."""
    shared: int
    """Kinds of which more than one thing is or may be."""
    parts: int
    """Kinds that an unseen part of a thing may be."""


def kind_bits(
    things: Iterable[SceneObject], ontology: SceneOntology, doubles: Set[str] = frozenset()
) -> KindBits | None:
    """The kinds of some things; None where a name is not in the vocabulary, for such a thing may be anything.

    A thing among the ``doubles`` may be another one again.
    """
    some = several = possible = shared = parts = 0
    bits_by_name = ontology.bits_by_name
    for thing in things:
        bits = bits_by_name[thing.name]
        if bits is None:
            return None
        sure, may_be, part, is_group = bits
        if is_group:
            several |= sure
        elif thing.id not in doubles:
            several |= some & sure
        some |= sure
        shared |= possible & may_be
        possible |= may_be
        parts |= part
    return KindBits(some, several, possible, shared, parts)
