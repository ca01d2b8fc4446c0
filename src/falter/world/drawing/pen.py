"""A pen that draws one object in its own units, oriented and placed by its appearance."""

from __future__ import annotations

import math
from typing import NamedTuple

from falter.world.drawing.appearance import Appearance, PixelPoint
from falter.world.drawing.canvas import Canvas
from falter.world.drawing.palette import Color, color_for, darker, with_alpha
from falter.world.drawing.shapes import XY, Shape, arc, oval, spline
from falter.world.drawing.textures import MATERIAL_COLORS, SURFACES

__all__ = ["EDGE", "Frame", "Paint", "Pen"]

EDGE = 1.15
INK: Color = (34, 32, 36)


class Frame(NamedTuple):
    """An affine map from a thing's own units to pixels."""

    xx: float
    xy: float
    x0: float
    yx: float
    yy: float
    y0: float

    def at(self, point: XY) -> PixelPoint:
        x, y = point
        return PixelPoint(self.xx * x + self.xy * y + self.x0, self.yx * x + self.yy * y + self.y0)

    def rotate(self, degrees: float, about: XY) -> Frame:
        """Return the frame turned clockwise about a point given in its own units."""
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        ax, ay = about
        dx, dy = ax - c * ax + s * ay, ay - s * ax - c * ay
        return Frame(
            self.xx * c + self.xy * s,
            -self.xx * s + self.xy * c,
            self.xx * dx + self.xy * dy + self.x0,
            self.yx * c + self.yy * s,
            -self.yx * s + self.yy * c,
            self.yx * dx + self.yy * dy + self.y0,
        )

    def translate(self, x: float, y: float, sx: float = 1.0, sy: float | None = None) -> Frame:
        """Return the frame whose origin lies at (x, y), with units ``sx`` (and ``sy``) times as large."""
        ox, oy = self.at((x, y))
        sy = sx if sy is None else sy
        return Frame(self.xx * sx, self.xy * sy, ox, self.yx * sx, self.yy * sy, oy)


class Paint(NamedTuple):
    """A color with what lies over it: a material's or a pattern's name."""

    color: Color
    surface: str | None = None


