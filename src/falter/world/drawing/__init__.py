"""Draws objects, people and backgrounds from shapes."""

from __future__ import annotations

from falter.world.drawing import (  # noqa: F401
    animals,
    birds,
    containers,
    food,
    furniture,
    household,
    outdoors,
    people,
    toys,
    vehicles,
)
from falter.world.drawing.backgrounds import BACKGROUNDS, Background, draw_background
from falter.world.drawing.body import WORN, worn_box
from falter.world.drawing.canvas import HEIGHT, WIDTH, Canvas
from falter.world.drawing.painting import anchors, draw, draw_dressed, mask
from falter.world.drawing.pen import DRAWABLE, Appearance, DrawableKind, PixelPoint, natural_size

__all__ = [
    "BACKGROUNDS",
    "DRAWABLE",
    "HEIGHT",
    "WIDTH",
    "WORN",
    "Appearance",
    "Background",
    "Canvas",
    "DrawableKind",
    "PixelPoint",
    "anchors",
    "draw",
    "draw_background",
    "draw_dressed",
    "mask",
    "natural_size",
    "worn_box",
]
