"""Vehicles."""

from __future__ import annotations

import math

from falter.world.drawing.canvas import Shape, arc, capsule, oval, rect, smooth, with_holes
from falter.world.drawing.palette import COLORS, Color, darker, lighter
from falter.world.drawing.pen import ANY_COLOR, Paint, Pen, UnitGrid, drawable

__all__: list[str] = []

TYRE: Color = (44, 44, 48)
GLASS: Color = (196, 228, 244)
STEEL: Color = (196, 200, 206)


def _wheel(pen: Pen, x: float, y: float, r: float) -> None:
    pen.fill(TYRE, oval(x, y, r))
    pen.fill(STEEL, oval(x, y, r * 0.52), line=0.7)
    pen.dot(x, y, r * 0.16, (90, 92, 98))


def _window(pen: Pen, x0: float, y0: float, x1: float, y1: float, r: float = 1.5) -> None:
    pen.fill(GLASS, rect(x0, y0, x1, y1, r), edge=(70, 90, 104), line=0.8)
    pen.stroke([(x0 + (x1 - x0) * 0.25, y1 - 2), (x0 + (x1 - x0) * 0.55, y0 + 2)], (255, 255, 255), 1.0)


def _glaze(pen: Pen, *shapes: Shape) -> None:
    """Windows that one can look through: whoever sits behind them shows."""
    pen.tint((*GLASS, 110), *shapes)
    for shape in shapes:
        xs, ys = [x for x, _ in shape], [y for _, y in shape]
        left, w, top, h = min(xs), max(xs) - min(xs), min(ys), max(ys) - min(ys)
        pen.stroke([(left + w * 0.3, top + h * 0.8), (left + w * 0.5, top + h * 0.35)], (255, 255, 255), 1.0)


CAR_ANCHORS = {"seat": (66, 44), "roof": (58, 2), "top": (58, 2), "window": (70, 17)}


@drawable("car", 0.78, UnitGrid(-3, 0, 127, 62), "ground", CAR_ANCHORS, color=ANY_COLOR)
def car(pen: Pen) -> None:
    color = pen.color("red")
    shell = smooth(
        (2, 49),
        (2, 34),
        (10, 29),
        (24, 27),
        (37, 6),
        (58, 2),
        (80, 6),
        (95, 28),
        (114, 31),
        (121, 37),
        (121, 50),
        (60, 52),
        steps=6,
    )
    panes = (smooth((31, 27), (41, 9.5), (54, 7), (54, 27)), smooth((59, 27), (59, 7), (76, 9.5), (87, 27)))
    pen.fill(color, with_holes(shell, *panes))
    _glaze(pen, *panes)
    seam = darker(color, 0.4) if sum(color) > 150 else (110, 110, 116)
    pen.stroke([(57, 29), (57, 48), (86, 48), (90, 31)], seam, 0.8)
    pen.stroke([(61, 33), (67, 33)], seam, 1.6)
    pen.fill((255, 240, 160), oval(117, 36, 3.4, 3))
    pen.fill((220, 60, 50), oval(4.8, 37, 2.4, 3.2), line=0.7)
    pen.fill(STEEL, rect(1, 46, 12, 50, 1.5), rect(110, 46, 122.5, 50, 1.5), line=0.7)
    _wheel(pen, 29, 50, 11)
    _wheel(pen, 95, 50, 11)


BUS_ANCHORS = {"seat": (158, 60), "roof": (86, 3), "top": (86, 3), "window": (158, 28)}


