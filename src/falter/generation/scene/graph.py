"""Scene graphs: boxes, objects with attributes and relations, and descriptions of objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from falter.generation.scene.ontology_protocol import Number, TruthValue


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


_HORIZONTAL = ("left", "right")
_VERTICAL = ("top", "bottom")
_FIRST = ("left", "top")
_LEVEL = 0.5
"""The share of its height by which the lower of two boxes is level with the other where they are side by side."""
_NEAR_MIDDLE = (0.4, 0.6)
"""Shares of the width or height between which a box has no side."""


def is_left_of(first: Box, second: Box) -> TruthValue:
    """Whether the first box is to the left of the second.

    It is for sure where they are apart and side by side: half of the lower one is level with the other. It is for sure
    not where it is all to the right. What is left and far up or down, or overlaps horizontally, is unknown.
    """
    if second.right <= first.x:
        return False
    level = min(first.bottom, second.bottom) - max(first.y, second.y)
    return True if is_before(first, second) and level >= _LEVEL * min(first.h, second.h) else None


def is_before(first: Box, second: Box) -> bool:
    """Whether the first box ends where the second begins, or before, at whatever height."""
    return first.right <= second.x


def on_side(box: Box, side: str, graph: SceneGraph) -> TruthValue:
    """Whether a box is on that side of an image; unknown where it crosses the middle.

    In the middle it is for sure where it crosses the middle in both directions, and for sure not in a corner.
    """
    if side == "middle":
        sides = [on_side(box, one, graph) for one in _FIRST]
        return True if sides == [None, None] else (None if None in sides else False)
    start, end, length = _extent(box, "horizontal" if side in _HORIZONTAL else "vertical", graph)
    if end <= length / 2:
        return side in _FIRST
    if start >= length / 2:
        return side not in _FIRST
    return None


def side_of(box: Box, axis: str, graph: SceneGraph) -> str | None:
    """The side of an image where the middle of a box is; None near the middle of the image."""
    start, size, length = (box.x, box.w, graph.width) if axis == "horizontal" else (box.y, box.h, graph.height)
    place = (start + (start + size)) / 2 / length
    if _NEAR_MIDDLE[0] <= place <= _NEAR_MIDDLE[1]:
        return None
    first, second = _HORIZONTAL if axis == "horizontal" else _VERTICAL
    return first if place < _NEAR_MIDDLE[0] else second


def horizontal_sides(boxes: Iterable[Box], graph: SceneGraph) -> list[str | None]:
    """The left or right side for each of several boxes, as ``side_of`` has it."""
    (first, second), (start, end), width = _HORIZONTAL, _NEAR_MIDDLE, graph.width
    places = [(x + (x + w)) / 2 / width for x, _, w, _ in boxes]
    return [first if place < start else (second if place > end else None) for place in places]


def _extent(box: Box, axis: str, graph: SceneGraph) -> tuple[float, float, float]:
    return (box.x, box.right, graph.width) if axis == "horizontal" else (box.y, box.bottom, graph.height)


def clip(box: Box, width: float, height: float) -> Box | None:
    """The part of a box inside the image, or None when there is none."""
    x, y = max(0.0, box.x), max(0.0, box.y)
    right, bottom = min(width, box.right), min(height, box.bottom)
    if right <= x or bottom <= y:
        return None
    return Box(x, y, right - x, bottom - y)


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
