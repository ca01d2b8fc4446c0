"""A description that picks objects out of a scene: "a red cup on the table"."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from falter.generation.scene.ontology_protocol import Number

__all__ = ["ObjectDescription", "Related", "Side"]

Side = Literal["left", "right", "top", "bottom", "middle"]
"""A part of the image."""


class ObjectDescription(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """Objects of a kind, with attributes, optionally related to another object.

    ``definite`` stands for "the": it presupposes that just one thing (or, in the plural, one group) fits. ``without``
    are attributes that it does not have, ``side`` is the part of the image where it is; the JSON of a description that
    has none says nothing of them.
    """

    kind: str
    attributes: tuple[str, ...] = ()
    relation: Related | None = None
    number: Number = "singular"
    definite: bool = False
    without: tuple[str, ...] | UnsetType = UNSET
    side: Side | UnsetType = UNSET

    def describe(self) -> str:
        """A compact form, for people who inspect a suite."""
        words = " ".join([*(f"not {value}" for value in self.without or ()), *self.attributes, self.kind])
        words = f"the {words}" if self.definite else words
        words = f"{words} on the {self.side}" if self.side else words
        return words if self.relation is None else f"{words} {self.relation.describe()}"


class Related(msgspec.Struct, frozen=True, gc=False, cache_hash=True):
    """The relation of a description to another.

    ``inverse``: it holds from the other to this one, as in "what the man is holding".
    """

    name: str
    to: ObjectDescription
    inverse: bool | UnsetType = UNSET

    def describe(self) -> str:
        """A compact form, for people who inspect a suite."""
        return f"that {self.to.describe()} {self.name}" if self.inverse else f"{self.name} {self.to.describe()}"
