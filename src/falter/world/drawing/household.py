"""Tools, books, and what hangs on a wall or lies on a floor."""

from __future__ import annotations

from falter.world.drawing.canvas import Shape, arc, capsule, oval, rect, smooth, spline
from falter.world.drawing.palette import COLORS, Color, darker, lighter
from falter.world.drawing.pen import ANY_COLOR, PATTERNS, Appearance, Pen, UnitGrid, drawable

__all__: list[str] = []

OPENING = ("open", "closed")
TIMBER: Color = (190, 132, 74)


def _umbrella_grid(appearance: Appearance) -> UnitGrid:
    return UnitGrid(24, 0, 44, 72) if appearance.opening == "closed" else UnitGrid(0, 0, 68, 72)


UMBRELLA_ANCHORS = {"handle": (34, 58), "top": (34, 2)}


@drawable(
    "umbrella", 0.66, _umbrella_grid, "surface", UMBRELLA_ANCHORS, color=ANY_COLOR, pattern=PATTERNS, opening=OPENING
)
def umbrella(pen: Pen) -> None:
    paint = pen.paint("red")
    hook = spline((34, 8), (34, 62), (36, 69), (41, 69), (42.4, 63))
    pen.stroke(hook, (70, 52, 42), 2.4)
    if pen.appearance.opening == "closed":
        pen.stroke([(34, 1), (34, 6)], (70, 52, 42), 1.6)
        pen.fill(paint, smooth((34, 4), (37, 18), (40, 44), (34, 50), (28, 44), (31, 18), steps=4))
        seam = darker(paint.color, 0.4) if sum(paint.color) > 150 else (110, 110, 116)
        pen.curve((34, 8), (36, 26), (37, 44), color=seam, width=1.0)
        pen.curve((34, 8), (32, 26), (31, 44), color=seam, width=1.0)
        pen.stroke([(29.6, 36), (38.6, 34)], seam, 1.6)
        return
    pen.stroke([(34, 0.8), (34, 6)], (70, 52, 42), 1.8)
    rim = [*arc(57, 34, 10, 5, 0, -180, 8), *arc(34, 34, 13, 6, 0, -180, 8), *arc(11, 34, 10, 5, 0, -180, 8)]
    pen.fill(paint, [*arc(34, 34, 33, 30, 180, 360, 24), *rim])
    seam = darker(paint.color, 0.4) if sum(paint.color) > 150 else (110, 110, 116)
    pen.stroke(spline((34, 4), (24, 14), (21, 33)), seam, 1.0)
    pen.stroke(spline((34, 4), (44, 14), (47, 33)), seam, 1.0)


def _book_grid(appearance: Appearance) -> UnitGrid:
    return UnitGrid(0, 0, 48, 30) if appearance.opening == "open" else UnitGrid(0, 0, 30, 36)


@drawable("book", 0.28, _book_grid, "surface", {"top": (15, 1)}, color=ANY_COLOR, opening=OPENING)
def book(pen: Pen) -> None:
    color = pen.color("red")
    if pen.appearance.opening == "open":
        pen.fill(
            color,
            smooth(
                (1, 4), (12, 2), (24, 6), (36, 2), (47, 4), (47, 26), (36, 26), (24, 29.5), (12, 26), (1, 26), steps=4
            ),
        )
        for x0, x1, x2 in ((6, 13, 23.4), (42, 35, 24.6)):
            pen.fill((254, 252, 244), [(x0, 5), (x1, 4.4), (x2, 7.6), (x2, 25.4), (x1, 22), (x0, 22)], line=0.6)
            for k in range(3):
                y = 9.4 + k * 4
                pen.stroke([(x0 + (x1 - x0) * 0.3, y), (x1 + (x2 - x1) * 0.75, y + 1.2)], (130, 130, 136), 0.8)
        return
    pen.fill((250, 246, 232), [(5, 31), (28, 31), (28, 35), (5, 35)], line=0.8)
    pen.fill(color, rect(2, 1, 28.6, 31.6, 1.6), rect(2, 1, 6, 35, 1.6))
    pen.stroke([(6.4, 2), (6.4, 31)], darker(color, 0.4) if sum(color) > 150 else (110, 110, 116), 1.0)
    pen.fill(lighter(color, 0.72) if color != COLORS["white"] else (200, 60, 60), rect(11, 7, 24, 14, 0.8), line=0.5)


