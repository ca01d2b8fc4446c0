"""The six templates of the paper as tests: which questions belong to each, and which of their atoms is changed."""

from __future__ import annotations

from typing import NamedTuple

from falter.authoring.perturbing import Atom
from falter.english import Ontology, Parse
from falter.scene import AttributeOf, Exists, Or, Query, RelationHolds, SideOf

__all__ = ["MORE_TESTS", "TESTS", "PaperTest", "tests_for"]


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

MORE_TESTS: dict[str, PaperTest] = {}


def tests_for(parse: Parse, ontology: Ontology) -> tuple[str, ...]:
    """The tests that a question belongs to."""
    query: Query = parse.meaning
    match query:
        case SideOf(axis="horizontal"):
            return ("side",)
        case AttributeOf(families=("color",)):
            return ("color",)
        case Or(of=(Exists(of=first), Exists(of=second))) if first.relation is None and second.relation is None:
            return ("or",)
        case RelationHolds():
            return ("relation-object", "relation")
        case Exists(of=asked) if asked.relation is not None and parse.template.type == "relation_check":
            return ("relation-object", "relation")
        case Exists(of=asked) if asked.relation is not None and not asked.relation.inverse:
            near = ontology.relation_holds(asked.relation.name, "near") is True
            return ("near",) if near and asked.relation.to.definite else ()
    return ()
