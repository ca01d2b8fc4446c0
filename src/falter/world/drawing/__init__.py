"""Drawing the embedded world: things, people and backgrounds, from shapes alone."""

from __future__ import annotations

from falter.world.drawing import (  # noqa: F401
    animals,
    birds,
    containers,
    devices,
    food,
    furniture,
    people,
    plants,
    sky,
    structures,
    things,
    toys,
    vehicles,
)
from falter.world.drawing.appearance import Look, Point
from falter.world.drawing.backgrounds import BACKGROUNDS, Background, draw_background
from falter.world.drawing.canvas import HEIGHT, WIDTH, Canvas
from falter.world.drawing.clothing import WORN, worn_box
from falter.world.drawing.drawable_kinds import DRAWABLE, Kindred, natural_size
from falter.world.drawing.painting import anchors, attached, draw, draw_dressed, mask, visible_box

__all__ = [
    "BACKGROUNDS",
    "DRAWABLE",
    "HEIGHT",
    "WIDTH",
    "WORN",
    "Background",
    "Canvas",
    "Kindred",
    "Look",
    "Point",
    "anchors",
    "attached",
    "draw",
    "draw_background",
    "draw_dressed",
    "mask",
    "natural_size",
    "visible_box",
    "worn_box",
]
