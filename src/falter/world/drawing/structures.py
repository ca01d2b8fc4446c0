"""What is built."""

from __future__ import annotations

from falter.world.drawing.drawable_kinds import ANY_COLOR, drawable
from falter.world.drawing.palette import COLORS, Color, darker, lighter
from falter.world.drawing.pen import Paint, Pen
from falter.world.drawing.shapes import Shape, arc, oval, rect

__all__: list[str] = []

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
