"""Birds, fish and turtles."""

from __future__ import annotations

from falter.world.drawing.canvas import XY, arc, capsule, limb, oval, rect, smooth
from falter.world.drawing.palette import COLORS, Color, darker, lighter
from falter.world.drawing.pen import ANY_COLOR, INK, Appearance, Pen, drawable

__all__: list[str] = []

BILL: Color = (246, 150, 30)
WAVE: Color = (210, 236, 250)


def _shade(color: Color) -> Color:
    return darker(color, 0.25) if sum(color) > 150 else lighter(color, 0.2)


def _feet(pen: Pen, *xs: float, top: float, ground: float) -> None:
    for x in xs:
        pen.rope((x, top), (x, ground - 1.4), color=BILL, width=1.4, smooth=False)
        pen.rope((x - 2.5, ground - 1.4), (x + 4, ground - 1.4), color=BILL, width=1.4, smooth=False)


def _ripples(pen: Pen, y: float, *spans: tuple[float, float]) -> None:
    for x0, x1 in spans:
        pen.curve((x0, y), ((x0 + x1) / 2, y + 1.8), (x1, y), color=WAVE, width=1.4)


def _bird_anchors(appearance: Appearance) -> dict[str, XY]:
    if appearance.action == "flying":
        return {
            "head": (50, 28),
            "head_top": (50, 20),
            "mouth": (60, 29),
            "back": (32, 26),
            "feet": (30, 38),
            "neck": (44, 30),
        }
    return {
        "head": (44, 18),
        "head_top": (44, 8),
        "mouth": (56, 19),
        "back": (26, 26),
        "feet": (31, 53),
        "neck": (40, 26),
    }


@drawable("bird", 0.36, (62, 55), "surface", _bird_anchors, color=ANY_COLOR, action=("flying", "sleeping"))
def bird(pen: Pen) -> None:
    color, asleep = pen.color("blue"), pen.appearance.action == "sleeping"
    wing = _shade(color)
    if pen.appearance.action == "flying":
        pen.fill(darker(wing, 0.15), smooth((34, 26), (22, 14), (10, 2), (30, 4), (42, 16), (44, 26)))
        pen.fill(color, [(14, 30), (1, 24), (4, 31), (0, 38), (14, 36)], oval(30, 31, 18, 9), oval(48, 28, 8.4))
        pen.fill(wing, smooth((24, 30), (16, 40), (8, 53), (28, 51), (40, 40), (42, 30)))
        pen.fill(BILL, [(55, 26), (61.5, 29), (55, 32)])
        pen.eye(50, 26.4, 1.7, white=sum(color) < 150)
        return
    _feet(pen, 27, 34, top=42, ground=54)
    pen.fill(
        color,
        [(16, 32), (1, 34), (2, 41), (17, 41)],
        oval(28, 33, 16.5, 13),
        oval(43, 18, 10.5),
        capsule((36, 28), (43, 20), 18, 16),
    )
    pen.flat(lighter(color, 0.45), oval(36, 37, 6.5, 7))
    pen.fill(wing, smooth((14, 28), (30, 25), (36, 33), (26, 41), (8, 41)))
    pen.fill(BILL, [(52, 15), (60.5, 19), (52, 22)])
    pen.eye(46, 15.6, 1.9, closed=asleep, white=sum(color) < 150 and not asleep)
    if asleep:
        pen.sleep_signs(30, 14, 8)


def _duck_anchors(appearance: Appearance) -> dict[str, XY]:
    bottom = 44 if appearance.action == "swimming" else 57
    return {
        "head": (50, 14),
        "head_top": (50, 4),
        "mouth": (62, 17),
        "back": (24, 27),
        "feet": (30, bottom),
        "neck": (47, 24),
    }


