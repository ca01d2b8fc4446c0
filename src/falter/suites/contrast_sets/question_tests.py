"""The six templates of the paper as tests, and more: which questions belong to each, and which atoms are changed.

Also in which atoms two queries differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from falter.generation.authoring.perturbing import Atom
from falter.generation.english import Ontology, Parse
from falter.generation.scene import (
    And,
    AttributeOf,
    Choose,
    Comparative,
    Exists,
    HasAttribute,
    IsKind,
    Not,
    ObjectDescription,
    OnSide,
    Or,
    Query,
    Related,
    RelationHolds,
    Same,
    SideOf,
)


class PaperTest(NamedTuple):
    """A test: the template as the paper writes it, and the atoms that are changed."""

    name: str
    template: str
    atoms: tuple[Atom, ...]


TESTS = {
    test.name: test
    for test in (
        PaperTest("side", "On which side is the X?", ("object",)),
        PaperTest("color", "What color is the X?", ("object",)),
        PaperTest("near", "Are there X near the Y?", ("object",)),
        PaperTest("or", "Do you see X or Y?", ("object",)),
        PaperTest("relation-object", "Is the X Rel the Y?, another X or Y", ("object",)),
        PaperTest("relation", "Is the X Rel the Y?, the opposite Rel", ("relation",)),
    )
}
"""The tests by name, in the order of the paper."""

MORE_TESTS = {
    test.name: test
    for test in (
        PaperTest("verify", "Is the X P?, Is there an X ...?", ("object", "attribute", "relation", "quantifier")),
        PaperTest("logical", "Are there both X and Y?", ("object", "attribute", "connective")),
        PaperTest("choose", "Is the X P or Q?", ("object", "attribute")),
        PaperTest("compare", "Do the X and the Y have the same P?", ("object", "quantifier")),
    )
}
"""GQA's other types of questions, made on request."""


def tests_for(parse: Parse, ontology: Ontology) -> tuple[str, ...]:
    """The tests that a question belongs to."""
    return tests_for_query(parse.meaning, ontology, relates=parse.template.type == "relation_check")


def tests_for_query(query: Query, ontology: Ontology, *, relates: bool = False) -> tuple[str, ...]:
    """The tests that a query belongs to; ``relates``: it asks whether something is so related, not whether it is."""
    match query:
        case SideOf(axis="horizontal"):
            return ("side",)
        case AttributeOf(families=("color",)):
            return ("color",)
        case Or(of=(Exists(of=first), Exists(of=second))) if first.relation is None and second.relation is None:
            return ("or",)
        case RelationHolds():
            return ("relation-object", "relation")
        case Exists(of=asked) if asked.relation is not None and relates:
            return ("relation-object", "relation")
        case Exists(of=asked) if asked.relation is not None and not asked.relation.inverse:
            near = ontology.relation_holds(asked.relation.name, "near") is True
            return ("near",) if near and asked.relation.to.definite else ("verify",)
    return _further_tests(query)


def _further_tests(query: Query) -> tuple[str, ...]:
    match query:
        case And(of=(HasAttribute(), *_)):
            return ("verify",)
        case And() | Or():
            return ("logical",)
        case Choose():
            return ("choose",)
        case Same() | Comparative() | Not(of=Same()):
            return ("compare",)
        case Exists() | HasAttribute() | IsKind() | OnSide():
            return ("verify",)
    return ()


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
