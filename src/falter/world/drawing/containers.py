"""Tableware and containers."""

from __future__ import annotations

from falter.world.drawing.canvas import arc, oval, rect, smooth
from falter.world.drawing.palette import COLORS, Color, darker, lighter
from falter.world.drawing.pen import ANY_COLOR, PATTERNS, Paint, Pen, drawable

__all__: list[str] = []

CONTENTS = ("empty", "full")
COFFEE: Color = (96, 56, 32)
WATER: Color = (90, 176, 236)


def _mouth(pen: Pen, x: float, y: float, rx: float, ry: float, filling: Color | None) -> None:
    """The round opening of a vessel seen from a little above: dark when it is empty."""
    color = pen.color("white")
    inside = darker(color, 0.55) if sum(color) > 150 else (84, 84, 90)
    pen.fill(inside if filling is None else filling, oval(x, y, rx, ry), edge=darker(color, 0.35), line=0.9)
    if filling is not None:
        pen.flat(lighter(filling, 0.35), oval(x - rx * 0.3, y - ry * 0.2, rx * 0.35, ry * 0.3))


CUP_ANCHORS = {"opening": (17, 8), "top": (17, 8), "handle": (35, 22), "inside": (17, 10)}


@drawable(
    "cup",
    0.26,
    (40, 36),
    "surface",
    CUP_ANCHORS,
    color=ANY_COLOR,
    pattern=PATTERNS,
    material=("plastic", "metal", "glass"),
    contents=CONTENTS,
)
def cup(pen: Pen) -> None:
    color = pen.color("white")
    full = pen.appearance.contents == "full"
    pen.rope(*arc(30, 21, 8, 7.6, -80, 80), color=color, width=3.0, smooth=False)
    pen.fill(pen.paint("white"), smooth((2, 9), (32, 9), (31, 24), (27, 33), (17, 35), (7, 33), (3, 24), steps=4))
    _mouth(pen, 17, 9, 15, 4.6, COFFEE if full else None)
    if full:
        for x in (11, 17, 23):
            pen.curve((x, 6.6), (x + 1.6, 4.6), (x - 0.6, 2.8), (x + 1, 0.8), color=(255, 255, 255), width=1.3)


@drawable(
    "bowl",
    0.24,
    (50, 34),
    "surface",
    {"opening": (25, 13), "top": (25, 12), "inside": (25, 14)},
    color=ANY_COLOR,
    pattern=PATTERNS,
    material=("wood", "metal", "plastic", "glass"),
    contents=CONTENTS,
)
def bowl(pen: Pen) -> None:
    color = pen.color("blue")
    pen.fill(darker(color, 0.2), rect(17, 28, 33, 33, 1))
    if pen.appearance.contents != "full":
        _mouth(pen, 25, 13, 23.6, 5, None)
    pen.fill(pen.paint("blue"), [*arc(25, 13, 24, 18, 0, 180, 18), *arc(25, 13, 24, 4, 180, 0, 12)])
    if pen.appearance.contents == "full":
        pen.fill((246, 220, 130), smooth((2, 13), (8, 6), (17, 2), (25, 1), (34, 2.4), (42, 6), (48, 13), (25, 18)))
        for x, y, tone in (
            (14, 9, "red"),
            (24, 6, "green"),
            (33, 9, "red"),
            (21, 12.5, "orange"),
            (39, 12, "green"),
            (30, 13, "orange"),
        ):
            pen.dot(x, y, 2.3, COLORS[tone])


@drawable(
    "plate",
    0.19,
    (58, 20),
    "surface",
    {"top": (29, 8), "top_left": (14, 8), "top_right": (44, 8)},
    color=ANY_COLOR,
    material=("plastic", "metal", "wood"),
)
def plate(pen: Pen) -> None:
    color = pen.color("white")
    pen.fill(darker(color, 0.16) if sum(color) > 150 else lighter(color, 0.1), oval(29, 11.6, 28, 8))
    pen.fill(pen.paint("white"), oval(29, 9.4, 28, 8.4))
    pen.fill(darker(color, 0.08) if sum(color) > 150 else lighter(color, 0.16), oval(29, 9.4, 18, 4.8), line=0.6)


