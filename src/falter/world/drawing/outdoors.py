"""What is seen outdoors: plants, what is built, and what hangs in the sky."""

from __future__ import annotations

import math

from falter.world.drawing.canvas import Shape, arc, limb, oval, rect, smooth, spline
from falter.world.drawing.palette import COLORS, Color, darker, lighter
from falter.world.drawing.pen import ANY_COLOR, Paint, Pen, drawable

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


PANE: Color = (168, 212, 238)
WALLS = ("brick", "stone", "wood")


def _roof_tone(color: Color) -> Color:
    """A roof that stands out from its walls."""
    red = color[0] > 150 and color[1] < 110 and color[2] < 110
    return (86, 74, 74) if red else (178, 74, 54)


def _window(pen: Pen, x: float, y: float, w: float, h: float) -> None:
    pen.fill(PANE, rect(x, y, x + w, y + h), edge=(250, 250, 246), line=1.5)
    pen.stroke([(x + w / 2, y), (x + w / 2, y + h)], (250, 250, 246), 1.3)
    pen.stroke([(x, y + h / 2), (x + w, y + h / 2)], (250, 250, 246), 1.3)


HOUSE_ANCHORS = {"roof": (66, 4), "top": (66, 4), "door": (66, 116), "window": (33, 76), "wall": (100, 90)}


@drawable("house", 1.45, (132, 120), "ground", HOUSE_ANCHORS, color=ANY_COLOR, material=WALLS)
def house(pen: Pen) -> None:
    paint = pen.paint("white")
    roof = _roof_tone(paint.color)
    pen.fill((150, 84, 66), rect(96, 8, 109, 44))
    pen.fill((110, 60, 50), rect(94, 5, 111, 11))
    pen.fill(paint, rect(14, 52, 118, 119))
    pen.fill(roof, [(66, 3), (131, 55), (1, 55)])
    for k in range(1, 4):
        y = 3 + 13 * k
        pen.stroke([(66 - 16.2 * k + 2, y), (66 + 16.2 * k - 2, y)], darker(roof, 0.2), 0.9)
    pen.fill((240, 232, 210), oval(66, 38, 7.4), line=0.8)
    pen.flat(PANE, oval(66, 38, 5))
    pen.fill((112, 70, 40), rect(55, 82, 77, 119, 1.5))
    pen.fill((240, 210, 90), oval(73, 101, 1.7), line=0.5)
    for x in (23, 89):
        _window(pen, x, 66, 20, 22)


TOWER_ANCHORS = {"roof": (32, 6), "top": (32, 6), "door": (32, 150), "window": (32, 70)}


@drawable("tower", 1.95, (64, 160), "ground", TOWER_ANCHORS, color=ANY_COLOR, material=("stone", "brick", "wood"))
def tower(pen: Pen) -> None:
    paint = pen.paint("gray")
    color = paint.color
    roof = _roof_tone(color)
    pen.stroke([(32, 10), (32, 1)], (80, 76, 76), 1.3)
    pen.fill(COLORS["yellow"], [(32, 1), (44, 4), (32, 7.5)], line=0.7)
    pen.fill(roof, [(32, 9), (57, 42), (7, 42)])
    top: Shape = [(5, 42), (59, 42), (59, 62), (5, 62)]
    pen.fill(paint, [(12, 58), (52, 58), (57, 159), (7, 159)], top)
    pen.stroke([(6, 62), (58, 62)], darker(color, 0.5), 1.2)
    for x in (9, 23, 37, 51):
        pen.flat(darker(color, 0.55) if sum(color) > 150 else (90, 90, 96), rect(x, 46, x + 5, 54))
    for y in (76, 104):
        pen.fill(
            (60, 66, 84),
            [(27, y + 14), (27, y + 4), *arc(32, y + 4, 5, 5, 180, 360, 8), (37, y + 14)],
            edge=lighter(color, 0.5),
        )
    pen.fill(
        (104, 66, 40), [(23, 159), (23, 138), *arc(32, 138, 9, 9, 180, 360, 10), (41, 159)], edge=darker(color, 0.5)
    )
    pen.fill((240, 210, 90), oval(37, 148, 1.4), line=0.4)


BARN_ANCHORS = {"roof": (64, 4), "top": (64, 4), "door": (64, 106), "window": (64, 36)}


