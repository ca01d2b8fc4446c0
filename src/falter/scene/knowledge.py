"""What a scene must know of the world's words to be asked about kinds, attributes and relations."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, Protocol

from falter.scene.truth import Truth

__all__ = ["Knowledge", "Number"]

Number = Literal["singular", "plural", "mass"]


class Knowledge(Protocol):
    """Word knowledge that grounding needs; the ontology in ``falter.english`` is one."""

    def kind_of(self, name: str, kind: str) -> Truth:
        """Whether a thing annotated as ``name`` is of a kind; unknown where it may or may not be."""
        ...

    def number_of(self, name: str) -> Number:
        """Whether a name stands for one thing, several ("trees") or a mass ("water")."""
        ...

    def may_have(self, name: str, kind: str) -> bool:
        """Whether a thing annotated as ``name`` may have a part of that kind that nobody annotated."""
        ...

    def may_belong_to(self, name: str, kind: str) -> bool:
        """Whether ``name`` is a part that things of that kind have."""
        ...

    def often_unremarked(self, kind: str) -> bool:
        """Whether things of a kind are often in a picture without being annotated."""
        ...

    def one_of_a_kind(self, kind: str) -> bool:
        """Whether a picture has at most one thing of a kind (the sky)."""
        ...

    def suggests(self, name: str) -> tuple[str, ...]:
        """Kinds of which one is probably near a thing annotated as ``name``: whoever wears the hat."""
        ...

    def has_attribute(self, attributes: Sequence[str], value: str, complete: Collection[str]) -> Truth:
        """Whether a thing with these annotated attributes has the value."""
        ...

    def relation_holds(self, annotated: str, asked: str) -> Truth:
        """Whether an annotated relation says that the asked one holds (or cannot hold) for the same two things."""
        ...

    def relation_holds_back(self, annotated: str, asked: str) -> Truth:
        """The same for a relation that is annotated from the second thing to the first."""
        ...
