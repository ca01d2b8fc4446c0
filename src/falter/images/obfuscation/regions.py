"""Boxes as whole pixels of a image: clipped to it, and large enough to show something."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from os import PathLike
from typing import NamedTuple

from falter.errors import InputError
from falter.scene.graph import Box

__all__ = ["SMALLEST_SIDE", "Region", "enclosing_region", "pixel_regions", "visible_share"]

SMALLEST_SIDE = 32
"""Both sides of a region, in pixels, where the image has that many."""


class Region(NamedTuple):
    """A rectangle of whole pixels; right and bottom are the first pixels outside."""

    left: int
    top: int
    right: int
    bottom: int


def pixel_regions(
    boxes: Sequence[Box], width: int, height: int, *, image_name: str | PathLike[str] = "image"
) -> list[Region]:
    """Turn boxes into regions of a image: edges rounded outwards, clipped, then grown about their center to 32x32.

    A region that would grow over the edge of the image is moved inwards. No boxes at all are a mistake of the
    caller (``ValueError``); a box that is not finite, has no area or lies outside the image is a mistake of the
    annotation (``InputError``, which names ``image_name`` and the box).
    """
    if not boxes:
        raise ValueError("no boxes: without a foreground there is nothing to keep")
    return [_region(box, f"box {number}", width, height, image_name) for number, box in enumerate(boxes, start=1)]


def enclosing_region(regions: Sequence[Region]) -> Region:
    """The smallest rectangle with all regions."""
    return Region(
        min(region.left for region in regions),
        min(region.top for region in regions),
        max(region.right for region in regions),
        max(region.bottom for region in regions),
    )


def visible_share(regions: Sequence[Region], width: int, height: int) -> float:
    """The part of an image that the regions cover together.

    >>> visible_share([Region(0, 0, 50, 100), Region(25, 0, 75, 100)], 100, 100)
    0.75
    """
    edges = sorted({edge for region in regions for edge in (region.left, region.right)})
    covered = 0
    for left, right in pairwise(edges):
        end = 0
        for region in sorted((one for one in regions if one.left <= left < one.right), key=lambda one: one.top):
            covered += (right - left) * max(0, region.bottom - max(region.top, end))
            end = max(end, region.bottom)
    return covered / (width * height)


def _region(box: Box, record: str, width: int, height: int, image_name: str | PathLike[str]) -> Region:
    if not all(math.isfinite(value) for value in box):
        raise InputError(image_name, f"{tuple(box)} is not a box of finite numbers", record=record)
    if box.w <= 0 or box.h <= 0:
        raise InputError(image_name, f"the box is {box.w:g} wide and {box.h:g} high: it has no area", record=record)
    if box.x >= width or box.y >= height or box.right <= 0 or box.bottom <= 0:
        raise InputError(image_name, f"{tuple(box)} lies outside the image of {width}x{height}", record=record)
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
