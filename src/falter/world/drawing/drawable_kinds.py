"""The kinds that can be drawn: for each its size, its units, the attributes it shows and its anchors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from falter.scene import Box
from falter.world.drawing.appearance import Appearance, PixelPoint
from falter.world.drawing.palette import COLORS
from falter.world.drawing.pen import Frame, Pen
from falter.world.drawing.shapes import XY

__all__ = [
    "ANY_COLOR",
    "DRAWABLE",
    "PATTERNS",
    "DrawableKind",
    "Stands",
    "UnitGrid",
    "anchor_points",
    "drawable",
    "frame_for",
    "natural_size",
]

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
