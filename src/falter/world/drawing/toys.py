"""Toys and sports gear."""

from __future__ import annotations

import math

from falter.world.drawing.canvas import XY, arc, oval, rect, smooth, spline
from falter.world.drawing.palette import COLORS, darker, lighter
from falter.world.drawing.pen import ANY_COLOR, PATTERNS, Appearance, Paint, Pen, UnitGrid, drawable

__all__: list[str] = []

STRING = (90, 84, 80)


@drawable("ball", 0.22, (20, 20), "surface", {"top": (10, 0)}, color=ANY_COLOR, pattern=PATTERNS)
def ball(pen: Pen) -> None:
    color = pen.color("red")
    pen.fill(pen.paint("red"), oval(10, 10, 9.4))
    if pen.appearance.pattern in (None, "plain"):
        seam = darker(color, 0.35)
        pen.stroke(arc(-1, 10, 9, 11, -50, 50), seam, 0.7)
        pen.stroke(arc(21, 10, 9, 11, 130, 230), seam, 0.7)
    pen.flat((*lighter(color, 0.8), 150), oval(6.6, 5.8, 2.4, 1.6, -35))


def _string(pen: Pen, x: float, y: float, otherwise: tuple[float, float]) -> None:
    """The string of something that is held, down to the hand that holds it."""
    if pen.appearance.end is None:
        pen.curve((x, y), ((x + otherwise[0]) / 2 + 1.5, (y + otherwise[1]) / 2), otherwise, color=STRING, width=0.5)
        return
    start = pen.frame.at((x, y))
    end = pen.appearance.end
    sag = ((start.x + end.x) / 2, (start.y + end.y) / 2 + abs(end.x - start.x) * 0.08)
    pen.canvas.stroke(spline(start, sag, end), STRING, 1.1)


@drawable("kite", 0.52, (36, 52), "sky", {"tail": (18, 50), "middle": (18, 18)}, color=ANY_COLOR, pattern=PATTERNS)
def kite(pen: Pen) -> None:
    color = pen.color("red")
    _string(pen, 18, 18, (18, 34))
    tail = spline((18, 35), (22, 40), (15, 44), (20, 51))
    pen.stroke(tail, STRING, 0.7)
    for x, y in ((21, 39.5), (16, 43.5), (19, 48.5)):
        pen.fill(
            darker(color, 0.2),
            [(x, y), (x - 3, y - 1.8), (x - 3, y + 1.8)],
            [(x, y), (x + 3, y - 1.8), (x + 3, y + 1.8)],
            line=0.7,
        )
    pen.fill(pen.paint("red"), [(18, 0.5), (35, 14), (18, 36), (1, 14)])
    pen.stroke([(18, 0.5), (18, 36)], darker(color, 0.45), 0.8)
    pen.stroke([(1, 14), (35, 14)], darker(color, 0.45), 0.8)


@drawable("balloon", 0.46, (24, 46), "sky", {"knot": (12, 29), "end": (12, 45)}, color=ANY_COLOR, pattern=PATTERNS)
def balloon(pen: Pen) -> None:
    _string(pen, 12, 30, (12, 45.5))
    color = pen.color("red")
    pen.fill(color, [(12, 27), (9.6, 31), (14.4, 31)])
    pen.fill(
        pen.paint("red"), smooth((12, 0.6), (21, 4.5), (23.2, 12), (19, 21), (12, 28.4), (5, 21), (0.8, 12), (3, 4.5))
    )
    pen.flat((*lighter(color, 0.85), 170), oval(7, 7.5, 1.8, 3.6, 30))


@drawable(
    "skateboard", 0.2, (64, 16), "floor", {"top": (32, 5), "top_left": (12, 5), "top_right": (52, 5)}, color=ANY_COLOR
)
def skateboard(pen: Pen) -> None:
    for x in (16, 48):
        pen.fill(COLORS["gray"], rect(x - 2, 5, x + 2, 11))
        pen.fill((70, 70, 76), oval(x - 4.2, 11.4, 3.6), oval(x + 4.2, 11.4, 3.6))
        pen.flat((215, 215, 215), oval(x - 4.2, 11.4, 1.3), oval(x + 4.2, 11.4, 1.3))
    deck = [
        (1.5, 1.2),
        (4, 0.8),
        (11, 3.6),
        (53, 3.6),
        (60, 0.8),
        (62.5, 1.2),
        (62.5, 3.4),
        (54.5, 7.2),
        (9.5, 7.2),
        (1.5, 3.4),
    ]
    pen.fill(pen.paint("red"), deck)