@drawable(
    "barn",
    1.4,
    (128, 112),
    "ground",
    BARN_ANCHORS,
    color=("red", "brown", "gray", "green", "blue", "white"),
    material=("wood",),
)
def barn(pen: Pen) -> None:
    paint = pen.paint("red")
    color = paint.color
    white: Color = (250, 248, 240) if color != COLORS["white"] else (150, 70, 60)
    pen.fill(Paint(color, paint.surface), [(12, 111), (12, 50), (34, 18), (64, 6), (94, 18), (116, 50), (116, 111)])
    if paint.surface is None:
        for x in range(22, 112, 10):
            top = 50 - (x - 12) * 1.4 if x < 34 else 50 - (116 - x) * 1.4 if x > 94 else 22
            pen.stroke([(x, max(top, 20) + 6), (x, 110)], darker(color, 0.2) if sum(color) > 150 else (80, 80, 84), 0.8)
    pen.rope((5, 54), (32, 16), (64, 4), (96, 16), (123, 54), color=(112, 108, 112), width=5.5, smooth=False)
    pen.fill(darker(color, 0.55), rect(54, 26, 74, 44), edge=white, line=1.8)
    pen.stroke([(54, 26), (74, 44)], white, 1.6)
    pen.stroke([(74, 26), (54, 44)], white, 1.6)
    pen.fill(darker(color, 0.15), rect(38, 62, 90, 111), edge=white, line=2.2)
    for x0, x1 in ((39, 63), (65, 89)):
        pen.stroke([(x0, 63), (x1, 110)], white, 2.4)
        pen.stroke([(x1, 63), (x0, 110)], white, 2.4)
    pen.stroke([(64, 62), (64, 111)], white, 2.6)


@drawable(
    "fence",
    0.42,
    (128, 44),
    "ground",
    {"top": (64, 6), "top_left": (10, 6), "top_right": (118, 6)},
    color=ANY_COLOR,
    material=("wood", "metal", "plastic"),
)
def fence(pen: Pen) -> None:
    paint = pen.paint("white")
    dim = Paint(darker(paint.color, 0.12), paint.surface)
    pen.fill(dim, rect(1, 15, 127, 20))
    pen.fill(dim, rect(1, 30, 127, 35))
    for i in range(9):
        x = 3 + i * 14
        pen.fill(paint, [(x, 43), (x, 8), (x + 4.5, 2), (x + 9, 8), (x + 9, 43)])


LIGHT_ANCHORS = {"top": (14, 2), "lamp": (14, 12)}


@drawable("traffic light", 1.15, (28, 106), "ground", LIGHT_ANCHORS, light=("lit", "unlit"))
def traffic_light(pen: Pen) -> None:
    pen.fill((96, 98, 104), rect(11.6, 52, 16.4, 105), rect(6, 101, 22, 105.4, 1))
    pen.fill((48, 50, 56), rect(2, 1, 26, 56, 5))
    lit = pen.appearance.light != "unlit"
    if lit:
        pen.glow(14, 12, 20, (255, 90, 70), 130)
    lamps: tuple[tuple[float, Color], ...] = ((12, (255, 40, 30)), (28.5, (250, 200, 30)), (45, (40, 200, 70)))
    for k, (y, tone) in enumerate(lamps):
        bright = lit and k == 0
        pen.fill(tone if bright else darker(tone, 0.62), oval(14, y, 7), edge=(20, 20, 22), line=0.8)
        if bright:
            pen.flat((255, 200, 190), oval(11.6, y - 2.4, 2.2))


SIGN_COLORS = ("green", "blue", "red", "yellow", "white", "black", "orange", "brown")


@drawable("street sign", 0.92, (52, 84), "ground", {"top": (26, 2), "sign": (26, 16)}, color=SIGN_COLORS)
def street_sign(pen: Pen) -> None:
    color = pen.color("blue")
    mark: Color = (250, 250, 250) if color not in (COLORS["white"], COLORS["yellow"]) else (36, 36, 40)
    pen.fill((140, 144, 150), rect(23.6, 28, 28.4, 83, 1))
    pen.fill(color, rect(1, 2, 51, 32, 3))
    pen.stroke([(3.8, 4.8), (48.2, 4.8), (48.2, 29.2), (3.8, 29.2), (3.8, 4.8)], mark, 1.2)
    pen.stroke([(11, 17), (36, 17)], mark, 3.6)
    pen.flat(mark, [(33, 9.4), (43, 17), (33, 24.6)])


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
