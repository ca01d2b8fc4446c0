"""Drawing the embedded world: things, people and backgrounds, from shapes alone."""

from __future__ import annotations

from falter.sources.world.drawing import animals, birds, furniture, people, sky, toys, vehicles  # noqa: F401
from falter.sources.world.drawing.backgrounds import BACKGROUNDS, Background, draw_background
from falter.sources.world.drawing.canvas import HEIGHT, WIDTH, Canvas
from falter.sources.world.drawing.kindred import DRAWABLE, Kindred, natural_size
from falter.sources.world.drawing.look import Look, Point
from falter.sources.world.drawing.painting import anchors, attached, draw, mask, visible_box

__all__ = [
    "BACKGROUNDS", "DRAWABLE", "HEIGHT", "WIDTH", "Background", "Canvas", "Kindred", "Look", "Point", "anchors", "attached", "draw", "draw_background", "mask",
    "natural_size", "visible_box",
]  # fmt: skip
