"""What can be drawn: for each kind its size, its units, the attributes it shows and where others attach to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from falter.scene import Box
from falter.world.drawing.appearance import Look, Point
from falter.world.drawing.palette import COLORS
from falter.world.drawing.pen import Frame, Pen
from falter.world.drawing.shapes import XY

__all__ = [
    "ANY_COLOR",
    "DRAWABLE",
    "PATTERNS",
    "Grid",
    "Kindred",
    "Stands",
    "drawable",
    "frame_of",
    "natural_size",
    "placed",
]

Stands = Literal["ground", "surface", "wall", "sky", "worn", "floor"]
ANY_COLOR = tuple(COLORS)
PATTERNS = ("plain", "striped", "dotted", "checkered")
MARGIN = 1.5
_NO_BOX = Box(0, 0, 1, 1)


class Grid(NamedTuple):
    """The rectangle of a thing's own units that fills its box."""

    x0: float
    y0: float
    x1: float
    y1: float


GridOf = Grid | Callable[[Look], Grid]
PlacesOf = Mapping[str, XY] | Callable[[Look], Mapping[str, XY]]


class Kindred(NamedTuple):
    """How one kind is drawn.

    ``width`` and ``height`` are those of the plain look, an adult man being 1.0 high; ``natural_size`` tells them for
    a look in another pose. The box of a person or an animal holds a little air: ``visible_box`` is tight. ``stands``
    says where it belongs: on the ground, on a surface (table, shelf, a hand; the ground too), on a wall, in the sky, on
    somebody, or flat on the floor. ``honours`` gives, for each field of ``Look`` that it shows, the values it can show.
    """

    kind: str
    width: float
    height: float
    stands: Stands
    honours: Mapping[str, tuple[str, ...]]
    unit: float
    grid: GridOf
    places: PlacesOf
    painter: Callable[[Pen], None]

    def grid_of(self, look: Look) -> Grid:
        return self.grid if isinstance(self.grid, Grid) else self.grid(look)

    def places_of(self, look: Look) -> Mapping[str, XY]:
        return self.places(look) if callable(self.places) else self.places


DRAWABLE: dict[str, Kindred] = {}


def drawable(
    kind: str,
    height: float,
    grid: tuple[float, float] | Grid | Callable[[Look], Grid],
    stands: Stands = "ground",
    places: PlacesOf | None = None,
    **honours: tuple[str, ...],
) -> Callable[[Callable[[Pen], None]], Callable[[Pen], None]]:
    """Register the painter of a kind: its natural height, its units, its places and the fields it honours."""

    def register(painter: Callable[[Pen], None]) -> Callable[[Pen], None]:
        sized: GridOf = Grid(0, 0, *grid) if isinstance(grid, tuple) and not isinstance(grid, Grid) else grid
        usual = sized if isinstance(sized, Grid) else sized(Look(kind=kind, box=_NO_BOX))
        unit = height / (usual.y1 - usual.y0)
        width = unit * (usual.x1 - usual.x0)
        DRAWABLE[kind] = Kindred(kind, width, height, stands, honours, unit, sized, places or {}, painter)
        return painter

    return register


def natural_size(look: Look) -> tuple[float, float]:
    """Return the width and height that the look's box should have (in its pose), an adult standing being 1.0 high."""
    kindred = DRAWABLE[look.kind]
    grid = kindred.grid_of(look)
    return kindred.unit * (grid.x1 - grid.x0), kindred.unit * (grid.y1 - grid.y0)


def frame_of(look: Look) -> Frame:
    """Return the map from the thing's units to the picture, mirrored where it faces left."""
    grid = DRAWABLE[look.kind].grid_of(look)
    box = look.box
    margin = min(MARGIN, box.w / 8, box.h / 8)
    sx = (box.w - 2 * margin) / (grid.x1 - grid.x0)
    sy = (box.h - 2 * margin) / (grid.y1 - grid.y0)
    y0 = box.y + margin - grid.y0 * sy
    if look.facing == "left":
        return Frame(-sx, 0.0, box.x + box.w - margin + grid.x0 * sx, 0.0, sy, y0)
    return Frame(sx, 0.0, box.x + margin - grid.x0 * sx, 0.0, sy, y0)


def placed(look: Look) -> dict[str, Point]:
    """Return the named places of a thing, in the picture."""
    frame = frame_of(look)
    return {name: frame.at(spot) for name, spot in DRAWABLE[look.kind].places_of(look).items()}