@drawable("bus", 1.12, (172, 84), "ground", BUS_ANCHORS, color=ANY_COLOR)
def bus(pen: Pen) -> None:
    color = pen.color("yellow")
    front = rect(148, 13, 168.4, 46, 2.5)
    pen.fill(color, with_holes(rect(2, 3, 170, 74, 8), front))
    _glaze(pen, front)
    pen.flat(darker(color, 0.22) if sum(color) > 150 else lighter(color, 0.2), rect(2.6, 53, 169.4, 57))
    for i in range(5):
        _window(pen, 9 + i * 24, 14, 28 + i * 24, 36)
    pen.fill(GLASS, rect(129, 14, 142, 70, 1.5), edge=(70, 90, 104), line=0.8)
    pen.stroke([(135.5, 14), (135.5, 70)], (70, 90, 104), 1.0)
    pen.fill((255, 240, 160), oval(166, 62, 3.2))
    pen.fill((220, 60, 50), rect(2, 58, 5, 66), line=0.7)
    pen.fill((250, 250, 250), rect(60, 5.4, 108, 11.4, 1), line=0.7)
    _wheel(pen, 38, 72, 11)
    _wheel(pen, 116, 72, 11)


TRUCK_ANCHORS = {"seat": (126, 58), "roof": (124, 11), "top": (52, 5), "load": (52, 5), "window": (127, 27)}


@drawable("truck", 1.06, (156, 82), "ground", TRUCK_ANCHORS, color=ANY_COLOR)
def truck(pen: Pen) -> None:
    color = pen.color("blue")
    pen.fill((90, 92, 98), rect(4, 62, 150, 69))
    pen.fill(Paint(color), rect(2, 5, 104, 62, 1.5))
    for x in (19, 36, 53, 70, 87):
        pen.stroke([(x, 8), (x, 59)], darker(color, 0.25) if sum(color) > 150 else lighter(color, 0.2), 1.2)
    pane: Shape = [(114, 17), (134, 17), (142, 39), (114, 39)]
    cab: Shape = [(108, 12), (137, 12), (147, 38), (154, 43), (154, 68), (108, 68)]
    pen.fill(darker(color, 0.08) if sum(color) > 150 else color, with_holes(cab, pane))
    _glaze(pen, pane)
    pen.stroke([(117, 45), (124, 45)], darker(color, 0.45), 1.6)
    pen.fill((255, 240, 160), oval(151, 51, 2.6, 3.4))
    pen.fill(STEEL, rect(144, 63, 155, 69, 1))
    for x in (24, 48, 130):
        _wheel(pen, x, 70, 11)


@drawable("train", 0.8, (250, 84), "ground", {"seat": (190, 24), "roof": (60, 12), "top": (60, 12)}, color=ANY_COLOR)
def train(pen: Pen) -> None:
    color = pen.color("red")
    for x in range(2, 250, 14):
        pen.fill((120, 84, 52), rect(x, 79, x + 7, 83), line=0.5)
    pen.fill((110, 114, 122), rect(0.5, 76.6, 249.5, 79.4), line=0.6)
    for x0 in (3, 85):
        pen.fill((84, 86, 92), rect(x0 + 60, 60, x0 + 90, 64))
        pen.fill(color, rect(x0, 14, x0 + 76, 66, 4))
        pen.flat(lighter(color, 0.75), rect(x0 + 1, 46, x0 + 75, 50))
        for k in range(3):
            _window(pen, x0 + 7 + k * 23, 22, x0 + 23 + k * 23, 40)
        for x in (x0 + 16, x0 + 60):
            _wheel(pen, x, 68, 8.5)
    pen.fill(color, rect(168, 8, 200, 66, 2))
    pen.fill(darker(color, 0.4), rect(165, 4, 203, 10, 2))
    _window(pen, 173, 16, 194, 36)
    pen.fill(darker(color, 0.1), rect(196, 28, 240, 62, 8))
    for x in (208, 222):
        pen.stroke([(x, 28), (x, 62)], darker(color, 0.45), 1.5)
    pen.fill((54, 54, 60), [(220, 28), (217, 8), (233, 8), (230, 28)])
    pen.fill((54, 54, 60), rect(215, 5, 235, 10, 1), smooth((202, 28), (203, 21), (211, 21), (212, 28)))
    pen.fill((255, 240, 160), oval(240, 38, 4.6))
    pen.fill((54, 54, 60), rect(168, 60, 240, 67), [(238, 60), (249, 76), (234, 76), (232, 62)])
    for x, r in ((182, 10.5), (206, 10.5), (227, 8)):
        _wheel(pen, x, 77 - r, r)


