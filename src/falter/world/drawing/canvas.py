"""An image drawn at a larger scale and reduced to its size at the end."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from falter.world.drawing.palette import Color, with_alpha
from falter.world.drawing.shapes import XY, Shape
from falter.world.drawing.textures import surface

__all__ = ["HEIGHT", "WIDTH", "Canvas", "Stencil"]

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