def _ladder_grid(appearance: Appearance) -> UnitGrid:
    return UnitGrid(0, 0, 40, 84) if appearance.length == "short" else UnitGrid(0, 0, 40, 140)


def _ladder_anchors(appearance: Appearance) -> dict[str, tuple[float, float]]:
    high = _ladder_grid(appearance).y1
    return {"top": (20, 2), "rung_low": (20, high - 14), "rung_middle": (20, high / 2), "rung_high": (20, 16)}


@drawable(
    "ladder",
    1.45,
    _ladder_grid,
    "ground",
    _ladder_anchors,
    color=ANY_COLOR,
    material=("wood", "metal", "plastic"),
    length=("short", "long"),
)
def ladder(pen: Pen) -> None:
    paint = pen.paint(TIMBER)
    high = _ladder_grid(pen.appearance).y1
    y = 9.0
    while y < high - 6:
        pen.fill(darker(paint.color, 0.1), rect(5, y, 35, y + 4.6))
        y += 13.6
    pen.fill(paint, rect(2, 1, 8, high - 1, 1.5))
    pen.fill(paint, rect(32, 1, 38, high - 1, 1.5))


@drawable(
    "broom",
    0.92,
    (30, 92),
    "surface",
    {"handle": (15, 26), "top": (15, 2), "bristles": (15, 86)},
    color=ANY_COLOR,
    material=("wood", "plastic"),
)
def broom(pen: Pen) -> None:
    color = pen.color("yellow")
    pen.fill((150, 100, 56), rect(13, 1, 17, 64, 2))
    pen.fill(color, smooth((11, 60), (19, 60), (24, 74), (28.6, 90), (15, 91.4), (1.4, 90), (6, 74), steps=4))
    seam = darker(color, 0.4) if sum(color) > 150 else (110, 110, 116)
    for x0, x1 in ((11, 6), (13.5, 11), (16.5, 19), (19, 24)):
        pen.stroke([(x0, 68), (x1, 90)], seam, 0.9)
    pen.fill((200, 60, 50), rect(8.6, 64, 21.4, 69, 1), line=0.7)


def _line(pen: Pen, color: Color, width: float, twist: bool) -> bool:
    """Draw a line between the two ends that the appearance gives, sagging a little."""
    a, b = pen.appearance.start, pen.appearance.end
    if a is None or b is None:
        return False
    sag = abs(b.x - a.x) * 0.12 + 2
    line = spline(a, ((a.x + b.x) / 2, (a.y + b.y) / 2 + sag), b, steps=10)
    pen.canvas.stroke(line, darker(color, 0.55), width + 1.8)
    pen.canvas.stroke(line, color, width)
    if twist:
        for x, y in line[1:-1:2]:
            pen.canvas.stroke([(x - 1, y + 1), (x + 1, y - 1)], darker(color, 0.35), 0.9)
    return True


@drawable(
    "rope", 0.26, (44, 32), "surface", {"top": (22, 4)}, color=("brown", "yellow", "white", "red", "blue", "green")
)
def rope(pen: Pen) -> None:
    color = pen.color((206, 168, 110))
    if _line(pen, color, 2.4, True):
        return
    for y in (24, 18, 12):
        pen.rope(*arc(22, y, 17, 6, 0, 360, 28), color=color, width=3.6, smooth=False)
    pen.rope((38, 24), (40, 28), (42, 29.4), color=color, width=3.2)


@drawable(
    "leash", 0.26, (44, 32), "surface", {"top": (22, 4)}, color=("red", "blue", "black", "green", "brown", "purple")
)
def leash(pen: Pen) -> None:
    color = pen.color("red")
    if _line(pen, color, 1.8, False):
        return
    pen.rope(*arc(10, 10, 7, 6.6, 0, 360, 20), color=color, width=2.6, smooth=False)
    pen.rope((16, 14), (26, 26), (34, 18), (39, 27), color=color, width=2.4)
    pen.fill((190, 194, 200), oval(40, 28.4, 2.4), line=0.6)


