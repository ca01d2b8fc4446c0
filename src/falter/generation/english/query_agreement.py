"""Whether two readings of a question ask the same, as its text and its program should."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from falter.generation.english.ontology import Ontology
from falter.generation.scene import (
    And,
    AttributeOf,
    Choose,
    CommonOf,
    Comparative,
    Exists,
    HasAttribute,
    IsKind,
    NameOf,
    Not,
    ObjectDescription,
    OnSide,
    Or,
    Query,
    RelationHolds,
    Same,
    SceneIs,
    SideOf,
)

_T = TypeVar("_T")
_WHERE = frozenset({"at", "on", "in", "inside"})
_WHITE = {"white", "caucasian"}
"""Texts say "the white man" where programs ask for his origin."""


class QueryAgreement:
    """Compares queries up to order, synonyms, number and articles.

    A wider word for a kind agrees with a narrower one: texts say "the vehicle" of what the program calls a car.
    Programs name one end of a relation that is asked for by its noun alone; what the text says more is not compared.
    """

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology

    def agree(self, one: Query, other: Query) -> bool:
        """Whether two queries ask the same."""
        first, second = _relation(one), _relation(other)
        if first is not None and second is not None:
            return (
                self._relations(first[1], second[1])
                and self._loosely(first[0], second[0])
                and self._loosely(first[2], second[2])
            )
        if type(one) is not type(other):
            return self._same_place(one, other) or self._same_place(other, one)
        match one, other:
            case (Exists(of=a), Exists(of=b)) | (NameOf(of=a), NameOf(of=b)):
                return self._things(a, b)
            case SideOf(of=a, axis=c), SideOf(of=b, axis=d):
                return c == d and self._things(a, b)
            case OnSide(of=a, side=c), OnSide(of=b, side=d):
                return c == d and self._things(a, b)
            case AttributeOf(of=a, families=c), AttributeOf(of=b, families=d):
                # "What is he doing?" asks for poses and sports as well.
                return not set(c).isdisjoint(d) and self._things(a, b)
            case HasAttribute(of=a, value=c), HasAttribute(of=b, value=d):
                return self._values((c,), (d,)) and self._things(a, b)
            case IsKind(of=a, kind=c), IsKind(of=b, kind=d):
                return self._kinds(c, d) and self._things(a, b)
            case Same(of=a, family=c), Same(of=b, family=d):
                return c == d and self._matched(a, b, self._things)
            case (And(of=a), And(of=b)) | (Or(of=a), Or(of=b)):
                return self._matched(a, b, self.agree)
            case Not(of=a), Not(of=b):
                return self.agree(a, b)
            case Choose(options=a), Choose(options=b):
                return self._matched([x.when for x in a], [x.when for x in b], self.agree)
        return one == other or self._compared(one, other)

    def _compared(self, one: Query, other: Query) -> bool:
        match one, other:
            case Comparative(of=a, value=v, to=c), Comparative(of=b, value=w, to=d):
                return self._value(v, w) and self._things(a, b) and self._things(c, d)
            case CommonOf(of=a, to=c), CommonOf(of=b, to=d):
                return self._matched((a, c), (b, d), self._things)
        return False

    @staticmethod
    def _same_place(one: Query, other: Query) -> bool:
        """Whether both ask what place the image shows: "Is this a park?"."""
        match one, other:
            case IsKind(of=ObjectDescription(kind="thing"), kind=kind), SceneIs(aspect="place", value=place):
                return kind == place
        return False

    def _things(self, one: ObjectDescription, other: ObjectDescription) -> bool:
        if not self._kinds(one.kind, other.kind) or one.side != other.side:
            return False
        if not self._values(one.attributes, other.attributes) or not self._values(
            one.without or (), other.without or ()
        ):
            return False
        if one.relation is None or other.relation is None:
            return one.relation is None and other.relation is None
        return (
            bool(one.relation.inverse) == bool(other.relation.inverse)
            and self._relations(one.relation.name, other.relation.name)
            and self._things(one.relation.to, other.relation.to)
        )

    def _loosely(self, one: ObjectDescription, other: ObjectDescription) -> bool:
        """The same, or one of them named by its noun alone."""
        bare = any(not x.attributes and not x.without and x.relation is None for x in (one, other))
        return self._things(one, other) or (bare and self._kinds(one.kind, other.kind))

    def _kinds(self, one: str, other: str) -> bool:
        ontology = self._ontology
        first, second = ontology.kind_for_name(one), ontology.kind_for_name(other)
        if one == other:
            return True
        if first is not None and second is not None:
            return not ontology.are_disjoint(first, second)
        # A name that nobody listed, and the name of which it is made: "safety cone" and "cone", "palm" and "palm tree".
        words, others = sorted((one.split(), other.split()), key=len)
        return others[-len(words) :] == words or others[: len(words)] == words

    def _relations(self, one: str, other: str) -> bool:
        if one == other or any(self._ontology.relation_holds(a, b) is True for a, b in ((one, other), (other, one))):
            return True
        # "Where is the man?" does not say whether he is on or in something.
        return one in _WHERE and other in _WHERE and "at" in (one, other)

    def _values(self, one: Sequence[str], other: Sequence[str]) -> bool:
        return len(one) == len(other) and self._matched(one, other, self._value)

    def _value(self, one: str, other: str) -> bool:
        return one == other or {one, other} == _WHITE or self._ontology.attributes.overlap(one, other)

    @staticmethod
    def _matched(ones: Sequence[_T], others: Sequence[_T], same: Callable[[_T, _T], bool]) -> bool:
        """Whether each of the ones has another among the others."""
        left = list(others)
        for one in ones:
            found = next((other for other in left if same(one, other)), None)
            if found is None:
                return False
            left.remove(found)
        return not left


def _relation(query: Query) -> tuple[ObjectDescription, str, ObjectDescription] | None:
    """Subject, relation and object of a question whether a relation holds."""
    match query:
        case RelationHolds(of=of, relation=name, to=to):
            return of, name, to
        case Exists(of=ObjectDescription(relation=related) as one) if related is not None:
            bare = ObjectDescription(one.kind, one.attributes)
            return (related.to, related.name, bare) if related.inverse else (bare, related.name, related.to)
    return None
