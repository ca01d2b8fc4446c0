"""Draws one object by its appearance, and gives its anchors and its mask."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from falter.world.drawing.canvas import HEIGHT, WIDTH, Canvas, Stencil
from falter.world.drawing.pen import DRAWABLE, Appearance, Pen, PixelPoint, anchor_points, frame_for
from falter.world.drawing.people import draw_arms


def draw(canvas: Canvas, appearance: Appearance) -> None:
    """Draw an object on a canvas."""
    DRAWABLE[appearance.kind].painter(Pen(canvas, frame_for(appearance), appearance))


def draw_dressed(canvas: Canvas, person: Appearance, items: Sequence[Appearance]) -> None:
    """Draw a person with what is worn: what is on the back behind, the rest in front, and the near arm over it."""
    for item in items:
        if item.kind == "backpack":
            draw(canvas, item)
    dress = next((item for item in items if item.kind == "dress"), None)
    if dress is not None:
        person = msgspec.structs.replace(person, shirt=dress.color or person.shirt, bare_legs=True)
    draw(canvas, person)
    front = [item for item in items if item.kind != "backpack"]
    for item in front:
        draw(canvas, item)
    if any(item.kind in ("dress", "scarf") for item in front):
        draw_arms(Pen(canvas, frame_for(person), person))


def anchors(appearance: Appearance) -> dict[str, PixelPoint]:
    """Return the points of an object where others attach, by name, in pixels of the image.

    Every object has ``center``, ``top`` and ``bottom``, of its box where it has none of its own.
    """
    box = appearance.box
    middle = box.x + box.w / 2
    usual = {
        "center": PixelPoint(middle, box.y + box.h / 2),
        "top": PixelPoint(middle, box.y),
        "bottom": PixelPoint(middle, box.y + box.h),
    }
    return usual | anchor_points(appearance)


def _extent(appearance: Appearance) -> tuple[int, int, int, int]:
    """The whole pixels that the drawing may touch: the box, and the string that leads out of it."""
    xs = [
        appearance.box.x,
        appearance.box.x + appearance.box.w,
        *(p.x for p in (appearance.start, appearance.end) if p is not None),
    ]
    ys = [
        appearance.box.y,
        appearance.box.y + appearance.box.h,
        *(p.y for p in (appearance.start, appearance.end) if p is not None),
    ]
    return math.floor(min(xs)) - 3, math.floor(min(ys)) - 3, math.ceil(max(xs)) + 3, math.ceil(max(ys)) + 3


@lru_cache(maxsize=512)
def _cut(appearance: Appearance) -> tuple[int, int, NDArray[np.bool_]]:
    left, top, right, bottom = _extent(appearance)
    stencil = Stencil(max(1, right - left), max(1, bottom - top), origin=(left, top))
    draw(stencil, appearance)
    covered = stencil.mask()
    covered.setflags(write=False)
    return left, top, covered


def mask(appearance: Appearance, width: int = WIDTH, height: int = HEIGHT) -> NDArray[np.bool_]:
    """Return which pixels of an image the object covers, as an array of height x width."""
    left, top, covered = _cut(appearance)
    whole = np.zeros((height, width), dtype=np.bool_)
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + covered.shape[1], width), min(top + covered.shape[0], height)
    if x0 < x1 and y0 < y1:
        whole[y0:y1, x0:x1] = covered[y0 - top : y1 - top, x0 - left : x1 - left]
    return whole
