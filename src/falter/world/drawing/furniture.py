"""Furniture, and devices that stand or lie on it."""

from __future__ import annotations

from falter.world.drawing.canvas import arc, oval, rect, smooth
from falter.world.drawing.palette import Color, darker, lighter
from falter.world.drawing.pen import ANY_COLOR, PATTERNS, Paint, Pen, drawable

TIMBER: Color = (190, 132, 74)
STUFFS = ("wood", "metal", "plastic")
CHAIR_ANCHORS = {"seat": (24, 41), "top": (24, 41), "top_left": (8, 41), "top_right": (40, 41), "back": (6, 16)}


def _darker(paint: Paint, share: float = 0.15) -> Paint:
    return Paint(darker(paint.color, share), paint.surface)


@drawable("chair", 0.62, (48, 76), "ground", CHAIR_ANCHORS, color=ANY_COLOR, material=STUFFS)
def chair(pen: Pen) -> None:
    paint = pen.paint(TIMBER)
    pen.fill(_darker(paint), rect(13, 44, 17.5, 71), rect(36, 44, 40.5, 71))
    pen.fill(paint, rect(3, 1, 9, 75, 1.5))
    pen.fill(_darker(paint, 0.08), rect(9, 5, 13.5, 40, 1))
    for y in (8, 18, 28):
        pen.fill(paint, rect(8, y, 12.5, y + 6, 1))
    pen.fill(paint, [(4, 41), (8, 37), (45, 37), (45, 45), (4, 46)])
    pen.fill(paint, rect(39, 44, 44.5, 75, 1))


def _table_anchors(width: float, top: float) -> dict[str, tuple[float, float]]:
    return {"top": (width / 2, top), "top_left": (10, top), "top_right": (width - 10, top), "under": (width / 2, 58)}


@drawable(
    "table",
    0.5,
    (112, 60),
    "ground",
    _table_anchors(112, 7),
    color=ANY_COLOR,
    material=(*STUFFS, "stone"),
    shape=("round", "square"),
)
def table(pen: Pen) -> None:
    paint = pen.paint(TIMBER)
    if pen.appearance.shape == "round":
        pen.fill(_darker(paint, 0.1), rect(51, 14, 61, 52), oval(56, 55, 24, 4))
        pen.fill(_darker(paint, 0.25), oval(56, 12.5, 55, 9))
        pen.fill(paint, oval(56, 9.5, 55, 9))
        return
    pen.fill(_darker(paint), rect(18, 14, 23, 51), rect(89, 14, 94, 51))
    pen.fill(paint, rect(5, 14, 12, 59), rect(100, 14, 107, 59))
    pen.fill(_darker(paint, 0.2), rect(1, 13, 111, 19))
    pen.fill(paint, [(12, 2), (100, 2), (111, 13), (1, 13)])


SOFA_ANCHORS = {"seat": (62, 33), "top": (62, 33), "top_left": (20, 33), "top_right": (104, 33), "back": (62, 3)}


@drawable("sofa", 0.58, (124, 62), "ground", SOFA_ANCHORS, color=ANY_COLOR, pattern=PATTERNS)
def sofa(pen: Pen) -> None:
    paint = pen.paint("blue")
    for x in (14, 106):
        pen.fill((90, 62, 42), rect(x, 54, x + 5, 61))
    pen.fill(_darker(paint, 0.06), rect(10, 2, 114, 40, 9))
    pen.stroke([(62, 4), (62, 32)], darker(paint.color, 0.35), 1.2)
    pen.fill(paint, rect(14, 32, 62, 46, 5), rect(62, 32, 110, 46, 5))
    pen.stroke([(62, 33), (62, 45)], darker(paint.color, 0.4), 1.2)
    pen.fill(_darker(paint, 0.12), rect(12, 45, 112, 56, 3))
    pen.fill(paint, rect(2, 20, 18, 56, 7))
    pen.fill(paint, rect(106, 20, 122, 56, 7))


BED_ANCHORS = {"top": (80, 32), "seat": (100, 32), "top_left": (14, 32), "top_right": (136, 32), "pillow": (24, 27)}


