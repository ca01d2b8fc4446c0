"""Food."""

from __future__ import annotations

import math

from falter.world.drawing.canvas import arc, oval, rect, smooth
from falter.world.drawing.palette import COLORS, Color, darker, lighter
from falter.world.drawing.pen import Pen, drawable

__all__: list[str] = []

LEAF: Color = (70, 160, 60)


@drawable("apple", 0.22, (30, 32), "surface", {"top": (15, 6)}, color=("red", "green", "yellow"))
def apple(pen: Pen) -> None:
    color = pen.color("red")
    pen.fill(
        color,
        smooth(
            (15, 9), (22, 6.5), (28.5, 12), (27, 23), (20, 30.5), (15, 29.4), (10, 30.5), (3, 23), (1.5, 12), (8, 6.5)
        ),
    )
    pen.curve((15, 10), (15, 6), (17, 2), color=(96, 60, 34), width=1.8)
    pen.fill(LEAF, smooth((16.5, 6), (21, 1), (27, 1.6), (22, 6)), line=0.8)
    pen.flat((*lighter(color, 0.8), 180), oval(8, 13, 2.2, 3.4, 25))


@drawable("banana", 0.24, (48, 30), "surface", {"top": (24, 8)}, color=("yellow", "green"))
def banana(pen: Pen) -> None:
    color = pen.color("yellow")
    pen.fill(
        color,
        smooth(
            (4, 3), (8, 3), (11, 12), (21, 19), (34, 18), (44, 10), (47, 13), (40, 24), (26, 29.5), (12, 25), (4, 13)
        ),
    )
    pen.curve((7, 11), (15, 21), (27, 24), (41, 18), color=darker(color, 0.22), width=1.1)
    pen.fill((110, 80, 36), [(3.4, 0.8), (7.6, 0.8), (8.4, 4.4), (4, 4.8)], oval(46, 11.4, 1.8), line=0.7)


@drawable("orange", 0.22, (28, 28), "surface", {"top": (14, 2)}, color=("orange",))
def orange(pen: Pen) -> None:
    color = pen.color("orange")
    pen.fill(color, oval(14, 15, 12.6))
    for x, y in ((9, 17), (13, 21), (18, 18), (20, 13), (15, 14), (10, 12), (18, 23)):
        pen.dot(x, y, 0.7, darker(color, 0.22))
    pen.fill((70, 120, 40), oval(14, 4, 1.6), line=0.5)
    pen.fill(LEAF, smooth((15, 4), (19, 0.8), (25, 2.4), (20, 5.6)), line=0.8)
    pen.flat((*lighter(color, 0.8), 150), oval(8.4, 9.6, 2.4, 1.5, -40))


@drawable("carrot", 0.22, (54, 24), "surface", {"top": (24, 6)}, color=("orange",))
def carrot(pen: Pen) -> None:
    color = pen.color("orange")
    for x, y in ((53, 4), (52, 12), (51, 20)):
        pen.fill(LEAF, smooth((37, 11), ((37 + x) / 2, y - 3), (x, y), ((37 + x) / 2, y + 3), (37, 13)))
    pen.fill(color, smooth((1, 14), (16, 7), (34, 4), (40, 8), (40, 16), (34, 19), (16, 17.5)))
    for x, y0, y1 in ((12, 9.6, 13), (20, 13, 16.4), (26, 6.4, 10), (33, 13, 17)):
        pen.stroke([(x, y0), (x + 0.6, y1)], darker(color, 0.32), 1.0)


@drawable("pizza", 0.34, (46, 46), "surface", {"top": (23, 4)})
def pizza(pen: Pen) -> None:
    slice_out = arc(23, 23, 22, 22, -20, 290, 36)
    pen.fill((208, 142, 70), [(23, 23), *slice_out])
    cheese = arc(23, 23, 18, 18, -20, 290, 36)
    pen.flat((250, 206, 84), [(23, 23), *cheese])
    for x, y in ((14, 14), (12, 27), (22, 34), (33, 31), (23, 12), (22, 24)):
        pen.fill((206, 56, 44), oval(x, y, 3.6), line=0.6)
    for x, y in ((17, 20), (29, 37), (30, 26), (16, 34)):
        pen.flat((62, 132, 58), oval(x, y, 1.6, 1.1, 30))
    for a in (45, 105, 165, 225):
        pen.stroke(
            [(23, 23), (23 + 21 * math.cos(math.radians(a)), 23 + 21 * math.sin(math.radians(a)))], (190, 128, 56), 0.7
        )


