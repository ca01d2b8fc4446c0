"""Where things are: sides of the picture, left and right by boxes, boxes around several things."""

from __future__ import annotations

from collections.abc import Iterable

from falter.scene.graph import Box
from falter.scene.logic import TruthValue

__all__ = ["clip", "is_left_of", "on_side", "union_box"]


def is_left_of(first: Box, second: Box) -> TruthValue:
    """Whether the first box lies to the left of the second; unknown while they overlap sideways."""
    if first.right <= second.x:
        return True
    if second.right <= first.x:
        return False
    return None


def on_side(box: Box, side: str, width: float) -> TruthValue:
    """Whether a box lies on the left or right side of a picture; unknown while it crosses the middle."""
    if side not in ("left", "right"):
        return None
    middle = width / 2
    if box.right <= middle:
        return side == "left"
    if box.x >= middle:
        return side == "right"
    return None


def union_box(boxes: Iterable[Box]) -> Box | None:
    """The smallest box around all of them, or None when there are none."""
    boxes = list(boxes)
    if not boxes:
        return None
    x = min(box.x for box in boxes)
    y = min(box.y for box in boxes)
    return Box(x, y, max(box.right for box in boxes) - x, max(box.bottom for box in boxes) - y)


def clip(box: Box, width: float, height: float) -> Box | None:
    """The part of a box inside the picture, or None when nothing of it is."""
    x, y = max(0.0, box.x), max(0.0, box.y)
    right, bottom = min(width, box.right), min(height, box.bottom)
    if right <= x or bottom <= y:
        return None
    return Box(x, y, right - x, bottom - y)
