"""Devices."""

from __future__ import annotations

from falter.world.drawing.drawable_kinds import ANY_COLOR, drawable
from falter.world.drawing.palette import Color, darker, lighter
from falter.world.drawing.pen import Pen
from falter.world.drawing.shapes import arc, oval, rect, smooth

__all__: list[str] = []

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