@drawable(
    "cake", 0.38, (48, 46), "surface", {"top": (24, 16)}, color=("pink", "white", "brown", "yellow", "blue", "green")
)
def cake(pen: Pen) -> None:
    color = pen.color("pink")
    pen.fill((222, 226, 232), oval(24, 41, 23.4, 4.4))
    pen.fill(darker(color, 0.1), rect(5, 19, 43, 42, 3))
    pen.flat((252, 246, 230), rect(5.4, 28.5, 42.6, 32))
    drips = [
        (4, 17),
        (44, 17),
        (44, 25),
        (40, 28),
        (36, 24.5),
        (31, 29),
        (26, 24.5),
        (21, 28),
        (16, 24.5),
        (11, 29),
        (7, 25),
        (4, 26),
    ]
    pen.fill(color, smooth(*drips, steps=3))
    pen.fill(color, oval(24, 17, 20, 4.4))
    for x, tone in ((13, "blue"), (24, "red"), (35, "green")):
        pen.fill(lighter(COLORS[tone], 0.3), rect(x - 1.4, 6.5, x + 1.4, 17, 0.6), line=0.7)
        pen.fill((255, 190, 40), smooth((x, 0.5), (x + 1.9, 4), (x, 6.4), (x - 1.9, 4)), line=0.6)


@drawable("sandwich", 0.26, (48, 34), "surface", {"top": (24, 4)})
def sandwich(pen: Pen) -> None:
    crumb: Color = (252, 236, 200)
    crust: Color = (190, 126, 64)
    pen.fill(crumb, [(2, 27), (46, 27), (46, 33), (2, 33)], edge=crust)
    pen.fill((238, 132, 124), rect(1, 24, 47, 27.6, 1.4), line=0.7)
    pen.fill((250, 204, 50), [(1, 21), (47, 21), (45, 24), (36, 24), (31, 28.4), (26, 24), (3, 24)], line=0.7)
    waves = [
        (1, 18.4),
        (47, 18.4),
        (47.4, 21.6),
        (42, 20),
        (37, 23),
        (32, 20),
        (27, 23),
        (22, 20),
        (17, 23),
        (12, 20),
        (7, 23),
        (0.8, 21.6),
    ]
    pen.fill((96, 186, 70), smooth(*waves, steps=3), line=0.7)
    pen.fill(crumb, [(2, 12), (46, 12), (46, 18.4), (2, 18.4)], edge=crust)
    pen.fill(crumb, [(2, 12), (24, 1.4), (46, 12)], edge=crust)
    pen.stroke([(2, 12), (24, 1.4), (46, 12)], crust, 2.4)
    for x, y in ((20, 8.6), (27, 7), (32, 10), (15, 10.4), (24, 10.4)):
        pen.dot(x, y, 0.8, (230, 204, 156))


@drawable(
    "candle",
    0.32,
    (16, 40),
    "surface",
    {"top": (8, 12)},
    color=("white", "red", "yellow", "blue", "green", "pink", "purple", "orange"),
)
def candle(pen: Pen) -> None:
    color = pen.color("white")
    pen.fill((196, 160, 70), oval(8, 37, 7.6, 2.6))
    pen.fill(color, rect(3.6, 13, 12.4, 37, 1.6))
    pen.stroke([(8, 13), (8, 10)], (60, 50, 44), 0.9)
    pen.fill((255, 178, 30), smooth((8, 0.6), (11, 7), (8, 11), (5, 7)), line=0.7)
    pen.flat((255, 240, 150), smooth((8, 4.4), (9.4, 8), (8, 10), (6.6, 8)))