@drawable(
    "bottle",
    0.42,
    (22, 58),
    "surface",
    {"opening": (11, 4), "top": (11, 1), "neck": (11, 12)},
    color=("green", "blue", "brown", "red", "orange", "purple", "pink", "yellow", "white"),
    material=("glass", "plastic"),
    contents=CONTENTS,
)
def bottle(pen: Pen) -> None:
    color = pen.color("green")
    body = smooth(
        (7.4, 6), (14.6, 6), (14.8, 17), (20.6, 26), (21, 54), (19, 57), (3, 57), (1, 54), (1.4, 26), (7.2, 17), steps=4
    )
    contents = pen.appearance.contents
    if contents is None and pen.appearance.material != "glass":
        pen.fill(Paint(color), body)
        pen.flat((*lighter(color, 0.8), 170), rect(4, 29, 6.6, 52, 1.2))
        pen.fill((250, 248, 236), rect(1.4, 34, 20.6, 47), line=0.5)
        pen.stroke([(5, 38.5), (17, 38.5)], darker(color, 0.3), 1.2)
        pen.stroke([(5, 42.5), (14, 42.5)], darker(color, 0.3), 1.2)
    else:
        pen.flat((240, 250, 252, 120), body)
        if contents == "full":
            pen.flat(
                color,
                smooth(
                    (7.6, 15),
                    (14.4, 15),
                    (15, 19),
                    (20, 27),
                    (20.2, 54),
                    (18.6, 56),
                    (3.4, 56),
                    (1.8, 54),
                    (2, 27),
                    (7, 19),
                    steps=4,
                ),
            )
        pen.fill(Paint(color, "glass"), body)
    pen.fill(darker(color, 0.35) if contents != "empty" else darker(color, 0.1), rect(6.6, 1, 15.4, 7, 1.2))


@drawable(
    "vase",
    0.38,
    (34, 52),
    "surface",
    {"opening": (17, 4), "top": (17, 3), "inside": (17, 6)},
    color=ANY_COLOR,
    pattern=PATTERNS,
    material=("glass", "stone", "metal"),
)
def vase(pen: Pen) -> None:
    paint = pen.paint("blue")
    pen.fill(
        paint,
        smooth(
            (9, 2.5),
            (25, 2.5),
            (22, 11),
            (25, 18),
            (32.6, 30),
            (29, 42),
            (24, 51),
            (10, 51),
            (5, 42),
            (1.4, 30),
            (9, 18),
            (12, 11),
            steps=4,
        ),
    )
    _mouth(pen, 17, 4, 8.6, 2.8, None)
    if paint.surface is None:
        pen.stroke([(5.5, 33), (10, 35), (17, 36), (24, 35), (28.5, 33)], lighter(paint.color, 0.6), 1.6)
        pen.flat((*lighter(paint.color, 0.8), 160), oval(8.6, 27, 1.8, 4.6, 20))


@drawable(
    "bucket",
    0.34,
    (40, 46),
    "surface",
    {"opening": (20, 17), "top": (20, 16), "handle": (20, 2), "inside": (20, 18)},
    color=ANY_COLOR,
    material=("metal", "plastic", "wood"),
    contents=CONTENTS,
)
def bucket(pen: Pen) -> None:
    color = pen.color("gray")
    pen.rope(*arc(20, 17, 17, 15.4, 180, 360), color=(130, 132, 140), width=1.6, smooth=False)
    pen.fill(pen.paint("gray"), [(2, 16), (38, 16), (33, 43), (27, 45), (13, 45), (7, 43)])
    _mouth(pen, 20, 16.5, 18.4, 5, WATER if pen.appearance.contents == "full" else None)
    pen.stroke([(4.6, 25), (20, 28.4), (35.4, 25)], darker(color, 0.3) if sum(color) > 150 else (110, 110, 116), 1.2)