@drawable("bed", 0.6, (150, 66), "ground", BED_ANCHORS, color=ANY_COLOR, pattern=PATTERNS, material=("wood", "metal"))
def bed(pen: Pen) -> None:
    cover = Paint(pen.color("blue"), pen.appearance.pattern if pen.appearance.pattern not in (None, "plain") else None)
    frame: Color = (186, 192, 202) if pen.appearance.material == "metal" else (150, 98, 54)
    pen.fill(
        Paint(frame, pen.appearance.material), rect(1, 3, 9, 65, 3), rect(142, 24, 149, 65, 3), rect(6, 48, 145, 57)
    )
    pen.fill((250, 248, 244), rect(9, 33, 142, 49, 4))
    pen.fill((255, 255, 255), smooth((11, 33), (13, 24), (24, 21), (37, 24), (39, 33), (24, 35)), edge=(150, 150, 160))
    pen.fill(
        cover, smooth((44, 32), (60, 29), (100, 29), (138, 31), (143, 38), (143, 54), (100, 56), (46, 54), (43, 44))
    )
    pen.fill(lighter(cover.color, 0.45), smooth((42, 31), (50, 29), (53, 40), (52, 55), (44, 55), (41, 43)))


BENCH_ANCHORS = {"seat": (58, 32), "top": (58, 32), "top_left": (12, 32), "top_right": (104, 32), "back": (58, 4)}


@drawable("bench", 0.5, (116, 58), "ground", BENCH_ANCHORS, color=ANY_COLOR, material=("wood", "metal", "stone"))
def bench(pen: Pen) -> None:
    paint = pen.paint(TIMBER)
    iron: Color = (74, 76, 82)
    for x in (14, 98):
        pen.fill(iron, rect(x, 4, x + 4, 57, 1.5), rect(x - 5, 53, x + 9, 57, 1.5))
    for y in (3, 13):
        pen.fill(paint, rect(2, y, 114, y + 7, 1.5))
    pen.fill(paint, rect(1, 29, 115, 34, 1.5))
    pen.fill(_darker(paint), rect(1, 34, 115, 39.5, 1.5))


SHELF_ANCHORS = {
    "top": (36, 3), "shelf": (36, 34), "shelf_2": (36, 64), "shelf_3": (36, 94), "top_left": (8, 3),
    "top_right": (64, 3),
}  # fmt: skip


@drawable("shelf", 0.86, (72, 100), "ground", SHELF_ANCHORS, color=ANY_COLOR, material=("wood", "metal", "plastic"))
def shelf(pen: Pen) -> None:
    paint = pen.paint(TIMBER)
    tone = darker(paint.color, 0.17) if sum(paint.color) > 150 else lighter(paint.color, 0.1)
    pen.fill(tone, rect(3, 3, 69, 97))
    for y in (2, 34, 64, 94):
        pen.fill(paint, rect(2, y, 70, y + 5))
    pen.fill(paint, rect(1, 2, 7, 99), rect(65, 2, 71, 99))


CABINET_ANCHORS = {"top": (40, 3), "top_left": (8, 3), "top_right": (72, 3), "door": (40, 40)}


@drawable("cabinet", 0.62, (80, 76), "ground", CABINET_ANCHORS, color=ANY_COLOR, material=("wood", "metal", "plastic"))
def cabinet(pen: Pen) -> None:
    paint = pen.paint(TIMBER)
    for x in (6, 67):
        pen.fill(_darker(paint, 0.3), rect(x, 68, x + 7, 75))
    pen.fill(paint, rect(3, 6, 77, 70, 1))
    pen.fill(_darker(paint, 0.14), rect(1, 2, 79, 8, 1.5))
    seam = darker(paint.color, 0.45) if sum(paint.color) > 150 else (120, 120, 124)
    knob = (236, 216, 140)
    for x0, x1, kx in ((6, 39, 34.5), (41, 74, 45.5)):
        pen.stroke([(x0, 11), (x1, 11), (x1, 24), (x0, 24), (x0, 11)], seam, 1.0)
        pen.fill(knob, rect((x0 + x1) / 2 - 4, 16, (x0 + x1) / 2 + 4, 18.6, 1), line=0.7)
        pen.stroke([(x0, 28), (x1, 28), (x1, 67), (x0, 67), (x0, 28)], seam, 1.0)
        pen.fill(knob, oval(kx, 47, 2.2), line=0.7)