def _spokes(pen: Pen, x: float, y: float, r: float, width: float) -> None:
    for i in range(6):
        a = math.radians(i * 30)
        pen.stroke(
            [(x - r * math.cos(a), y - r * math.sin(a)), (x + r * math.cos(a), y + r * math.sin(a))],
            (140, 142, 148),
            0.5,
        )
    pen.stroke(arc(x, y, r, r, 0, 360, 30), TYRE, width)


BIKE_ANCHORS = {"seat": (40, 16), "handle": (74, 14), "pedal": (52, 49), "top": (40, 16)}


@drawable("bicycle", 0.62, (106, 66), "ground", BIKE_ANCHORS, color=ANY_COLOR)
def bicycle(pen: Pen) -> None:
    color = pen.color("red")
    for x in (21, 85):
        _spokes(pen, x, 45, 18, 3.2)
    tubes = (
        ((21, 45), (52, 46)), ((21, 45), (44, 25)), ((41, 19), (52, 46)), ((44, 25), (73, 24)),
        ((52, 46), (73, 24)), ((71, 15), (76, 28), (85, 45)),
    )  # fmt: skip
    for tube in tubes:
        pen.rope(*tube, color=color, width=2.9, smooth=False)
    pen.fill((40, 38, 40), smooth((31, 15), (47, 16), (47, 19), (34, 20)))
    pen.rope((66, 12), (72, 12), (78, 15), (76, 20), color=(50, 50, 54), width=2.2)
    pen.fill(STEEL, oval(52, 46, 4.4), line=0.8)
    pen.stroke([(52, 46), (56, 54)], (60, 60, 64), 1.6)
    pen.fill((50, 50, 54), rect(52, 53, 61, 56, 1), line=0.5)


MOTO_ANCHORS = {"seat": (42, 24), "handle": (78, 15), "pedal": (52, 54), "top": (42, 24)}


@drawable("motorcycle", 0.66, (118, 70), "ground", MOTO_ANCHORS, color=ANY_COLOR)
def motorcycle(pen: Pen) -> None:
    color = pen.color("red")
    for x in (22, 96):
        pen.fill(TYRE, oval(x, 51, 17))
        pen.fill(STEEL, oval(x, 51, 9.5), line=0.7)
        pen.fill((120, 122, 128), oval(x, 51, 3.4), line=0.5)
    pen.rope((96, 51), (82, 18), color=STEEL, width=4, smooth=False)
    pen.fill((96, 98, 106), rect(42, 36, 72, 57, 4))
    for y in (41, 45.5, 50):
        pen.stroke([(45, y), (69, y)], (186, 188, 194), 1.3)
    pen.fill(STEEL, capsule((34, 60), (6, 57), 5.2, 6.4), capsule((50, 56), (34, 60), 5))
    pen.fill(color, smooth((6, 34), (14, 27), (30, 29), (46, 30), (50, 40), (36, 44), (24, 36), (10, 42)))
    pen.fill(color, smooth((46, 31), (54, 21), (70, 18), (80, 24), (78, 34), (62, 39), (48, 39)))
    pen.fill(color, smooth((84, 34), (97, 31), (112, 40), (104, 37), (92, 37)))
    pen.fill((42, 38, 40), smooth((20, 26), (34, 24), (52, 24), (50, 31), (32, 32), (21, 31)))
    pen.rope((84, 20), (78, 13), (70, 13), color=(50, 50, 54), width=3)
    pen.fill((255, 240, 160), oval(89, 23, 5.4), edge=(80, 80, 84))