def _board_grid(appearance: Appearance) -> UnitGrid:
    return UnitGrid(0, 0, 100, 15) if appearance.laid else UnitGrid(0, 0, 26, 92)


def _board_anchors(appearance: Appearance) -> dict[str, XY]:
    return {"top": (50, 6)} if appearance.laid else {"top": (13, 2), "middle": (13, 46)}


@drawable("surfboard", 0.95, _board_grid, "ground", _board_anchors, color=ANY_COLOR, pattern=("plain", "striped"))
def surfboard(pen: Pen) -> None:
    paint = pen.paint("yellow")
    seam = darker(paint.color, 0.45) if sum(paint.color) > 150 else (120, 120, 126)
    if pen.appearance.laid:
        pen.fill((70, 72, 80), [(10, 9), (20, 10), (13, 14.6)])
        pen.fill(
            paint, smooth((1, 4.5), (20, 1.6), (60, 1.2), (88, 1.4), (99, 0.8), (92, 6), (70, 10.4), (30, 11), (8, 9))
        )
        pen.stroke([(4, 5.4), (92, 3.4)], seam, 1.0)
        return
    pen.fill(paint, smooth((13, 0.5), (22, 18), (25, 46), (22, 76), (17, 91), (9, 91), (4, 76), (1, 46), (4, 18)))
    pen.stroke([(13, 3), (13, 90)], seam, 1.0)
    pen.stroke(spline((4.5, 68), (13, 74), (21.5, 68)), seam, 2.0)


@drawable("racket", 0.52, (26, 56), "surface", {"handle": (13, 50)}, color=ANY_COLOR)
def racket(pen: Pen) -> None:
    color = pen.color("red")
    pen.flat((255, 255, 255, 150), oval(13, 16, 10, 13))
    for x in (6.5, 9.8, 13, 16.2, 19.5):
        half = 13 * math.sqrt(max(0.0, 1 - ((x - 13) / 10) ** 2))
        pen.stroke([(x, 16 - half), (x, 16 + half)], (120, 120, 120), 0.4)
    for y in (6.5, 11, 16, 21, 25.5):
        half = 10 * math.sqrt(max(0.0, 1 - ((y - 16) / 13) ** 2))
        pen.stroke([(13 - half, y), (13 + half, y)], (120, 120, 120), 0.4)
    ring = arc(13, 16, 11, 14, 0, 360, 30)
    pen.rope(*ring, color=color, width=2.6, smooth=False)
    pen.rope((9, 29), (13, 35), (17, 29), color=color, width=2.0, smooth=False)
    pen.fill(color, rect(11.2, 33, 14.8, 55, 1.6))
    pen.fill((60, 50, 50), rect(10.9, 43, 15.1, 55.4, 1.8))


@drawable(
    "guitar",
    0.36,
    (92, 36),
    "surface",
    {"strings": (22, 18), "neck": (66, 17)},
    color=("brown", "red", "black", "orange", "blue", "white"),
)
def guitar(pen: Pen) -> None:
    color = pen.color((196, 120, 50))
    pen.fill((84, 52, 30), rect(36, 14.6, 82, 20))
    pen.fill((64, 40, 26), [(80, 12.5), (91, 10.5), (91, 22.5), (80, 21.5)])
    for x in (83, 86.5, 90):
        pen.flat((225, 225, 225), oval(x, 11.2, 1.1), oval(x, 22.4, 1.1))
    body = smooth(
        (1, 17.5),
        (5, 4),
        (16, 1.2),
        (25, 5.5),
        (33, 6),
        (41, 8),
        (44, 17.5),
        (41, 27),
        (33, 29),
        (25, 29.5),
        (16, 34),
        (5, 31),
    )
    pen.fill(Paint(color), body)
    pen.fill((44, 28, 20), oval(30, 17.5, 5.4), edge=lighter(color, 0.5))
    pen.fill((60, 36, 22), rect(9, 11.5, 12, 23.5))
    for y in (16, 17.5, 19):
        pen.stroke([(11, y), (82, y)], (240, 236, 220), 0.35)
    for x in range(46, 80, 6):
        pen.stroke([(x, 14.8), (x, 19.8)], (200, 200, 190), 0.4)
