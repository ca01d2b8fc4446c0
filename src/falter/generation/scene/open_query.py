"""Queries with open answers (an attribute, a name, a side), and queries as JSON: the column ``meaning`` of a suite."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import msgspec

from falter.generation.scene.graph import ObjectDescription, side_of
from falter.generation.scene.query import AnyQuery, Aspect, Query
from falter.generation.scene.scene import Scene

Axis = Literal["horizontal", "vertical"]


class AttributeOf(Query, frozen=True, gc=False):
    """The value that the thing has of a family; of several families where people ask for them by one word."""

    of: ObjectDescription
    families: tuple[str, ...]

    def answer(self, scene: Scene) -> str | None:
        things = scene.resolve(self.of)
        if things is None:
            return None
        if len(things) == 1:
            return scene.ontology.only_value(things[0].attributes, self.families)
        values = {scene.ontology.only_value(thing.attributes, self.families) for thing in things}
        return values.pop() if len(values) == 1 else None

    def describe(self) -> str:
        return f"which {' or '.join(self.families)}: {self.of.describe()}"


class NameOf(Query, frozen=True, gc=False):
    """What the thing is called in the annotation."""

    of: ObjectDescription

    def answer(self, scene: Scene) -> str | None:
        names = {thing.name for thing in scene.resolve(self.of) or ()}
        return names.pop() if len(names) == 1 else None

    def describe(self) -> str:
        return f"what: {self.of.describe()}"


class SideOf(Query, frozen=True, gc=False):
    """The side of the image where the thing is; none where it is near the middle."""

    of: ObjectDescription
    axis: Axis = "horizontal"

    def answer(self, scene: Scene) -> str | None:
        things = scene.resolve(self.of)
        if things is None:
            return None
        if len(things) == 1:
            return side_of(things[0].box, self.axis, scene.graph)
        sides = {side_of(thing.box, self.axis, scene.graph) for thing in things}
        return sides.pop() if len(sides) == 1 else None

    def describe(self) -> str:
        return f"which {self.axis} side: {self.of.describe()}"


class CommonOf(Query, frozen=True, gc=False):
    """The one family of which two things have the same value."""

    of: ObjectDescription
    to: ObjectDescription
    families: tuple[str, ...] = ("color", "material", "shape", "size")

    def answer(self, scene: Scene) -> str | None:
        firsts, seconds = scene.resolve(self.of), scene.resolve(self.to)
        if firsts is None or seconds is None or len(firsts) != 1 or len(seconds) != 1:
            return None
        values = {
            family: tuple(scene.ontology.only_value(one.attributes, (family,)) for one in (*firsts, *seconds))
            for family in self.families
        }
        shared = [family for family, (one, other) in values.items() if one is not None and one == other]
        return shared[0] if len(shared) == 1 else None

    def describe(self) -> str:
        return f"in common: {self.of.describe()}, {self.to.describe()}"


class SceneValue(Query, frozen=True, gc=False):
    """The place or the weather of the whole image."""

    aspect: Aspect

    def answer(self, scene: Scene) -> str | None:
        return scene.aspect(self.aspect)

    def describe(self) -> str:
        return f"which {self.aspect}"


OpenQuery = AttributeOf | NameOf | SideOf | CommonOf | SceneValue


_ENCODER = msgspec.json.Encoder()


def query_to_json(query: Query) -> str:
    """The form of a query in the column ``meaning``.

    Defaults are written out: whether msgspec leaves one out depends on which process made the string.
    """
    return _ENCODER.encode(query).decode()


@cache
def _decoder() -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(AnyQuery | OpenQuery)


def query_from_json(text: str | bytes) -> Query:
    """Read a query back; raises ``msgspec.DecodeError`` for anything else."""
    decoded: Query = _decoder().decode(text)
    return decoded
