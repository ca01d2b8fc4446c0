"""What hangs in the sky."""

from __future__ import annotations

import math

from falter.world.drawing.drawable_kinds import drawable
from falter.world.drawing.pen import Pen
from falter.world.drawing.shapes import arc, oval

__all__: list[str] = []


@drawable("sun", 0.42, (50, 50), "sky", {"middle": (25, 25)}, color=("yellow", "orange"))
def sun(pen: Pen) -> None:
    color = pen.color("yellow")
    for i in range(12):
        a = math.radians(i * 30)
        b, c = a - 0.16, a + 0.16
        ray = [(25 + 24 * math.cos(a), 25 + 24 * math.sin(a))]
        ray += [(25 + 15 * math.cos(t), 25 + 15 * math.sin(t)) for t in (c, b)]
        pen.fill(color, ray, edge=(216, 140, 10), line=0.8)
    pen.fill(color, oval(25, 25, 14.5), edge=(216, 140, 10))


@drawable("moon", 0.36, (31, 36), "sky", {"middle": (18, 18)}, color=("white", "yellow"))
def moon(pen: Pen) -> None:
    outer = arc(18, 18, 17, 17, 50, 310, 30)
    bite = arc(29, 18, 13, 13.2, 261, 99, 20)
    pen.fill(pen.color((250, 244, 200)), [*outer, *bite], edge=(170, 160, 110))
    for x, y, r in ((8, 14, 2.2), (7, 23, 1.6), (13, 28, 1.8)):
        pen.flat((225, 214, 160), oval(x, y, r))


@drawable("cloud", 0.36, (76, 38), "sky", {"middle": (38, 20)}, color=("white", "gray"))
def cloud(pen: Pen) -> None:
    color = pen.color("white")
    puffs = [oval(16, 26, 14, 11), oval(32, 15, 14.5), oval(50, 18, 13), oval(62, 27, 12.5, 10), oval(38, 28, 22, 9)]
    pen.fill(color, *puffs, edge=(138, 158, 182) if pen.appearance.color != "gray" else None)


@drawable("star", 0.2, (24, 24), "sky", {"middle": (12, 12)}, color=("yellow", "white"))
def star(pen: Pen) -> None:
    points = []
    for i in range(10):
        r = 11.4 if i % 2 == 0 else 4.8
        a = math.radians(i * 36 - 90)
        points.append((12 + r * math.cos(a), 12.6 + r * math.sin(a)))
    pen.fill(pen.color("yellow"), points, edge=(200, 140, 10) if pen.appearance.color != "white" else None)
