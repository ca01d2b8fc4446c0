"""In which atoms two queries differ."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from falter.authoring.perturbing import Atom
from falter.scene import And, Not, ObjectDescription, Or, Query, Related

__all__ = ["differing_atoms"]

Difference = tuple[Atom, object, object]
"""An atom, with what it is in the one query and in the other."""


def differing_atoms(first: Query, second: Query) -> tuple[Atom, ...]:
    """The atoms in which two queries differ; none where they are equal.

    A description is one atom, the object, where its noun differs: what is said of the thing goes with it. Where nouns
    are the same, each attribute and each relation is one. What stands in several parts of a query counts once: an
    attribute that two share ("a red cup or plate"), a thing of which two options are asked.
    """
    return tuple(atom for atom, _, _ in dict.fromkeys(_differences(first, second)))


def _differences(first: object, second: object) -> Iterator[Difference]:
    if first == second:
        return
    if isinstance(first, ObjectDescription) and isinstance(second, ObjectDescription):
        yield from _of_descriptions(first, second)
    elif isinstance(first, And | Or) and isinstance(second, And | Or) and type(first) is not type(second):
        yield "connective", type(first), type(second)
        yield from _differences(first.of, second.of)
    elif isinstance(first, Not) != isinstance(second, Not):
        yield "quantifier", isinstance(first, Not), isinstance(second, Not)
        yield from _differences(*(one.of if isinstance(one, Not) else one for one in (first, second)))
    elif isinstance(first, msgspec.Struct) and type(first) is type(second):
        for name in first.__struct_fields__:
            yield from _of_fields(name, getattr(first, name), getattr(second, name))
    elif isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
        for one, other in zip(first, second, strict=True):
            yield from _differences(one, other)
    elif isinstance(first, str) and isinstance(second, str):
        yield "attribute", first, second
    else:
        # Questions of another form have nothing that was replaced.
        yield "object", first, second
        yield "relation", first, second


def _of_fields(name: str, first: object, second: object) -> Iterator[Difference]:
    if first == second:
        return
    if name in ("relation", "kind") and isinstance(first, str):
        yield ("relation" if name == "relation" else "object"), first, second
    else:
        yield from _differences(first, second)


def _of_descriptions(first: ObjectDescription, second: ObjectDescription) -> Iterator[Difference]:
    if first.kind != second.kind:
        yield "object", (first.kind, first.number), (second.kind, second.number)
        # What another thing is described by goes with it, except what it is asked to be related to.
        if first.relation is not None and second.relation is not None:
            yield from _of_relations(first.relation, second.relation)
        return
    said, other = ((one.attributes, one.without, one.side) for one in (first, second))
    if said != other:
        yield "attribute", said, other
    if (first.number, first.definite) != (second.number, second.definite):
        yield "quantifier", first.number, second.number
    if first.relation is None or second.relation is None:
        if first.relation != second.relation:
            yield "relation", first.relation, second.relation
        return
    yield from _of_relations(first.relation, second.relation)


def _of_relations(first: Related, second: Related) -> Iterator[Difference]:
    if (first.name, bool(first.inverse)) != (second.name, bool(second.inverse)):
        yield "relation", first.name, second.name
    yield from _differences(first.to, second.to)