@drawable(
    "basket",
    0.36,
    (50, 46),
    "surface",
    {"opening": (25, 22), "top": (25, 20), "handle": (25, 2), "inside": (25, 22)},
    color=("brown", "yellow", "white", "red", "green", "blue"),
    material=("wood", "plastic"),
    contents=CONTENTS,
)
def basket(pen: Pen) -> None:
    color = pen.color((196, 142, 78))
    pen.rope(*arc(25, 22, 20, 19, 180, 360), color=color, width=2.6, smooth=False)
    inside = darker(color, 0.6)
    pen.fill(inside, oval(25, 22, 23, 4.6))
    if pen.appearance.contents == "full":
        for x, y, tone in (
            (11, 20, "red"),
            (39, 20, "red"),
            (18, 15, "green"),
            (32, 15, "orange"),
            (25, 17, "red"),
            (25, 22, "yellow"),
        ):
            pen.fill(COLORS[tone], oval(x, y, 6), line=0.8)
    pen.fill(color, [*arc(25, 22, 23.6, 4, 180, 0, 10), (44, 43), (40, 45), (10, 45), (6, 43)])
    weave = darker(color, 0.28)
    for k, row in enumerate((29, 34.5, 40)):
        pen.stroke([(3.2 + k * 1.2, row), (25, row + 2), (46.8 - k * 1.2, row)], weave, 1.1)
    for x0, x1 in ((9, 12), (17, 18.4), (25, 25), (33, 31.6), (41, 38)):
        pen.stroke([(x0, 25), (x1, 45)], weave, 1.1)


@drawable(
    "box",
    0.4,
    (54, 48),
    "ground",
    {
        "opening": (27, 14),
        "top": (27, 12),
        "top_left": (8, 12),
        "top_right": (46, 12),
        "inside": (27, 20),
        "handle": (3, 26),
    },
    color=ANY_COLOR,
    material=("wood", "metal", "plastic"),
    opening=("open", "closed"),
)
def box(pen: Pen) -> None:
    paint = pen.paint((206, 160, 104))
    color = paint.color
    shade = darker(color, 0.2)
    if pen.appearance.opening == "open":
        pen.fill(darker(color, 0.6), [(3, 17), (12, 10), (53, 10), (44, 17)])
        pen.fill(shade, [(12, 10), (53, 10), (51, 2), (16, 2)])
        pen.fill(shade, [(44, 17), (53, 10), (53, 39), (44, 47)])
        pen.fill(paint, rect(3, 17, 44, 47))
        pen.fill(lighter(color, 0.1), [(3, 17), (44, 17), (41, 25), (0.6, 25)])
        return
    pen.fill(shade, [(44, 15), (53, 8), (53, 39), (44, 47)])
    pen.fill(lighter(color, 0.16) if sum(color) > 150 else lighter(color, 0.1), [(3, 15), (12, 8), (53, 8), (44, 15)])
    pen.fill(paint, rect(3, 15, 44, 47))
    tape = lighter(color, 0.5)
    pen.flat(tape, [(20, 15), (29, 8), (34, 8), (26, 15)], rect(20, 15, 26, 24))


CAN_ANCHORS = {"handle": (12, 8), "spout": (58, 9), "opening": (22, 12), "top": (22, 12)}


@drawable("watering can", 0.36, (62, 46), "surface", CAN_ANCHORS, color=ANY_COLOR, material=("metal", "plastic"))
def watering_can(pen: Pen) -> None:
    color = pen.color("green")
    pen.rope(*arc(14, 22, 12, 19, 90, 320, 16), color=color, width=3.0, smooth=False)
    pen.fill(color, [(32, 34), (52, 10), (56, 13), (34, 42)])
    pen.fill(darker(color, 0.2), [(47, 8), (51, 3), (61, 12), (57, 17)])
    pen.fill(pen.paint("green"), [(11, 14), (35, 14), (37, 45), (8, 45)])
    _mouth(pen, 23, 14, 12, 3.4, None)
    pen.stroke([(9, 26), (36, 26)], darker(color, 0.3) if sum(color) > 150 else (110, 110, 116), 1.2)
    if pen.appearance.end is not None:
        _shower(pen)


def _shower(pen: Pen) -> None:
    """Drops that fall from the spout to the end point of the appearance."""
    spout, end = pen.frame.at((58, 12)), pen.appearance.end
    assert end is not None
    for k in range(1, 7):
        share = k / 6
        for side in (-2.4, 2.4):
            x = spout.x + (end.x - spout.x) * share + side * (0.4 + share)
            y = spout.y + (end.y - spout.y) * share * share + abs(side) * 0.4
            pen.canvas.stroke([(x, y - 1.8), (x, y + 1.8)], WATER, 1.6)