class Pen:
    """Draws on a canvas through a frame; knows the appearance of what it draws."""

    def __init__(self, canvas: Canvas, frame: Frame, appearance: Appearance) -> None:
        self.canvas = canvas
        self.frame = frame
        self.appearance = appearance
        self.unit = math.sqrt(abs(frame.xx * frame.yy - frame.xy * frame.yx))

    def rotate(self, degrees: float, about: XY = (0.0, 0.0)) -> Pen:
        return Pen(self.canvas, self.frame.rotate(degrees, about), self.appearance)

    def translate(self, x: float, y: float, sx: float = 1.0, sy: float | None = None) -> Pen:
        return Pen(self.canvas, self.frame.translate(x, y, sx, sy), self.appearance)

    def color(self, otherwise: str | Color = "gray") -> Color:
        """The color of the appearance, or the given one."""
        if self.appearance.color is None and self.appearance.material in MATERIAL_COLORS:
            return MATERIAL_COLORS[self.appearance.material]
        return color_for(self.appearance.color, otherwise)

    def paint(self, otherwise: str | Color = "gray") -> Paint:
        """The appearance's color with its pattern or material over it."""
        if self.appearance.material == "glass":
            return Paint(self.color(MATERIAL_COLORS["glass"]), "glass")
        for over in (self.appearance.pattern, self.appearance.material):
            if over in SURFACES:
                return Paint(self.color(otherwise), over)
        return Paint(self.color(otherwise))

    def _px(self, shape: Shape) -> Shape:
        xx, xy, x0, yx, yy, y0 = self.frame
        return [(xx * x + xy * y + x0, yx * x + yy * y + y0) for x, y in shape]

    def fill(self, paint: Paint | Color, *shapes: Shape, edge: Color | None = None, line: float = EDGE) -> None:
        """Fill shapes as one silhouette: outlined together, in a darker tone of the fill unless told otherwise."""
        if not isinstance(paint, Paint):
            paint = Paint(paint)
        placed = [self._px(shape) for shape in shapes]
        if paint.surface == "glass":
            self._glass(paint.color, placed)
            return
        if line:
            tone = edge if edge is not None else darker(paint.color, 0.5)
            if edge is None and sum(paint.color[:3]) < 160:
                tone = (12, 12, 14)
            for shape in placed:
                self.canvas.edge(shape, tone, line)
        if paint.surface is not None:
            self.canvas.texture(placed, paint.surface, paint.color)
            return
        for shape in placed:
            self.canvas.fill(shape, paint.color)

    def _glass(self, color: Color, shapes: list[Shape]) -> None:
        """Glass lets through what is behind; a bright streak tells it from paper."""
        for shape in shapes:
            self.canvas.edge(shape, darker(color, 0.45), EDGE * 0.6)
            self.canvas.fill(shape, with_alpha(color, 125))
            xs, ys = [x for x, _ in shape], [y for _, y in shape]
            left, top, w, h = min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)
            if w > 8 and h > 8:
                streak = [(left + w * 0.27, top + h * 0.28), (left + w * 0.25, top + h * 0.78)]
                self.canvas.stroke(streak, (255, 255, 255), max(1.3, w * 0.07))

    def flat(self, color: Color, *shapes: Shape) -> None:
        """Fill shapes without any outline."""
        for shape in shapes:
            self.canvas.fill(self._px(shape), color)

    def tint(self, color: Color, *shapes: Shape) -> None:
        """Color what is seen through shapes, without covering it."""
        for shape in shapes:
            self.canvas.tint(self._px(shape), color)

    def stroke(self, line: Shape, color: Color = INK, width: float = 1.0) -> None:
        """Draw an open line; ``width`` is in the thing's units, never under a pixel."""
        self.canvas.stroke(self._px(line), color, max(width * self.unit, 0.9))

    def curve(self, *points: XY, color: Color = INK, width: float = 1.0) -> None:
        self.stroke(spline(*points), color, width)

    def rope(self, *points: XY, color: Color, width: float, smooth: bool = True) -> None:
        """Draw an outlined line."""
        line = spline(*points) if smooth else list(points)
        placed = self._px(line)
        wide = max(width * self.unit, 1.2)
        self.canvas.stroke(placed, darker(color, 0.5), wide + 2 * EDGE)
        self.canvas.stroke(placed, color, wide)

    def dot(self, x: float, y: float, r: float, color: Color = INK) -> None:
        self.flat(color, oval(x, y, r))

    def glow(self, x: float, y: float, radius: float, color: Color = (255, 240, 150), strength: int = 110) -> None:
        self.canvas.glow(self.frame.at((x, y)), radius * self.unit, color, strength)

    def eye(self, x: float, y: float, r: float, *, closed: bool = False, white: bool = False) -> None:
        """An eye: a dot with a spark, or a sleeping arc."""
        if closed:
            self.stroke(arc(x, y - r * 0.3, r * 1.3, r, 20, 160, 6), INK, r * 0.6)
            return
        if white:
            self.fill((255, 255, 255), oval(x, y, r * 1.7), edge=INK, line=EDGE * 0.6)
        self.dot(x, y, r)
        self.dot(x + r * 0.3, y - r * 0.35, r * 0.35, (255, 255, 255))

    def sleep_signs(self, x: float, y: float, size: float) -> None:
        """Two letters z that rise from a sleeper, readable whichever way it faces."""
        px, py = self.frame.at((x, y))
        s = size * self.unit
        for dx, dy, k in ((0.0, 0.0, 0.75), (0.85, -0.95, 1.0)):
            w = s * k * 0.62
            cx, cy = px + (dx * s if self.frame.xx >= 0 else -dx * s), py + dy * s
            z = [(cx - w / 2, cy - w / 2), (cx + w / 2, cy - w / 2), (cx - w / 2, cy + w / 2), (cx + w / 2, cy + w / 2)]
            self.canvas.stroke(z, (70, 80, 150), max(1.5, s * 0.13))
