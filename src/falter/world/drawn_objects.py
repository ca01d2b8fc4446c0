"""The parts of a scene while it is composed: objects, relations between them, and groups that move as one."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from falter.scene import Box
from falter.world.drawing.appearance import Appearance, PixelPoint

__all__ = ["Action", "DrawnObject", "DrawnRelation", "ObjectGroup", "SceneRow", "move_appearance", "move_box"]

SceneRow = str
"""The row of a group: ``back``, ``front``, ``sky`` or ``wall``."""


class DrawnObject(msgspec.Struct, kw_only=True):
    """One object to be drawn and annotated."""

    appearance: Appearance
    words: tuple[str, ...] = ()
    grounded: bool = False
    aloft: bool = False

    @property
    def kind(self) -> str:
        return self.appearance.kind


class DrawnRelation(NamedTuple):
    """A relation between two objects that follows from how they were placed."""

    subject: DrawnObject
    name: str
    object: DrawnObject


class Action(NamedTuple):
    """Who does what to whom with what; ``patient`` is None where it is the ground."""

    verb: str
    agent: DrawnObject
    patient: DrawnObject | None
    tool: DrawnObject | None


class ObjectGroup(msgspec.Struct, kw_only=True):
    """Objects that are placed as one, from the furthest to the nearest."""

    row: SceneRow
    objects: list[DrawnObject]
    relations: list[DrawnRelation] = []
    actions: list[Action] = []
    counted_kind: str | None = None

    def height(self) -> tuple[float, float]:
        """The topmost and the lowest edge."""
        edges = [(drawn.appearance.box.y, drawn.appearance.box.bottom) for drawn in self.objects]
        return min(top for top, _ in edges), max(bottom for _, bottom in edges)

    def shift(self, dx: float, dy: float = 0.0) -> None:
        """Move the whole group."""
        for drawn in self.objects:
            drawn.appearance = move_appearance(drawn.appearance, dx, dy)


def move_box(box: Box, dx: float, dy: float) -> Box:
    """Move a box."""
    return Box(box.x + dx, box.y + dy, box.w, box.h)


def move_appearance(appearance: Appearance, dx: float, dy: float) -> Appearance:
    """Move an appearance by whole pixels, with the string or rope that leads out of it."""
    dx, dy = round(dx), round(dy)
    start = None if appearance.start is None else PixelPoint(appearance.start.x + dx, appearance.start.y + dy)
    end = None if appearance.end is None else PixelPoint(appearance.end.x + dx, appearance.end.y + dy)
    return msgspec.structs.replace(appearance, box=move_box(appearance.box, dx, dy), start=start, end=end)