@drawable("painting", 0.5, (66, 50), "wall", {"top": (33, 1)})
def painting(pen: Pen) -> None:
    color = pen.color((204, 160, 60))
    pen.fill(color, rect(1, 1, 65, 49, 1))
    pen.fill((170, 214, 244), rect(9, 9, 57, 41), edge=darker(color, 0.5), line=0.8)
    pen.flat((120, 132, 160), [(18, 31), (30, 15), (43, 31)], [(34, 31), (43, 20), (55, 31)])
    pen.flat((250, 250, 252), [(27.6, 18.2), (30, 15), (32.6, 18.2)])
    pen.flat((110, 182, 90), rect(9.4, 30, 56.6, 40.6))
    pen.flat((255, 220, 70), oval(17, 16, 3.4))
    pen.flat((90, 150, 220), smooth((26, 40), (32, 34), (40, 34), (46, 40)))


@drawable("mirror", 0.44, UnitGrid(0, 8, 44, 52), "wall", {"top": (22, 9)}, color=ANY_COLOR, shape=("round", "square"))
def mirror(pen: Pen) -> None:
    color = pen.color("brown")
    square = pen.appearance.shape == "square"
    pen.fill(color, rect(1, 8, 43, 52, 2) if square else oval(22, 30, 21, 21))
    glass: Color = (214, 234, 244)
    pen.fill(
        glass,
        rect(7.6, 14.6, 36.4, 45.4, 0.5) if square else oval(22, 30, 14.4, 14.4),
        edge=darker(color, 0.4),
        line=0.8,
    )
    for a, b, w in (((14, 36), (24, 20), 3.0), ((21, 39), (30, 25), 1.8)):
        pen.stroke([a, b], (255, 255, 255), w)


@drawable(
    "rug",
    0.3,
    (140, 34),
    "floor",
    {"top": (70, 16), "top_left": (24, 16), "top_right": (116, 16)},
    color=ANY_COLOR,
    pattern=PATTERNS,
    shape=("round", "square"),
)
def rug(pen: Pen) -> None:
    paint = pen.paint("red")
    if pen.appearance.shape == "round":
        pen.fill(paint, oval(70, 17, 68.5, 16))
        if paint.surface is None:
            pen.stroke(
                arc(70, 17, 56, 11.6, 0, 360, 36),
                lighter(paint.color, 0.5) if sum(paint.color) > 150 else (130, 130, 136),
                1.4,
            )
        return
    for i in range(10):
        y = 4 + i * 2.9
        for x, out in ((20 - y * 0.5, -5), (120 + y * 0.5, 5)):
            pen.stroke([(x, y), (x + out, y + 0.8)], (230, 220, 196), 0.9)
    pen.fill(paint, [(20, 2), (120, 2), (134, 32), (6, 32)])
    if paint.surface is None:
        inner: Shape = [(26, 6), (114, 6), (124, 28), (16, 28), (26, 6)]
        pen.stroke(inner, lighter(paint.color, 0.5) if sum(paint.color) > 150 else (130, 130, 136), 1.4)


@drawable(
    "window", 0.62, (60, 62), "wall", {"top": (30, 2), "sill": (30, 57)}, opening=OPENING, shape=("round", "square")
)
def window(pen: Pen) -> None:
    frame = pen.color("white")
    view: Color = (150, 208, 246)
    if pen.appearance.shape == "round":
        pen.fill(frame, oval(30, 31, 28, 28))
        pen.fill(view, oval(30, 31, 21, 21), edge=darker(frame, 0.4), line=0.8)
        pen.flat((255, 255, 255), oval(24, 26, 7, 3), oval(30, 28, 6, 2.6))
        pen.stroke([(30, 10), (30, 52)], frame, 4)
        pen.stroke([(9, 31), (51, 31)], frame, 4)
        return
    wings = pen.appearance.opening == "open"
    x0, x1 = (14, 46) if wings else (4, 56)
    pen.fill(frame, rect(x0, 2, x1, 56, 1))
    pen.fill(view, rect(x0 + 5, 7, x1 - 5, 51), edge=darker(frame, 0.4), line=0.8)
    pen.flat((255, 255, 255), oval((x0 + x1) / 2 - 4, 17, 6.4, 3), oval((x0 + x1) / 2 + 2, 19, 5.6, 2.6))
    pen.flat((122, 190, 100), rect(x0 + 5.3, 41, x1 - 5.3, 50.7))
    if wings:
        for side, x in ((-1, 14), (1, 46)):
            far = x + side * 13.4
            pen.fill(frame, [(x, 3), (far, 8), (far, 60), (x, 55)])
            pen.fill(
                (206, 232, 246),
                [(x + side * 3.6, 9), (far - side * 3, 12), (far - side * 3, 53), (x + side * 3.6, 49.6)],
                edge=darker(frame, 0.4),
                line=0.7,
            )
    else:
        pen.stroke([(30, 6), (30, 52)], frame, 5)
        pen.stroke([(8, 29), (52, 29)], frame, 4)
        pen.stroke([(30, 6), (30, 52)], darker(frame, 0.3), 0.8)
    pen.fill(darker(frame, 0.1), rect(x0 - 3, 55, x1 + 3, 60, 1) if not wings else rect(14, 55, 46, 60, 1))


