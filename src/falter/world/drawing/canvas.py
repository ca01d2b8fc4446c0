"""An image drawn at a larger scale and reduced to its size at the end, and outlines to draw on it.

Outlines are lists of points, in whatever units the painter thinks in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from falter.world.drawing.palette import Color, surface, with_alpha

XY = tuple[float, float]
Shape = list[XY]


@cache
def _circle(steps: int) -> tuple[XY, ...]:
    return tuple((math.cos(2 * math.pi * i / steps), math.sin(2 * math.pi * i / steps)) for i in range(steps))


def oval(cx: float, cy: float, rx: float, ry: float | None = None, turn: float = 0.0) -> Shape:
    """An ellipse, turned clockwise by ``turn`` degrees."""
    ry = rx if ry is None else ry
    around = _circle(28)
    if not turn:
        return [(cx + rx * c, cy + ry * s) for c, s in around]
    ct, st = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return [(cx + rx * c * ct - ry * s * st, cy + rx * c * st + ry * s * ct) for c, s in around]


def arc(cx: float, cy: float, rx: float, ry: float, start: float, stop: float, steps: int = 14) -> Shape:
    """Points along an ellipse, by clockwise degrees from three o'clock."""
    angles = (math.radians(start + (stop - start) * i / steps) for i in range(steps + 1))
    return [(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in angles]


def rect(x0: float, y0: float, x1: float, y1: float, r: float = 0.0) -> Shape:
    """A rectangle, with corners rounded by ``r``."""
    if not r:
        return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    r = min(r, (x1 - x0) / 2, (y1 - y0) / 2)
    corners = ((x0 + r, y0 + r, 180), (x1 - r, y0 + r, 270), (x1 - r, y1 - r, 0), (x0 + r, y1 - r, 90))
    return [p for cx, cy, at in corners for p in arc(cx, cy, r, r, at, at + 90, 5)]


def _between(p0: XY, p1: XY, p2: XY, p3: XY, steps: int) -> Shape:
    points = []
    for i in range(steps):
        t = i / steps
        a, b, c = 0.5 * (-(t**3) + 2 * t * t - t), 0.5 * (3 * t**3 - 5 * t * t + 2), 0.5 * (-3 * t**3 + 4 * t * t + t)
        d = 0.5 * (t**3 - t * t)
        points.append(
            (a * p0[0] + b * p1[0] + c * p2[0] + d * p3[0], a * p0[1] + b * p1[1] + c * p2[1] + d * p3[1]),
        )
    return points


def smooth(*points: XY, steps: int = 5) -> Shape:
    """A closed curve through the points."""
    n = len(points)
    quads = ((points[i - 1], points[i], points[(i + 1) % n], points[(i + 2) % n]) for i in range(n))
    return [p for quad in quads for p in _between(*quad, steps)]


def spline(*points: XY, steps: int = 6) -> Shape:
    """An open curve through the points."""
    ends = [points[0], *points, points[-1]]
    curve = [p for i in range(len(points) - 1) for p in _between(ends[i], ends[i + 1], ends[i + 2], ends[i + 3], steps)]
    return [*curve, points[-1]]


def capsule(a: XY, b: XY, wa: float, wb: float | None = None) -> Shape:
    """A round-capped stroke from ``a`` to ``b``, of width ``wa`` there and ``wb`` here."""
    ra, rb = wa / 2, (wa if wb is None else wb) / 2
    at = math.degrees(math.atan2(b[1] - a[1], b[0] - a[0]))
    return arc(*a, ra, ra, at + 90, at + 270, 7) + arc(*b, rb, rb, at - 90, at + 90, 7)


def with_holes(outer: Shape, *holes: Shape) -> Shape:
    """A closed shape with holes: each is joined to the outline by a cut of no width."""
    shape = list(outer)
    for hole in holes:
        hx, hy = hole[0]
        near = min(range(len(shape)), key=lambda i: (shape[i][0] - hx) ** 2 + (shape[i][1] - hy) ** 2)
        shape = [*shape[: near + 1], *hole, hole[0], *shape[near:]]
    return shape


def limb(points: Sequence[XY], width: float, end: float | None = None) -> list[Shape]:
    """A round-jointed stroke along the points, tapering from ``width`` to ``end``: one shape a segment."""
    end = width if end is None else end
    n = len(points) - 1
    widths = [width + (end - width) * i / n for i in range(n + 1)]
    return [capsule(points[i], points[i + 1], widths[i], widths[i + 1]) for i in range(n)]


def two_bones(start: XY, end: XY, upper: float, lower: float, bend: float) -> tuple[XY, XY]:
    """Return the joint (elbow, knee) and the reached end of a two-bone limb; ``bend`` is the side the joint goes to."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    far = max(math.hypot(dx, dy), 1e-6)
    reach = min(far, (upper + lower) * 0.999)
    ux, uy = dx / far, dy / far
    along = (upper**2 - lower**2 + reach**2) / (2 * reach)
    out = math.sqrt(max(upper**2 - along**2, 0.0)) * (1 if bend > 0 else -1)
    joint = (start[0] + ux * along + uy * out, start[1] + uy * along - ux * out)
    return joint, (start[0] + ux * reach, start[1] + uy * reach)


WIDTH, HEIGHT = 480, 360
SCALE = 3


class Canvas:
    """Takes shapes in final pixels; ``finish`` gives the image.

    A color of four numbers is laid over what is there by its alpha.
    """

    def __init__(
        self,
        width: int = WIDTH,
        height: int = HEIGHT,
        color: Color = (255, 255, 255),
        *,
        scale: int = SCALE,
        origin: XY = (0.0, 0.0),
        mode: str = "RGB",
    ) -> None:
        self.scale = scale
        self.origin = origin
        self.image = Image.new(mode, (width * scale, height * scale), color if mode == "RGB" else 0)
        self._solid = ImageDraw.Draw(self.image)
        self._glaze = ImageDraw.Draw(self.image, "RGBA") if mode == "RGB" else self._solid

    def _scaled(self, points: Sequence[XY]) -> list[XY]:
        s, (ox, oy) = self.scale, self.origin
        return [((x - ox) * s, (y - oy) * s) for x, y in points]

    def _draw(self, color: Color) -> ImageDraw.ImageDraw:
        return self._glaze if len(color) == 4 else self._solid

    def fill(self, shape: Shape, color: Color) -> None:
        """Fill a closed shape."""
        self._draw(color).polygon(self._scaled(shape), fill=color)

    def tint(self, shape: Shape, color: Color) -> None:
        """Color what is seen through a shape; a thing's mask has a hole there."""
        self._draw(color).polygon(self._scaled(shape), fill=color)

    def edge(self, shape: Shape, color: Color, width: float) -> None:
        """Draw a closed shape's outline, ``width`` pixels to either side."""
        points = self._scaled(shape)
        wide = max(1, round(2 * width * self.scale))
        self._solid.line([*points, points[0], points[1]], fill=color, width=wide)
        if len(points) <= 10:
            r = wide / 2 - 0.5
            for x, y in points:
                self._solid.ellipse((x - r, y - r, x + r, y + r), fill=color)

    def stroke(self, line: Shape, color: Color, width: float) -> None:
        """Draw an open line with round ends."""
        points = self._scaled(line)
        wide = max(1, round(width * self.scale))
        draw = self._draw(color)
        draw.line(points, fill=color, width=wide, joint="curve" if len(points) <= 6 else None)
        if wide > 2 and len(color) == 3:
            r = wide / 2 - 0.5
            for x, y in (points[0], points[-1]):
                draw.ellipse((x - r, y - r, x + r, y + r), fill=color)

    def texture(self, shapes: Sequence[Shape], name: str, color: Color) -> None:
        """Fill the union of closed shapes with a surface."""
        scaled = [self._scaled(shape) for shape in shapes]
        xs = [x for shape in scaled for x, _ in shape]
        ys = [y for shape in scaled for _, y in shape]
        left, top = math.floor(min(xs)), math.floor(min(ys))
        size = (max(1, math.ceil(max(xs)) - left), max(1, math.ceil(max(ys)) - top))
        stencil = Image.new("1", size)
        draw = ImageDraw.Draw(stencil)
        for shape in scaled:
            draw.polygon([(x - left, y - top) for x, y in shape], fill=1)
        self.image.paste(surface(name, *size, color, self.scale), (left, top), stencil)

    def glow(self, center: XY, radius: float, color: Color, strength: int = 110) -> None:
        """Lay light around a point; it belongs to no thing's mask."""
        rings = 10
        for i in range(rings):
            r = radius * (1 - i / rings)
            x, y = self._scaled([center])[0]
            r *= self.scale
            self._glaze.ellipse((x - r, y - r, x + r, y + r), fill=with_alpha(color, strength // rings + 2))

    def finish(self) -> Image.Image:
        """Return the image at its final size."""
        return self.image.reduce(self.scale)


class Stencil(Canvas):
    """A canvas that only remembers where something was drawn."""

    def __init__(self, width: int, height: int, *, origin: XY = (0.0, 0.0)) -> None:
        super().__init__(width, height, mode="L", origin=origin)

    def fill(self, shape: Shape, color: Color) -> None:  # noqa: ARG002
        self._solid.polygon(self._scaled(shape), fill=255)

    def tint(self, shape: Shape, color: Color) -> None:
        pass

    def edge(self, shape: Shape, color: Color, width: float) -> None:  # noqa: ARG002
        points = self._scaled(shape)
        wide = max(1, round(2 * width * self.scale))
        self._solid.line([*points, points[0]], fill=255, width=wide)

    def stroke(self, line: Shape, color: Color, width: float) -> None:  # noqa: ARG002
        self._solid.line(self._scaled(line), fill=255, width=max(1, round(width * self.scale)))

    def texture(self, shapes: Sequence[Shape], name: str, color: Color) -> None:  # noqa: ARG002
        for shape in shapes:
            self._solid.polygon(self._scaled(shape), fill=255)

    def glow(self, center: XY, radius: float, color: Color, strength: int = 110) -> None:
        pass

    def mask(self) -> NDArray[np.bool_]:
        """Return where the final image is covered by at least a half."""
        return np.asarray(self.finish()) > 127
