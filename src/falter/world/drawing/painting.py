"""Drawing one thing by its look: the picture of it, its places, its mask and its visible extent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from falter.scene import Box
from falter.world.drawing.appearance import Look, Point
from falter.world.drawing.canvas import HEIGHT, WIDTH, Canvas, Stencil
from falter.world.drawing.drawable_kinds import DRAWABLE, frame_of, placed
from falter.world.drawing.pen import Pen
from falter.world.drawing.people import draw_arms

__all__ = ["anchors", "attached", "draw", "draw_dressed", "mask", "visible_box"]


def draw(canvas: Canvas, look: Look) -> None:
    """Draw a thing on a canvas."""
    DRAWABLE[look.kind].painter(Pen(canvas, frame_of(look), look))


def draw_dressed(canvas: Canvas, person: Look, items: Sequence[Look]) -> None:
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
        draw_arms(Pen(canvas, frame_of(person), person))


def anchors(look: Look) -> dict[str, Point]:
    """Return the places of a thing where others attach, by name, in pixels of the picture.

    Every thing has ``centre``, ``top`` and ``bottom``, of its box where it has none of its own.
    """
    box = look.box
    middle = box.x + box.w / 2
    usual = {
        "centre": Point(middle, box.y + box.h / 2),
        "top": Point(middle, box.y),
        "bottom": Point(middle, box.y + box.h),
    }
    return usual | placed(look)


def attached(look: Look, anchor: str, point: Point) -> Look:
    """Return the look moved so that its named place lies at a point."""
    here = anchors(look)[anchor]
    box = look.box
    moved = Box(box.x + point.x - here.x, box.y + point.y - here.y, box.w, box.h)
    return msgspec.structs.replace(look, box=moved)


def _extent(look: Look) -> tuple[int, int, int, int]:
    """The whole pixels that the drawing may touch: the box, and the string that leads out of it."""
    xs = [look.box.x, look.box.x + look.box.w, *(p.x for p in (look.start, look.end) if p is not None)]
    ys = [look.box.y, look.box.y + look.box.h, *(p.y for p in (look.start, look.end) if p is not None)]
    return math.floor(min(xs)) - 3, math.floor(min(ys)) - 3, math.ceil(max(xs)) + 3, math.ceil(max(ys)) + 3


@lru_cache(maxsize=512)
def _cut(look: Look) -> tuple[int, int, NDArray[np.bool_]]:
    left, top, right, bottom = _extent(look)
    stencil = Stencil(max(1, right - left), max(1, bottom - top), origin=(left, top))
    draw(stencil, look)
    covered = stencil.mask()
    covered.setflags(write=False)
    return left, top, covered


def mask(look: Look, width: int = WIDTH, height: int = HEIGHT) -> NDArray[np.bool_]:
    """Return which pixels of a picture the thing covers, as an array of height x width."""
    left, top, covered = _cut(look)
    whole = np.zeros((height, width), dtype=np.bool_)
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + covered.shape[1], width), min(top + covered.shape[0], height)
    if x0 < x1 and y0 < y1:
        whole[y0:y1, x0:x1] = covered[y0 - top : y1 - top, x0 - left : x1 - left]
    return whole


def visible_box(look: Look) -> Box:
    """Return the tight box around what is drawn, the picture's edges notwithstanding."""
    left, top, covered = _cut(look)
    rows, columns = np.flatnonzero(covered.any(axis=1)), np.flatnonzero(covered.any(axis=0))
    if not len(rows):
        return look.box
    return Box(
        float(left + columns[0]),
        float(top + rows[0]),
        float(columns[-1] - columns[0] + 1),
        float(rows[-1] - rows[0] + 1),
    )
