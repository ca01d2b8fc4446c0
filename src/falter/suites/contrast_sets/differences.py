"""In which atoms two queries differ."""

from __future__ import annotations

import msgspec

from falter.authoring.perturbing import Atom
from falter.scene import And, Not, ObjectDescription, Or, Query, Related

__all__ = ["differing_atoms"]


def differing_atoms(first: Query, second: Query) -> tuple[Atom, ...]:
    """The atoms in which two queries differ; none where they are equal.

    A description is one atom, the object, where its noun differs: what is said of the thing goes with it. Where nouns
    are the same, each attribute and each relation is one. An attribute that is shared ("a red cup or plate") counts
    once.
    """
    found = _differences(first, second)
    return tuple(dict.fromkeys(found)) if _is_shared(found) else found


def _is_shared(found: tuple[Atom, ...]) -> bool:
    return len(found) > 1 and set(found) == {"attribute"}


def _differences(first: object, second: object) -> tuple[Atom, ...]:
    if first == second:
        return ()
    if isinstance(first, ObjectDescription) and isinstance(second, ObjectDescription):
        return _of_descriptions(first, second)
    if isinstance(first, And | Or) and isinstance(second, And | Or) and type(first) is not type(second):
        return ("connective", *_differences(first.of, second.of))
    if isinstance(first, Not) != isinstance(second, Not):
        bare = (one.of if isinstance(one, Not) else one for one in (first, second))
        return ("quantifier", *_differences(*bare))
    if type(first) is not type(second):
        return ("object", "relation")
    if isinstance(first, msgspec.Struct):
        return tuple(
            atom
            for name in first.__struct_fields__
            for atom in _of_field(name, getattr(first, name), getattr(second, name))
        )
    if isinstance(first, tuple) and isinstance(second, tuple):
        if len(first) != len(second):
            return ("object", "relation")
        return tuple(atom for one, other in zip(first, second, strict=True) for atom in _differences(one, other))
    return ("attribute",)


def _of_field(name: str, first: object, second: object) -> tuple[Atom, ...]:
    if first == second:
        return ()
    if name == "relation" and isinstance(first, str):
        return ("relation",)
    if name == "kind":
        return ("object",)
    return _differences(first, second)


def _of_descriptions(first: ObjectDescription, second: ObjectDescription) -> tuple[Atom, ...]:
    if first.kind != second.kind:
        # What another thing is asked for by goes with it, except what it is asked to be related to.
        both = first.relation is not None and second.relation is not None
        return ("object", *(_of_relations(first.relation, second.relation) if both else ()))
    found: list[Atom] = []
    if first.attributes != second.attributes or first.without != second.without or first.side != second.side:
        found.append("attribute")
    if first.number != second.number or first.definite != second.definite:
        found.append("quantifier")
    if (first.relation is None) != (second.relation is None):
        found.append("relation")
    return (*found, *_of_relations(first.relation, second.relation))


def _of_relations(first: Related | None, second: Related | None) -> tuple[Atom, ...]:
    if first is None or second is None:
        return ()
    name: tuple[Atom, ...] = () if (first.name, first.inverse) == (second.name, second.inverse) else ("relation",)
    return (*name, *_differences(first.to, second.to))