PILLOW_ANCHORS = {"top": (20, 6)}


@drawable("pillow", 0.24, (42, 26), "surface", PILLOW_ANCHORS, color=ANY_COLOR, pattern=PATTERNS)
def pillow(pen: Pen) -> None:
    paint = pen.paint("white")
    pen.fill(paint, smooth((2, 3), (21, 5), (40, 3), (38, 13), (40, 23.5), (21, 21.5), (2, 23.5), (4, 13)))
    pen.curve((7, 18), (10, 13), (7, 8), color=darker(paint.color, 0.25), width=0.8)
    pen.curve((35, 18), (32, 13), (35, 8), color=darker(paint.color, 0.25), width=0.8)


DARK: Color = (46, 48, 54)
LIGHT = ("lit", "unlit")


@drawable("lamp", 0.54, (42, 62), "surface", {"top": (21, 2), "bulb": (21, 28)}, color=ANY_COLOR, light=LIGHT)
def lamp(pen: Pen) -> None:
    color = pen.color("yellow")
    if pen.appearance.light == "lit":
        pen.glow(21, 24, 34, (255, 236, 130), 200)
        pen.tint((255, 244, 170, 110), [(5, 29), (37, 29), (41, 58), (1, 58)])
    pen.fill((110, 84, 60), rect(19, 28, 23, 55), oval(21, 57, 12, 4))
    pen.fill((255, 246, 180) if pen.appearance.light == "lit" else (214, 214, 208), oval(21, 30, 4.4, 5))
    pen.fill(color, [(12, 2), (30, 2), (40, 29), (2, 29)])
    if pen.appearance.light == "lit":
        pen.flat((255, 250, 200, 150), [(15, 10), (27, 10), (33, 28), (9, 28)])


@drawable("clock", 0.34, (44, 44), "wall", {"top": (22, 1)}, color=ANY_COLOR, shape=("round", "square"))
def clock(pen: Pen) -> None:
    color = pen.color("red")
    square = pen.appearance.shape == "square"
    pen.fill(color, rect(1, 1, 43, 43, 4) if square else oval(22, 22, 21))
    pen.fill(
        (254, 254, 250), rect(9, 9, 35, 35, 2) if square else oval(22, 22, 13.4), edge=darker(color, 0.4), line=0.8
    )
    for x, y in ((22, 11.2), (32.8, 22), (22, 32.8), (11.2, 22)):
        pen.dot(x, y, 1.3)
    pen.stroke([(22, 22), (22, 13.6)], DARK, 1.5)
    pen.stroke([(22, 22), (28.4, 25)], DARK, 1.9)
    pen.dot(22, 22, 1.7)


@drawable(
    "laptop",
    0.36,
    (64, 46),
    "surface",
    {"top": (32, 2), "screen": (34, 16), "keyboard": (32, 38)},
    color=("gray", "black", "white", "blue", "red", "pink"),
    opening=("open", "closed"),
)
def laptop(pen: Pen) -> None:
    color = pen.color("gray")
    if pen.appearance.opening == "closed":
        pen.fill(darker(color, 0.16), [(3, 40), (61, 40), (63, 44), (1, 44)])
        pen.fill(color, [(9, 31), (55, 31), (62, 40), (2, 40)])
        pen.fill(lighter(color, 0.6) if sum(color) > 150 else (150, 150, 156), oval(32, 35.4, 3.4, 2), line=0.5)
        return
    pen.fill(color, rect(9, 1, 55, 31, 2.5))
    pen.fill((92, 168, 236), rect(14.6, 6, 49.4, 25.6, 0.8), edge=DARK, line=0.7)
    for x, y, x1 in ((18, 10, 38), (18, 14, 45), (18, 18, 32)):
        pen.stroke([(x, y), (x1, y)], (240, 248, 255), 1.4)
    pen.fill(color, [(9, 31), (55, 31), (63, 42), (1, 42)])
    pen.flat(DARK, [(14, 33), (50, 33), (53, 37), (11, 37)])
    for row, left, right in ((34.4, 14.0, 50.0), (35.9, 12.6, 51.4)):
        pen.stroke([(left, row), (right, row)], (150, 152, 158), 0.6)
    pen.fill(darker(color, 0.12), [(1, 42), (63, 42), (63, 45), (1, 45)])


