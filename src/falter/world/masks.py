"""Masks of objects, cached per shape, and how much of each object remains visible in a scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from falter.scene import Box
from falter.world.drawing import HEIGHT, WIDTH, Appearance, PixelPoint, mask
from falter.world.world_data import PEOPLE

__all__ = ["ObjectMask", "object_mask", "seen_box", "visibility"]

_MARGIN = 8


class ObjectMask(NamedTuple):
    """A mask with the position of its upper left corner in the image."""

    x: int
    y: int
    mask: NDArray[np.bool_]


def object_mask(appearance: Appearance) -> ObjectMask:
    """The pixels an object covers by itself, cut to its extent; its box must lie on whole pixels."""
    corners = [(appearance.box.x, appearance.box.y), (appearance.box.right, appearance.box.bottom)]
    corners += [(point.x, point.y) for point in (appearance.start, appearance.end) if point is not None]
    x0, y0 = round(min(x for x, _ in corners)) - _MARGIN, round(min(y for _, y in corners)) - _MARGIN
    # What does not change the outline is left out of the key, so that one mask serves every color.
    shape = msgspec.structs.replace(
        appearance,
        box=Box(appearance.box.x - x0, appearance.box.y - y0, appearance.box.w, appearance.box.h),
        color=None,
        material=None,
        pattern=None,
        size=None,
        seed=0 if appearance.kind in PEOPLE else appearance.seed,
        shirt=None,
        pants=None,
        mood=None,
        light=None,
        start=None if appearance.start is None else PixelPoint(appearance.start.x - x0, appearance.start.y - y0),
        end=None if appearance.end is None else PixelPoint(appearance.end.x - x0, appearance.end.y - y0),
    )
    width = round(max(x for x, _ in corners)) - x0 + _MARGIN
    height = round(max(y for _, y in corners)) - y0 + _MARGIN
    left, top, covered = _cut(shape, width, height)
    return ObjectMask(x0 + left, y0 + top, covered)


@lru_cache(maxsize=8192)
def _cut(appearance: Appearance, width: int, height: int) -> tuple[int, int, NDArray[np.bool_]]:
    covered = mask(appearance, width, height)
    rows, columns = np.flatnonzero(covered.any(axis=1)), np.flatnonzero(covered.any(axis=0))
    if not len(rows):
        return 0, 0, np.zeros((1, 1), dtype=np.bool_)
    cut = np.ascontiguousarray(covered[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
    cut.setflags(write=False)
    return int(columns[0]), int(rows[0]), cut


def seen_box(appearance: Appearance) -> Box:
    """The tight box around an object drawn alone."""
    cover = object_mask(appearance)
    return Box(cover.x, cover.y, cover.mask.shape[1], cover.mask.shape[0])


class Visibility(NamedTuple):
    """What remains visible of each object: share, box, and the pixels that each later object covers."""

    shares: list[float]
    boxes: list[Box]
    covered_by: dict[tuple[int, int], int]


def visibility(
    appearances: Sequence[Appearance], wearers: Mapping[int, int], width: int = WIDTH, height: int = HEIGHT
) -> Visibility:
    """Draw objects over each other from back to front and measure what remains of each.

    ``wearers`` gives the wearer of each worn object: clothes do not hide their wearer.
    """
    top = np.full((height, width), -1, dtype=np.int16)
    totals: list[int] = []
    covered_by: dict[tuple[int, int], int] = {}
    for number, appearance in enumerate(appearances):
        x, y, covered = object_mask(appearance)
        totals.append(int(np.count_nonzero(covered)))
        x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + covered.shape[1], width), min(y + covered.shape[0], height)
        if x0 >= x1 or y0 >= y1:
            continue
        here = top[y0:y1, x0:x1]
        inside = covered[y0 - y : y1 - y, x0 - x : x1 - x]
        below = here[inside]
        below = below[below >= 0]
        if below.size:
            for other, count in enumerate(np.bincount(below)):
                if count and wearers.get(number) != other:
                    covered_by[other, number] = int(count)
        here[inside] = number
    shares: list[float] = []
    boxes: list[Box] = []
    for number, appearance in enumerate(appearances):
        x, y, covered = object_mask(appearance)
        x0, y0 = min(max(x, 0), width), min(max(y, 0), height)
        x1, y1 = max(x0, min(x + covered.shape[1], width)), max(y0, min(y + covered.shape[0], height))
        here = top[y0:y1, x0:x1]
        left = here == number
        for worn, wearer in wearers.items():
            if wearer == number:
                left |= (here == worn) & covered[y0 - y : y1 - y, x0 - x : x1 - x]
        rows, columns = np.flatnonzero(left.any(axis=1)), np.flatnonzero(left.any(axis=0))
        if not len(rows):
            shares.append(0.0)
            boxes.append(Box(0, 0, 0, 0))
            continue
        shares.append(int(np.count_nonzero(left)) / max(totals[number], 1))
        boxes.append(
            Box(
                x0 + int(columns[0]),
                y0 + int(rows[0]),
                int(columns[-1] - columns[0] + 1),
                int(rows[-1] - rows[0] + 1),
            )
        )
    return Visibility(shares, boxes, covered_by)