@drawable(
    "duck",
    0.4,
    (66, 58),
    "surface",
    _duck_anchors,
    color=("yellow", "white", "brown"),
    action=("swimming", "walking", "sleeping"),
)
def duck(pen: Pen) -> None:
    color, swims = pen.color("yellow"), pen.appearance.action == "swimming"
    if not swims:
        for x in (19, 40) if pen.appearance.action == "walking" else (25, 35):
            pen.rope((x, 44), (x, 54), color=BILL, width=2.2, smooth=False)
            pen.fill(BILL, [(x - 2, 53), (x + 2, 53), (x + 8, 57), (x - 2, 57)])
    body = smooth((3, 22), (12, 28), (26, 27), (40, 28), (53, 26), (53, 38), (42, 47), (22, 48), (8, 40))
    pen.fill(color, body, capsule((47, 34), (50, 16), 15, 14), oval(50, 14, 10.5))
    pen.fill(_shade(color), smooth((13, 32), (26, 29), (38, 33), (32, 42), (18, 41)))
    pen.fill(BILL, smooth((58, 12), (65, 16), (64.5, 19.6), (57, 19.4)))
    pen.eye(53, 11, 1.9, closed=pen.appearance.action == "sleeping")
    if swims:
        _ripples(pen, 47, (2, 18), (18, 34), (34, 50), (50, 64))
    elif pen.appearance.action == "sleeping":
        pen.sleep_signs(32, 13, 8)


PENGUIN_ANCHORS: dict[str, XY] = {
    "head": (23, 13),
    "head_top": (23, 2),
    "mouth": (36, 15),
    "back": (8, 36),
    "feet": (23, 71),
    "neck": (23, 24),
}


@drawable("penguin", 0.58, (46, 72), "ground", PENGUIN_ANCHORS, action=("walking", "sleeping", "jumping"))
def penguin(pen: Pen) -> None:
    lift = 8 if pen.appearance.action == "jumping" else 0
    p = pen.translate(0, 0, 1.0, 1.0 - lift / 72)
    black, asleep = (40, 42, 52), pen.appearance.action == "sleeping"
    stride = 4 if pen.appearance.action == "walking" else 0
    p.fill(BILL, oval(15 - stride, 68.5, 7, 3), oval(31 + stride, 68.5, 7, 3))
    out = 12 if lift else 0
    p.fill(
        black,
        smooth((10, 28), (4 - out * 0.2, 38 - out), (1, 54 - out * 2), (8, 52 - out), (13, 40)),
        smooth((36, 28), (42, 38 - out), (45, 54 - out * 2), (38, 52 - out), (33, 40)),
    )
    p.fill(black, smooth((23, 20), (36, 28), (40, 48), (34, 66), (12, 66), (6, 48), (10, 28)), oval(23, 14, 12.4))
    p.flat(
        (252, 252, 252),
        smooth((23, 25), (33, 36), (34, 52), (29, 64), (17, 64), (12, 52), (13, 36)),
        oval(18.6, 13, 5.6, 6),
        oval(28, 13, 5.6, 6),
        oval(23, 18, 8, 5),
    )
    p.eye(20, 12, 1.9, closed=asleep)
    p.eye(29, 12, 1.9, closed=asleep)
    p.fill(BILL, [(22, 15.5), (36, 17.5), (23, 20.5)])
    if asleep:
        pen.sleep_signs(38, 8, 7)


OWL_ANCHORS: dict[str, XY] = {
    "head": (22, 15),
    "head_top": (22, 3),
    "mouth": (22, 20),
    "back": (8, 34),
    "feet": (22, 57),
    "neck": (22, 26),
}


@drawable("owl", 0.46, (44, 58), "surface", OWL_ANCHORS, color=("brown", "gray", "white"), action=("sleeping",))
def owl(pen: Pen) -> None:
    color, asleep = pen.color("brown"), pen.appearance.action == "sleeping"
    for x in (15, 29):
        pen.fill(BILL, oval(x - 2.4, 55, 2.4), oval(x + 2.4, 55, 2.4), oval(x, 55.4, 2.4))
    pen.fill(
        color,
        smooth((22, 6), (37, 10), (41, 30), (36, 49), (22, 55), (8, 49), (3, 30), (7, 10)),
        [(5, 16), (4, 1), (17, 8)],
        [(39, 16), (40, 1), (27, 8)],
    )
    belly = lighter(color, 0.5) if color != COLORS["white"] else (222, 216, 206)
    pen.flat(belly, oval(22, 41, 11, 12))
    for y, xs in ((36, (17, 22, 27)), (41, (14.5, 19.5, 24.5, 29.5)), (46, (17, 22, 27))):
        for spot in xs:
            pen.stroke(arc(spot, y, 2, 2, 10, 170, 4), darker(color, 0.25), 0.9)
    pen.fill(
        _shade(color), smooth((6, 28), (11, 34), (10, 46), (4, 42)), smooth((38, 28), (33, 34), (34, 46), (40, 42))
    )
    for x in (14, 30):
        pen.fill((255, 255, 250) if not asleep else lighter(color, 0.3), oval(x, 19, 8.6))
        if asleep:
            pen.stroke(arc(x, 18, 5, 4, 15, 165, 6), INK, 1.3)
        else:
            pen.fill((250, 196, 40), oval(x, 19, 5.8), line=0.7)
            pen.dot(x, 19, 3.3)
            pen.dot(x + 1.2, 17.6, 1.1, (255, 255, 255))
    pen.fill(BILL, [(19.4, 23), (24.6, 23), (22, 29.5)])
    if asleep:
        pen.sleep_signs(26, 4.5, 5)


