"""Plants."""

from __future__ import annotations

import math

from falter.world.drawing.drawable_kinds import drawable
from falter.world.drawing.palette import Color, darker, lighter
from falter.world.drawing.pen import Pen
from falter.world.drawing.shapes import limb, oval, smooth, spline

__all__: list[str] = []

BARK: Color = (128, 84, 48)
STEM: Color = (58, 140, 54)
TREE_ANCHORS = {"crown": (50, 30), "trunk": (46, 90), "top": (50, 4), "foot": (48, 126), "branch": (76, 62)}


@drawable("tree", 1.5, (96, 128), "ground", TREE_ANCHORS, color=("green", "orange", "yellow", "red"))
def tree(pen: Pen) -> None:
    color = pen.color("green")
    pen.fill(
        BARK,
        smooth((42, 66), (54, 66), (55, 104), (62, 127), (48, 124), (34, 127), (41, 104)),
        *limb([(49, 86), (66, 66)], 6, 4),
        *limb([(47, 80), (32, 64)], 6, 4),
    )
    pen.curve((46, 90), (47, 104), (45, 116), color=darker(BARK, 0.3), width=1.2)
    puffs = (
        (48, 22, 21),
        (27, 34, 19),
        (70, 34, 20),
        (19, 54, 17),
        (78, 54, 17),
        (36, 60, 18),
        (61, 61, 18),
        (48, 44, 24),
    )
    pen.fill(color, *(oval(x, y, r) for x, y, r in puffs))
    for x, y in ((36, 26), (58, 22), (26, 48), (48, 44), (70, 46), (40, 62), (62, 62)):
        pen.curve((x - 5, y), (x, y + 3.4), (x + 5, y), color=darker(color, 0.25), width=1.3)
    for x, y, r in ((44, 14, 6), (28, 28, 5), (68, 28, 5)):
        pen.flat((*lighter(color, 0.4), 120), oval(x, y, r, r * 0.6, -20))


@drawable("bush", 0.5, (84, 55), "ground", {"top": (42, 4)}, color=("green", "red", "orange", "yellow"))
def bush(pen: Pen) -> None:
    color = pen.color("green")
    puffs = ((16, 34, 15), (30, 20, 16), (52, 18, 17), (68, 32, 15), (42, 34, 20))
    base = smooth((4, 44), (20, 48), (64, 48), (80, 44), (70, 30), (14, 30))
    pen.fill(color, base, *(oval(x, y, r) for x, y, r in puffs))
    for x, y in ((26, 18), (44, 14), (60, 20), (18, 34), (36, 32), (54, 34), (70, 36), (28, 42), (48, 43)):
        pen.curve((x - 4, y), (x, y + 3), (x + 4, y), color=darker(color, 0.28), width=1.2)


FLOWER_COLORS = ("red", "yellow", "blue", "purple", "pink", "white", "orange")


@drawable("flower", 0.42, (34, 58), "surface", {"top": (17, 4), "stem": (17, 50)}, color=FLOWER_COLORS)
def flower(pen: Pen) -> None:
    color = pen.color("red")
    pen.rope((17, 24), (16, 42), (17, 57), color=STEM, width=2.0)
    pen.fill(
        STEM, smooth((17, 48), (7, 44), (2, 34), (12, 38)), smooth((17, 45), (26, 42), (32, 33), (22, 36)), line=0.9
    )
    petals = [
        oval(17 + 9.2 * math.cos(a), 17 + 9.2 * math.sin(a), 6.8)
        for a in (math.radians(-90 + i * 60) for i in range(6))
    ]
    pen.fill(color, *petals)
    center: Color = (250, 206, 40) if color != (252, 218, 40) else (150, 90, 30)
    pen.fill(center, oval(17, 17, 5.4))


@drawable("cactus", 0.66, (54, 84), "ground", {"top": (27, 3)}, color=("green",))
def cactus(pen: Pen) -> None:
    color = pen.color("green")
    pen.fill(
        color,
        *limb([(27, 74), (27, 12)], 18),
        *limb(spline((27, 50), (9, 49), (8, 30), steps=4), 10),
        *limb(spline((27, 42), (45, 41), (46, 20), steps=4), 10),
    )
    for x in (22, 27, 32):
        pen.stroke([(x, 8), (x, 74)], darker(color, 0.3), 1.0)
    for x, y in ((20, 20), (34, 28), (20, 40), (34, 54), (20, 62), (8, 36), (46, 28), (12, 47), (41, 39)):
        pen.stroke([(x - 2.4, y - 1.4), (x + 2.4, y + 1.4)], (250, 250, 230), 0.8)
    pen.fill(
        (250, 120, 160),
        *(oval(27 + 4.4 * math.cos(a), 4.4 + 2.4 * math.sin(a), 2.6, 2) for a in (0, 1.3, 2.6, 3.9, 5.2)),
        line=0.7,
    )


@drawable("leaf", 0.22, (40, 30), "surface", {"top": (20, 4)}, color=("green", "orange", "yellow", "red", "brown"))
def leaf(pen: Pen) -> None:
    color = pen.color("green")
    pen.fill(color, smooth((7, 24), (8, 10), (20, 2), (38.5, 2.5), (36, 16), (26, 26), (14, 28)))
    pen.curve((1, 29), (14, 20), (34, 6), color=darker(color, 0.35), width=1.4)
    for a, b in (((15, 19.4), (15, 9)), ((22, 14.6), (23, 5.5)), ((18, 17.4), (27, 21)), ((25, 12.4), (34, 14))):
        pen.stroke([a, b], darker(color, 0.35), 0.8)
