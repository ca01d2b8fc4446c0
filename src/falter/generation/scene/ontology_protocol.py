"""What a scene needs of an ontology to answer questions about kinds, attributes and relations.

Its answers are of a three-valued logic: true, false, and None where the annotation cannot tell.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import Literal, NamedTuple, Protocol

TruthValue = bool | None


def negate(value: TruthValue) -> TruthValue:
    """Not: unknown stays unknown."""
    return None if value is None else not value


def conjunction(values: Iterable[TruthValue]) -> TruthValue:
    """And: one false makes it false, else one unknown makes it unknown."""
    result: TruthValue = True
    for value in values:
        if value is False:
            return False
        if value is None:
            result = None
    return result


def disjunction(values: Iterable[TruthValue]) -> TruthValue:
    """Or: one true makes it true, else one unknown makes it unknown."""
    result: TruthValue = False
    for value in values:
        if value:
            return True
        if value is None:
            result = None
    return result


Number = Literal["singular", "plural", "mass"]


class NameBits(NamedTuple):
    """What a name says of kinds, each of which is one bit: those that it is, that it may be, that its parts may be."""

    sure: int
    possible: int
    parts: int
    is_group: bool


class SceneOntology(Protocol):
    """An ontology as scenes use it; that of ``falter.generation.english`` is one."""

    @property
    def bits_by_name(self) -> Mapping[str, NameBits | None]:
        """What every name says of kinds; None for a name that is not in the vocabulary."""
        ...

    @property
    def kind_bits(self) -> Mapping[str, int]:
        """The bit of each kind, by all names for it."""
        ...

    @property
    def unique_bits(self) -> int:
        """The bits of the kinds of which an image has at most one object (the sky)."""
        ...

    @property
    def imitating_values(self) -> frozenset[str]:
        """The attributes that say of some name that a thing is no such thing."""
        ...

    @property
    def telling_words(self) -> frozenset[str]:
        """The first words of the relations that tell of an attribute."""
        ...

    def kind_for_name(self, name: str) -> str | None:
        """The kind that a name, in any form, stands for; None where it is not in the vocabulary."""
        ...

    def is_of_kind(self, name: str, kind: str) -> TruthValue:
        """Whether a thing annotated as ``name`` is of a kind; unknown where it may or may not be."""
        ...

    def possible_kinds(self, name: str) -> Set[str]:
        """All kinds that a thing annotated as ``name`` is or may be; none for a name that is not in the vocabulary."""
        ...

    def grammatical_number(self, name: str) -> Number:
        """Whether a name stands for one thing, several ("trees") or a mass ("water")."""
        ...

    def possible_parts(self, name: str) -> Set[str]:
        """The kinds that a part of a thing annotated as ``name`` may be, though nobody annotated it."""
        ...

    def possible_wholes(self, name: str) -> Set[str]:
        """The kinds that a thing may be which has a part annotated as ``name``."""
        ...

    def often_unannotated(self, kind: str) -> bool:
        """Whether objects of a kind are often in an image without being annotated, or its limits are vague."""
        ...

    def is_covered(self, kind: str, categories: frozenset[str]) -> bool:
        """Whether every thing of a kind is of one of the named kinds."""
        ...

    def rooms(self, name: str) -> Set[str]:
        """The rooms of which a thing annotated as ``name`` tells: a stove, of a kitchen."""
        ...

    def room_contents(self, room: str) -> Set[str]:
        """The kinds that may well be in a room, annotated or not."""
        ...

    def is_backdrop(self, name: str) -> bool:
        """Whether a thing annotated as ``name`` has no left and right: the floor, the sky."""
        ...

    @property
    def names_showing_images(self) -> frozenset[str]:
        """The names of things where what is said to be in or on them may only be shown: a picture, a mirror."""
        ...

    def may_be_imitated(self, name: str) -> bool:
        """Whether a thing annotated as ``name`` may be an image or an imitation."""
        ...

    def is_imitation(self, name: str, attributes: Sequence[str]) -> bool:
        """Whether the attributes say that a thing annotated as ``name`` is no such thing: a stuffed dog."""
        ...

    def is_kind_of_imitation(self, kind: str) -> bool:
        """Whether an imitation of something may be of this kind: a toy, a statue."""
        ...

    @property
    def image_relations(self) -> Mapping[str, Literal["first", "second", "always"]]:
        """Which of two related things may be only an image, where the other shows images ("a man in a mirror").

        ``always``: the first, whatever the other is ("a dog printed on a shirt").
        """
        ...

    def is_unique(self, kind: str) -> bool:
        """Whether an image has at most one object of a kind (the sky)."""
        ...

    def implies_nearby(self, name: str) -> tuple[str, ...]:
        """Kinds of which one is probably near a thing annotated as ``name``: whoever wears the hat."""
        ...

    def occupants(self, name: str) -> tuple[str, ...]:
        """Kinds of which one is probably in a thing annotated as ``name``: whoever drives the car."""
        ...

    def stands_on(self, name: str) -> tuple[str, ...]:
        """Kinds of which one is probably below a thing annotated as ``name``: the table under the plate."""
        ...

    def has_attribute(self, attributes: Sequence[str], value: str, complete: Collection[str]) -> TruthValue:
        """Whether a thing with these annotated attributes has the value."""
        ...

    def told_by_relations(self, name: str) -> Mapping[str, str | None]:
        """The attribute that each relation tells of a thing annotated as ``name``: "sitting on" tells of sitting."""
        ...

    def exclude_attributes(self, first: str, second: str) -> bool:
        """Whether no thing has both attributes."""
        ...

    def relation_holds(self, annotated: str, asked: str) -> TruthValue:
        """Whether an annotated relation says that the asked one holds (or cannot hold) for the same two things."""
        ...

    def inverse_relation_holds(self, annotated: str, asked: str) -> TruthValue:
        """The same for a relation that is annotated from the second thing to the first."""
        ...

    def only_value(self, attributes: Sequence[str], families: Sequence[str]) -> str | None:
        """The one annotated attribute that is of one of the families; None for none or several."""
        ...

    def opposites(self, value: str) -> tuple[str, ...]:
        """The values that are the opposite of one."""
        ...