@drawable(
    "fish",
    0.34,
    (66, 42),
    "ground",
    {"head": (50, 21), "head_top": (46, 8), "mouth": (63, 23), "back": (34, 6)},
    color=ANY_COLOR,
    action=("swimming",),
)
def fish(pen: Pen) -> None:
    color = pen.color("orange")
    fin = _shade(color)
    pen.fill(fin, smooth((24, 10), (34, 1.5), (44, 4), (46, 12)), smooth((28, 32), (32, 41), (40, 40), (41, 32)))
    pen.fill(fin, smooth((18, 21), (8, 13), (1, 7), (4, 21), (1, 35), (8, 29)))
    pen.fill(color, smooth((14, 21), (26, 11), (42, 8), (56, 13), (64.5, 22), (56, 30), (42, 34), (26, 31)))
    pen.stroke(arc(43, 21, 5, 11, -70, 70), darker(color, 0.4) if sum(color) > 150 else (130, 130, 130), 1.1)
    for x, y in ((24, 18), (24, 25), (31, 15), (31, 21.5), (31, 28), (38, 18), (38, 25)):
        pen.stroke(arc(x, y, 2.8, 2.8, -70, 70, 5), fin, 0.9)
    pen.fill(fin, smooth((38, 22), (33, 27), (36, 31), (43, 26)))
    pen.eye(54, 18, 2.3, white=True)
    pen.curve((63.5, 23.4), (60, 25), (57.5, 24.4), color=darker(color, 0.6), width=1.0)


TURTLE_ANCHORS: dict[str, XY] = {
    "head": (66, 29),
    "head_top": (66, 20),
    "mouth": (75, 32),
    "back": (34, 8),
    "feet": (34, 49),
    "neck": (57, 34),
}


@drawable(
    "turtle",
    0.38,
    (78, 50),
    "ground",
    TURTLE_ANCHORS,
    color=("green", "brown"),
    action=("walking", "sleeping"),
)
def turtle(pen: Pen) -> None:
    shell = pen.color("green")
    skin: Color = (172, 200, 110) if shell == COLORS["green"] else (190, 176, 120)
    asleep, stride = pen.appearance.action == "sleeping", 4 if pen.appearance.action == "walking" else 0
    pen.fill(darker(skin, 0.15), *limb([(24, 38), (26 + stride, 46)], 9), *limb([(48, 38), (46 - stride, 46)], 9))
    pen.fill(
        skin,
        [(10, 40), (1, 44), (11, 45)],
        *limb([(18, 38), (14 - stride * 0.6, 46)], 9),
        *limb([(54, 38), (57 + stride, 46)], 9),
        capsule((54, 36), (65, 30), 10),
        oval(67, 29, 8.6, 7.6),
    )
    dome = [*arc(35, 38, 28, 34, 180, 360, 20), (63, 41), (7, 41)]
    pen.fill(shell, dome)
    seam = darker(shell, 0.38)
    pen.stroke([(27, 12), (43, 12), (49, 24), (43, 36), (27, 36), (21, 24), (27, 12)], seam, 1.3)
    for line in (
        ((27, 12), (25, 6.8)),
        ((43, 12), (45, 6.8)),
        ((49, 24), (60, 23)),
        ((21, 24), (10, 23)),
        ((27, 36), (25, 40)),
        ((43, 36), (45, 40)),
    ):
        pen.stroke(list(line), seam, 1.3)
    pen.flat(lighter(shell, 0.22), smooth((30, 16), (40, 16), (44, 24), (40, 32), (30, 32), (26, 24)))
    pen.fill(lighter(skin, 0.3), rect(5, 38.6, 65, 42.4, 2))
    pen.eye(69.5, 27, 1.7, closed=asleep)
    pen.curve((75, 32), (71, 33.4), (68, 32.6), color=darker(skin, 0.6), width=0.9)
    if asleep:
        pen.sleep_signs(66, 14, 8)
