"""The six templates of the paper as tests, and more: which questions belong to each, and which atoms are changed."""

from __future__ import annotations

from typing import NamedTuple

from falter.authoring.perturbing import Atom
from falter.english import Ontology, Parse
from falter.scene import (
    And,
    AttributeOf,
    Choose,
    Comparative,
    Exists,
    HasAttribute,
    IsKind,
    Not,
    OnSide,
    Or,
    Query,
    RelationHolds,
    Same,
    SideOf,
)

__all__ = ["MORE_TESTS", "TESTS", "PaperTest", "tests_for", "tests_for_query"]


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