TV_COLORS = ("brown", "black", "gray", "red", "white", "blue", "green")


@drawable("television", 0.56, (84, 70), "surface", {"top": (42, 17), "screen": (32, 39)}, color=TV_COLORS, light=LIGHT)
def television(pen: Pen) -> None:
    color = pen.color("brown")
    for x0, x1 in ((38, 24), (46, 62)):
        pen.stroke([(x0, 18), (x1, 3)], (96, 98, 104), 1.3)
        pen.fill((96, 98, 104), oval(x1, 2.8, 1.9), line=0.5)
    pen.fill((70, 60, 56), [(14, 60), (20, 60), (16, 69), (11, 69)], [(64, 60), (70, 60), (73, 69), (68, 69)])
    if pen.appearance.light == "lit":
        pen.glow(34, 40, 52, (190, 226, 255), 130)
    pen.fill(color, rect(1, 17, 83, 63, 5))
    screen = rect(9, 24, 56, 56, 5)
    if pen.appearance.light != "lit":
        pen.fill((66, 70, 76), screen, edge=(20, 20, 22))
        pen.stroke([(16, 48), (28, 30)], (116, 122, 132), 2.2)
    else:
        pen.fill((130, 206, 252), screen, edge=(20, 20, 22))
        pen.flat(
            (96, 186, 86),
            smooth(
                (9.4, 47), (20, 43), (34, 48), (46, 44), (55.6, 47), (55, 54), (50, 55.8), (14, 55.8), (10, 54), steps=4
            ),
        )
        pen.flat((255, 226, 60), oval(46, 32, 4.4))
        pen.flat((255, 255, 255), oval(21, 32, 6, 2.8), oval(26, 33.6, 5, 2.4))
    knob = (236, 226, 196) if sum(color) < 600 else (90, 90, 96)
    pen.fill(knob, oval(70, 29, 4.6), oval(70, 40.5, 3.6), line=0.7)
    for y in (48, 51.5, 55):
        pen.stroke([(64, y), (76, y)], darker(color, 0.45) if sum(color) > 150 else (120, 120, 124), 1.1)


@drawable(
    "phone",
    0.28,
    (22, 40),
    "surface",
    {"top": (11, 2)},
    color=("black", "white", "red", "blue", "pink", "gray", "yellow", "green"),
)
def phone(pen: Pen) -> None:
    color = pen.color("black")
    pen.fill(color, rect(1, 1, 21, 39, 4))
    pen.fill((150, 206, 246), rect(4.6, 6.4, 17.4, 31.4, 0.6), edge=(30, 32, 36), line=0.5)
    for x in (6.2, 10, 13.8):
        for y, tone in ((9, (240, 90, 80)), (14, (90, 190, 90)), (19, (250, 200, 60))):
            pen.flat(tone, rect(x, y, x + 2.4, y + 2.8, 0.5))
    pen.stroke([(8.6, 3.8), (13.4, 3.8)], (130, 130, 136), 1.0)
    pen.fill((230, 230, 232), oval(11, 35.2, 2), line=0.4)


@drawable(
    "camera",
    0.3,
    (52, 38),
    "surface",
    {"top": (26, 5)},
    color=("black", "gray", "red", "blue", "brown", "white", "yellow"),
)
def camera(pen: Pen) -> None:
    color = pen.color("black")
    pen.fill(color, [(17, 9), (20, 2), (33, 2), (36, 9)])
    pen.fill((200, 60, 50), rect(5, 5, 12, 9, 1), line=0.6)
    pen.fill(color, rect(1, 8, 51, 37, 4))
    pen.flat(lighter(color, 0.3), rect(1.6, 13, 50.4, 16))
    pen.fill((176, 180, 188), oval(26, 23.5, 11.8))
    pen.fill((40, 50, 74), oval(26, 23.5, 8.6), line=0.6)
    pen.fill((96, 140, 200), oval(26, 23.5, 4.6), line=0.4)
    pen.flat((255, 255, 255), oval(22.8, 20, 1.9))
    pen.fill((255, 246, 190), rect(40, 10.6, 47, 15, 1), line=0.5)
    pen.stroke(arc(26, 23.5, 10.4, 10.4, 200, 280, 8), (230, 232, 236), 0.9)