BOAT_ANCHORS = {"seat": (34, 74), "top": (40, 72), "deck": (66, 74), "roof": (50, 6)}


@drawable("boat", 0.98, (110, 100), "ground", BOAT_ANCHORS, color=ANY_COLOR)
def boat(pen: Pen) -> None:
    color = pen.color("red")
    pen.fill((150, 100, 56), rect(50.6, 3, 54.4, 78, 1.5))
    pen.fill((252, 250, 244), smooth((58, 6), (58, 66), (98, 66), (84, 38), steps=6), edge=(120, 120, 124))
    pen.fill(color, [(47, 14), (47, 66), (16, 66)])
    pen.fill(COLORS["orange"], [(54, 1.5), (68, 5), (54, 9)], line=0.7)
    pen.fill(Paint(color), smooth((3, 75), (30, 77), (80, 77), (107, 72), (100, 88), (88, 96), (24, 96), (10, 88)))
    pen.stroke([(8, 82.5), (103, 80.5)], lighter(color, 0.7), 2.2)
    for x in (2, 28, 54, 80):
        pen.curve((x, 96), (x + 7, 99), (x + 14, 96), (x + 20, 98), color=(214, 238, 250), width=1.6)


@drawable("airplane", 0.66, (150, 66), "sky", {"seat": (118, 26), "roof": (80, 22)}, color=ANY_COLOR)
def airplane(pen: Pen) -> None:
    color = pen.color("white")
    trim = darker(color, 0.14) if sum(color) > 150 else lighter(color, 0.16)
    pen.fill(trim, [(70, 28), (52, 6), (62, 6), (92, 28)])
    pen.fill(color, [(4, 4), (17, 4), (34, 28), (14, 32)])
    pen.fill(
        color,
        smooth((6, 33), (24, 24), (70, 22), (118, 22), (138, 27), (147, 34), (138, 41), (112, 44), (60, 44), (22, 40)),
    )
    pen.fill(trim, [(8, 33), (1, 42), (10, 42), (26, 35)])
    pen.fill(GLASS, smooth((122, 25), (133, 27), (138, 31), (124, 31)), edge=(70, 90, 104), line=0.8)
    for x in range(42, 116, 9):
        pen.fill(GLASS, oval(x, 30, 2.4, 2.7), edge=(70, 90, 104), line=0.6)
    pen.fill((190, 194, 202), rect(62, 47, 82, 55, 4))
    pen.fill(trim, [(58, 37), (90, 37), (56, 64), (44, 64)])


CART_ANCHORS = {"handle": (3, 12), "opening": (52, 20), "top": (52, 20), "rope": (82, 40)}


@drawable(
    "cart",
    0.52,
    (88, 58),
    "ground",
    CART_ANCHORS,
    color=ANY_COLOR,
    material=("wood", "metal", "plastic"),
    contents=("empty", "full"),
)
def cart(pen: Pen) -> None:
    color = pen.color((190, 132, 74))
    if pen.appearance.contents == "full":
        for x, y, r, tone in (
            (32, 18, 8, "green"),
            (46, 15, 9, "orange"),
            (60, 17, 8, "red"),
            (70, 19, 6, "green"),
            (39, 11, 6, "red"),
            (54, 9, 6, "green"),
        ):
            pen.fill(COLORS[tone], oval(x, y, r))
    pen.rope((22, 26), (12, 16), (3, 12), color=(110, 80, 56), width=3)
    pen.fill(pen.paint((190, 132, 74)), [(20, 20), (86, 20), (80, 44), (27, 44)])
    for x0, x1 in ((36, 39), (53, 53.4), (70, 67)):
        pen.stroke([(x0, 21), (x1, 43)], darker(color, 0.4), 1.0)
    pen.stroke([(20, 23), (86, 23)], darker(color, 0.4), 1.4)
    for x in (38, 69):
        _wheel(pen, x, 47, 9.6)
