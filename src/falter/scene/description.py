"""A description that picks objects out of a scene: "a red cup on the table"."""

from __future__ import annotations

import msgspec

from falter.scene.ontology_protocol import Number

__all__ = ["ObjectDescription", "Related"]


class ObjectDescription(msgspec.Struct, frozen=True, gc=False):
    """Objects of a kind, with attributes, optionally related to another object.

    ``definite`` stands for "the": it presupposes that just one thing (or, in the plural, one group) fits.
    """

    kind: str
    attributes: tuple[str, ...] = ()
    relation: Related | None = None
    number: Number = "singular"
    definite: bool = False

    def describe(self) -> str:
        """A compact form, for people who inspect a suite."""
        words = " ".join([*self.attributes, self.kind])
        words = f"the {words}" if self.definite else words
        return words if self.relation is None else f"{words} {self.relation.name} {self.relation.to.describe()}"


class Related(msgspec.Struct, frozen=True, gc=False):
    """The relation of a description to another."""

    name: str
    to: ObjectDescription
