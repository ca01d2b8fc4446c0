"""Boxes as whole pixels of a picture: clipped to it, and large enough to show something."""

from __future__ import annotations

import math
from collections.abc import Sequence
from os import PathLike
from typing import NamedTuple

from falter.errors import InputError
from falter.scene.graph import Box

__all__ = ["SMALLEST_SIDE", "Region", "enclosing", "pixel_regions"]

SMALLEST_SIDE = 32
"""Both sides of a region, in pixels, where the picture has that many."""


class Region(NamedTuple):
    """A rectangle of whole pixels; right and bottom are the first pixels outside."""

    left: int
    top: int
    right: int
    bottom: int


def pixel_regions(
    boxes: Sequence[Box], width: int, height: int, *, picture: str | PathLike[str] = "picture"
) -> list[Region]:
    """Turn boxes into regions of a picture: edges rounded outwards, clipped, then grown about their centre to 32x32.

    A region that would grow over the edge of the picture is moved inwards. No boxes at all are a mistake of the
    caller (``ValueError``); a box that is not finite, has no area or lies outside the picture is a mistake of the
    annotation (``InputError``, which names ``picture`` and the box).
    """
    if not boxes:
        raise ValueError("no boxes: without a foreground there is nothing to keep")
    return [_region(box, f"box {number}", width, height, picture) for number, box in enumerate(boxes, start=1)]


def enclosing(regions: Sequence[Region]) -> Region:
    """The smallest rectangle with all regions."""
    return Region(
        min(region.left for region in regions),
        min(region.top for region in regions),
        max(region.right for region in regions),
        max(region.bottom for region in regions),
    )


def _region(box: Box, record: str, width: int, height: int, picture: str | PathLike[str]) -> Region:
    if not all(math.isfinite(value) for value in box):
        raise InputError(picture, f"{tuple(box)} is not a box of finite numbers", record=record)
    if box.w <= 0 or box.h <= 0:
        raise InputError(picture, f"the box is {box.w:g} wide and {box.h:g} high: it has no area", record=record)
    if box.x >= width or box.y >= height or box.right <= 0 or box.bottom <= 0:
        raise InputError(picture, f"{tuple(box)} lies outside the picture of {width}x{height}", record=record)
    left, right = _grown(max(0, math.floor(box.x)), min(width, math.ceil(box.right)), width)
    top, bottom = _grown(max(0, math.floor(box.y)), min(height, math.ceil(box.bottom)), height)
    return Region(left, top, right, bottom)


def _grown(low: int, high: int, limit: int) -> tuple[int, int]:
    missing = SMALLEST_SIDE - (high - low)
    if missing <= 0:
        return low, high
    size = min(SMALLEST_SIDE, limit)
    start = max(0, min(low - missing // 2, limit - size))
    return start, start + size
