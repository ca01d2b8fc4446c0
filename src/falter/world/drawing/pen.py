"""The kinds that can be drawn, the appearance of one object, and the pen that draws it.

A kind has a size, units, the attributes it shows and anchors. An appearance is everything that determines how an object
is drawn; the pen draws it in its own units, oriented and placed by its appearance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import msgspec

from falter.generation.scene import Box
from falter.world.drawing.canvas import XY, Canvas, Shape, arc, oval, spline
from falter.world.drawing.palette import COLORS, MATERIAL_COLORS, SURFACES, Color, color_for, darker, with_alpha

Facing = Literal["left", "right"]
Seat = Literal["chair", "ground", "astride"]


class PixelPoint(NamedTuple):
    """A point of the image, in pixels."""

    x: float
    y: float


class Appearance(msgspec.Struct, frozen=True, kw_only=True):
    """One object as it is drawn: the attributes are words of the ontology, or None where they do not apply.

    ``gesture`` says what a person's arms do (``"down"``, ``"forward"``, ``"up"``, ``"both forward"``, ``"both up"``,
    ``"wave"``, ``"mouth"``, ``"point"`` ...): what a verb looks like from outside.
    ``seat`` is what a sitting person sits on; ``bare_legs`` go with a dress; ``laid`` is a surfboard lying flat, as one
    rides it. ``start`` and ``end`` are the two ends of a rope or a leash; ``end`` alone is where the string of a kite
    or a balloon is held, or where the water of a watering can falls.
    """

    kind: str
    box: Box
    color: str | None = None
    material: str | None = None
    pattern: str | None = None
    size: str | None = None
    shape: str | None = None
    length: str | None = None
    opening: str | None = None
    contents: str | None = None
    light: str | None = None
    mood: str | None = None
    pose: str | None = None
    action: str | None = None
    facing: Facing = "right"
    gesture: str | None = None
    shirt: str | None = None
    pants: str | None = None
    seed: int = 0
    seat: Seat = "chair"
    start: PixelPoint | None = None
    end: PixelPoint | None = None
    bare_legs: bool = False
    laid: bool = False


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


Stands = Literal["ground", "surface", "wall", "sky", "worn", "floor"]
ANY_COLOR = tuple(COLORS)
PATTERNS = ("plain", "striped", "dotted", "checkered")
MARGIN = 1.5
_NO_BOX = Box(0, 0, 1, 1)


class UnitGrid(NamedTuple):
    """The rectangle of a thing's own units that fills its box."""

    x0: float
    y0: float
    x1: float
    y1: float


UnitGridFor = UnitGrid | Callable[[Appearance], UnitGrid]
AnchorsFor = Mapping[str, XY] | Callable[[Appearance], Mapping[str, XY]]


class DrawableKind(NamedTuple):
    """How one kind is drawn.

    ``width`` and ``height`` are those of the plain appearance, an adult man being 1.0 high; ``natural_size`` gives them
    for another pose. The box of a person or an animal has some margin; ``masks.seen_box`` is tight. ``stands`` says
    where the kind belongs: on the ground, on a surface (table, shelf, a hand; the ground too), on a wall, in the sky,
    on somebody, or flat on the floor. ``attributes`` gives, for each field of ``Appearance`` that it shows, the values
    it can show.
    """

    kind: str
    width: float
    height: float
    stands: Stands
    attributes: Mapping[str, tuple[str, ...]]
    unit: float
    grid: UnitGridFor
    anchors: AnchorsFor
    painter: Callable[[Pen], None]

    def grid_for(self, appearance: Appearance) -> UnitGrid:
        return self.grid if isinstance(self.grid, UnitGrid) else self.grid(appearance)

    def anchors_for(self, appearance: Appearance) -> Mapping[str, XY]:
        return self.anchors(appearance) if callable(self.anchors) else self.anchors


DRAWABLE: dict[str, DrawableKind] = {}


def drawable(
    kind: str,
    height: float,
    grid: tuple[float, float] | UnitGrid | Callable[[Appearance], UnitGrid],
    stands: Stands = "ground",
    anchors: AnchorsFor | None = None,
    **attributes: tuple[str, ...],
) -> Callable[[Callable[[Pen], None]], Callable[[Pen], None]]:
    """Register the painter of a kind: its natural height, its units, its anchors and the attributes it shows."""

    def register(painter: Callable[[Pen], None]) -> Callable[[Pen], None]:
        sized: UnitGridFor = (
            UnitGrid(0, 0, *grid) if isinstance(grid, tuple) and not isinstance(grid, UnitGrid) else grid
        )
        usual = sized if isinstance(sized, UnitGrid) else sized(Appearance(kind=kind, box=_NO_BOX))
        unit = height / (usual.y1 - usual.y0)
        width = unit * (usual.x1 - usual.x0)
        DRAWABLE[kind] = DrawableKind(kind, width, height, stands, attributes, unit, sized, anchors or {}, painter)
        return painter

    return register


def natural_size(appearance: Appearance) -> tuple[float, float]:
    """Return width and height of an appearance in its pose, a standing adult being 1.0 high."""
    drawable_kind = DRAWABLE[appearance.kind]
    grid = drawable_kind.grid_for(appearance)
    return drawable_kind.unit * (grid.x1 - grid.x0), drawable_kind.unit * (grid.y1 - grid.y0)


def frame_for(appearance: Appearance) -> Frame:
    """Return the map from the kind's units to the image, mirrored where it faces left."""
    grid = DRAWABLE[appearance.kind].grid_for(appearance)
    box = appearance.box
    margin = min(MARGIN, box.w / 8, box.h / 8)
    sx = (box.w - 2 * margin) / (grid.x1 - grid.x0)
    sy = (box.h - 2 * margin) / (grid.y1 - grid.y0)
    y0 = box.y + margin - grid.y0 * sy
    if appearance.facing == "left":
        return Frame(-sx, 0.0, box.x + box.w - margin + grid.x0 * sx, 0.0, sy, y0)
    return Frame(sx, 0.0, box.x + margin - grid.x0 * sx, 0.0, sy, y0)


def anchor_points(appearance: Appearance) -> dict[str, PixelPoint]:
    """Return the named anchors of an appearance, in pixels of the image."""
    frame = frame_for(appearance)
    return {name: frame.at(spot) for name, spot in DRAWABLE[appearance.kind].anchors_for(appearance).items()}