DOOR_ANCHORS = {"handle": (42, 58), "top": (27, 2), "opening": (27, 90)}


@drawable(
    "door", 1.16, (54, 106), "wall", DOOR_ANCHORS, color=ANY_COLOR, material=("wood", "metal", "glass"), opening=OPENING
)
def door(pen: Pen) -> None:
    paint = pen.paint((150, 94, 50))
    color = paint.color
    seam = darker(color, 0.4) if sum(color) > 150 else (104, 104, 110)
    pen.fill((238, 230, 214), rect(1, 1, 53, 105.4, 1), edge=(130, 118, 100))
    if pen.appearance.opening == "open":
        pen.fill((52, 46, 52), rect(6, 6, 48, 105))
        pen.flat((88, 80, 84), [(6, 105), (48, 105), (40, 92), (14, 92)])
        pen.fill(paint, [(6, 6), (36, 14), (36, 104.6), (6, 105)])
        for y0, y1 in ((18, 50), (62, 94)):
            pen.stroke([(11, y0), (31, y0 + 4), (31, y1), (11, y1), (11, y0)], seam, 1.2)
        pen.fill((240, 210, 90), oval(32.4, 60, 2), line=0.6)
        return
    pen.fill(paint, rect(6, 6, 48, 105))
    for y0, y1 in ((14, 48), (64, 96)):
        for x0, x1 in ((12, 25), (29, 42)):
            pen.stroke([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)], seam, 1.2)
    pen.fill((240, 210, 90), oval(42.6, 57, 2.5), line=0.7)


def _curtain_grid(appearance: Appearance) -> UnitGrid:
    return UnitGrid(0, 0, 76, 66) if appearance.length == "short" else UnitGrid(0, 0, 76, 104)


@drawable(
    "curtain",
    1.0,
    _curtain_grid,
    "wall",
    {"top": (38, 4), "middle": (38, 34)},
    color=ANY_COLOR,
    pattern=PATTERNS,
    opening=OPENING,
    length=("short", "long"),
)
def curtain(pen: Pen) -> None:
    paint = pen.paint("red")
    high = _curtain_grid(pen.appearance).y1 - 2
    fold = darker(paint.color, 0.32) if sum(paint.color) > 150 else (96, 96, 102)
    if pen.appearance.opening == "open":
        for side in (1, -1):
            edge = 3 if side > 0 else 73
            tie = high * 0.58
            inner: Shape = [
                (edge + side * 24, 6),
                (edge + side * 20, tie * 0.7),
                (edge + side * 9, tie),
                (edge + side * 15, high),
            ]
            pen.fill(paint, [(edge, 6), *inner, (edge, high)])
            for k in (0.3, 0.65):
                pen.curve(
                    (edge + side * 24 * k, 8),
                    (edge + side * 17 * k, tie * 0.7),
                    (edge + side * 9 * k, tie),
                    (edge + side * 15 * k, high - 1),
                    color=fold,
                    width=1.0,
                )
            pen.fill((236, 206, 100), capsule((edge + side * 0.6, tie), (edge + side * 9.4, tie), 3.6), line=0.7)
    else:
        hem = [(x, high - (1.6 if k % 2 else 0.0)) for k, x in enumerate(range(73, 2, -7))]
        pen.fill(paint, [(3, 6), (73, 6), *hem])
        for x in range(10, 70, 7):
            pen.curve((x, 8), (x + 0.8, high * 0.5), (x, high - 2), color=fold, width=1.0)
        pen.stroke([(38, 7), (38, high - 1)], darker(fold, 0.4), 1.6)
    pen.fill((128, 86, 50), rect(1.5, 2, 74.5, 6, 1.5), oval(2.8, 4, 2.6), oval(73.2, 4, 2.6))
