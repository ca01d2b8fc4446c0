"""Where objects are: left and right of each other, and sides of the image, by their boxes."""

from __future__ import annotations

from falter.scene.graph import Box
from falter.scene.logic import TruthValue

__all__ = ["clip", "is_left_of", "on_side"]


def is_left_of(first: Box, second: Box) -> TruthValue:
    """Whether the first box is to the left of the second; unknown where they overlap horizontally."""
    if first.right <= second.x:
        return True
    if second.right <= first.x:
        return False
    return None


def on_side(box: Box, side: str, width: float) -> TruthValue:
    """Whether a box is on the left or right side of an image; unknown where it crosses the middle."""
    if side not in ("left", "right"):
        return None
    middle = width / 2
    if box.right <= middle:
        return side == "left"
    if box.x >= middle:
        return side == "right"
    return None


def clip(box: Box, width: float, height: float) -> Box | None:
    """The part of a box inside the image, or None when there is none."""
    x, y = max(0.0, box.x), max(0.0, box.y)
    right, bottom = min(width, box.right), min(height, box.bottom)
    if right <= x or bottom <= y:
        return None
    return Box(x, y, right - x, bottom - y)
