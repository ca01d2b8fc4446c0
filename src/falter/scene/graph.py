"""Scene graphs as in GQA: objects with boxes, names and attributes, and directed relations between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

__all__ = ["Box", "Relation", "SceneGraph", "SceneObject"]


class Box(NamedTuple):
    """A rectangle in pixels: left edge, top edge, width, height."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        return self.x + self.w

    @property
    def bottom(self) -> float:
        return self.y + self.h

    def share_within(self, other: Box) -> float:
        """How much of the area of this box is inside another, from 0 to 1."""
        width = min(self.right, other.right) - max(self.x, other.x)
        height = min(self.bottom, other.bottom) - max(self.y, other.y)
        return width * height / (self.w * self.h) if width > 0 and height > 0 else 0.0


class Relation(msgspec.Struct, frozen=True, gc=False):
    """A directed relation from the object that holds it to another object of the same image."""

    name: str
    target: str


class SceneObject(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One annotated object."""

    id: str
    name: str
    box: Box
    attributes: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()


class SceneGraph(msgspec.Struct, frozen=True, kw_only=True):
    """The annotation of one image.

    ``complete`` names what the annotation leaves nothing out of: relation names (``"holding"``), attribute families
    (``"color"``), ``"objects"``, and ``"referents"``, what "the ..." may mean. Within it, what is not annotated is
    false; outside it, unknown. GQA's graphs declare nothing complete; the synthetic world's declare what they draw.
    """

    image_id: str
    width: int
    height: int
    objects: Mapping[str, SceneObject]
    location: str | None = None
    weather: str | None = None
    complete: frozenset[str] = frozenset()
    categories: frozenset[str] | None = None
    """The names of the kinds that annotators looked for and left none of out; None: they named whatever they saw."""
