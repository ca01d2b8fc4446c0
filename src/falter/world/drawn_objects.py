"""The pieces of a scene while it is being put together: things, bonds between them, and units that move as one."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from falter.scene import Box
from falter.world.drawing.appearance import Look, Point

__all__ = ["Bond", "Deed", "Piece", "Row", "Unit", "moved", "moved_look"]

Row = str
"""Where a unit stands: ``back``, ``front``, ``sky`` or ``wall``."""


class Piece(msgspec.Struct, kw_only=True):
    """One thing to be drawn and annotated."""

    look: Look
    words: tuple[str, ...] = ()
    grounded: bool = False
    aloft: bool = False
    rank: int = 0

    @property
    def kind(self) -> str:
        return self.look.kind


class Bond(NamedTuple):
    """A relation between two pieces that follows from how they were put together."""

    subject: Piece
    relation: str
    object: Piece


class Deed(NamedTuple):
    """Who does what to whom with what; ``patient`` is None where it is the ground."""

    verb: str
    agent: Piece
    patient: Piece | None
    tool: Piece | None


class Unit(msgspec.Struct, kw_only=True):
    """Pieces that belong together and are placed as one, from the furthest to the nearest."""

    row: Row
    pieces: list[Piece]
    bonds: list[Bond] = []
    deeds: list[Deed] = []
    group: str | None = None

    def span(self) -> tuple[float, float]:
        """The leftmost and rightmost edge of what stands on the ground or hangs there by itself."""
        edges = [(piece.look.box.x, piece.look.box.right) for piece in self.pieces]
        return min(left for left, _ in edges), max(right for _, right in edges)

    def height(self) -> tuple[float, float]:
        """The topmost and the lowest edge."""
        edges = [(piece.look.box.y, piece.look.box.bottom) for piece in self.pieces]
        return min(top for top, _ in edges), max(bottom for _, bottom in edges)

    def shift(self, dx: float, dy: float = 0.0) -> None:
        """Move the whole unit."""
        for piece in self.pieces:
            piece.look = moved_look(piece.look, dx, dy)


def moved(box: Box, dx: float, dy: float) -> Box:
    """A box moved by whole pixels."""
    return Box(box.x + dx, box.y + dy, box.w, box.h)


def moved_look(look: Look, dx: float, dy: float) -> Look:
    """A look moved by whole pixels, with the string or rope that leads out of it."""
    dx, dy = round(dx), round(dy)
    start = None if look.start is None else Point(look.start.x + dx, look.start.y + dy)
    end = None if look.end is None else Point(look.end.x + dx, look.end.y + dy)
    return msgspec.structs.replace(look, box=moved(look.box, dx, dy), start=start, end=end)
