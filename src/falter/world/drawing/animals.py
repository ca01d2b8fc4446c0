"""Four-legged animals."""

from __future__ import annotations

from falter.world.drawing.canvas import arc, capsule, limb, oval, smooth, spline
from falter.world.drawing.palette import COLORS, Color, darker, lighter, mix
from falter.world.drawing.pen import INK, Pen
from falter.world.drawing.quadrupeds import Quadruped, quadruped

__all__: list[str] = []

PINK: Color = (240, 150, 160)
HORN: Color = (236, 226, 200)
SITTERS = ("standing", "sitting", "lying")


def _dog_face(pen: Pen, color: Color, asleep: bool) -> None:
    pen.fill(
        darker(color, 0.35) if sum(color) > 150 else lighter(color, 0.14),
        smooth((-8, -9), (-1, -7), (-1, 5), (-5, 13), (-10, 10), (-11, -1)),
    )
    pen.eye(4.5, -3, 1.7, closed=asleep, white=sum(color) < 150 and not asleep)
    pen.fill((30, 26, 28), oval(18.6, 0.8, 3.2, 2.6))
    pen.curve(
        (17, 7.6), (11, 9.4), (6, 7), color=darker(color, 0.65) if sum(color) > 150 else (160, 150, 150), width=1.0
    )
    pen.fill((226, 84, 100), smooth((10.5, 8.6), (14.6, 8.2), (14.4, 13.5), (11.4, 13.6)), line=0.7)


def _dog_tail(pen: Pen, color: Color) -> None:
    pen.fill(color, *limb(spline((23, 40), (12, 32), (7, 18), steps=4), 7.5, 4))


quadruped("dog", 0.62, Quadruped(
    grid=(102, 82), default="brown", trunk=(capsule((29, 46), (67, 44), 25, 28),), back=(46, 33), hind=(26, 50),
    fore=(70, 50), foot=80, leg=(10, 7.5), neck=((70, 42), (78, 22), 21, 17), low=(84, 60),
    skull=(oval(0, 0, 12.5, 11.5), capsule((6, 3), (15, 4), 14, 10)), face=_dog_face, muzzle=(17, 7), crown=(0, -11),
    tail=_dog_tail,
), color=("brown", "black", "white", "gray", "orange"), pose=SITTERS)  # fmt: skip


def _cat_face(pen: Pen, color: Color, asleep: bool) -> None:
    dark = sum(color) < 150
    for side in (-1, 1):
        pen.flat(PINK, [(side * 10 + 1, -13), (side * 10.5 + 1, -6.5), (side * 5 + 1, -9.6)])
        if asleep:
            pen.eye(1 + side * 5, -1, 2.2, closed=True)
        else:
            pen.fill((190, 220, 70), oval(1 + side * 5.2, -1, 2.7, 3), line=0.6)
            pen.flat(INK, oval(1 + side * 5.2, -1, 0.95, 2.5))
        for dy in (3.6, 6.2):
            pen.stroke([(1 + side * 5, 5), (1 + side * 17, dy)], (235, 235, 235) if dark else darker(color, 0.6), 0.5)
    pen.fill((224, 104, 120), [(-1, 3), (3, 3), (1, 5.2)], line=0.5)
    pen.stroke(
        [*arc(-0.9, 5.6, 1.9, 2, 150, 10, 5), *arc(2.9, 5.6, 1.9, 2, 170, 30, 5)],
        (120, 110, 110) if dark else darker(color, 0.65),
        0.6,
    )


def _cat_tail(pen: Pen, color: Color) -> None:
    pen.fill(color, *limb(spline((22, 46), (9, 42), (6, 26), (11, 12), steps=4), 6, 4.6))


def _cat_coat(pen: Pen, color: Color) -> None:
    if sum(color) > 150 and color != COLORS["white"]:
        for x in (30, 38, 46):
            pen.curve((x, 36.5), (x + 1.5, 41), (x, 46), color=darker(color, 0.35), width=2.2)


quadruped("cat", 0.52, Quadruped(
    grid=(92, 76), default="orange", trunk=(capsule((27, 48), (61, 47), 23, 23),), back=(42, 36), hind=(24, 50),
    fore=(63, 50), foot=74, leg=(8.6, 6.4), neck=((62, 44), (71, 29), 19, 17), low=(71, 56),
    skull=(oval(1, 0, 14, 12.2), [(-12, -3), (-11.5, -17), (-1, -10)], [(14, -3), (13.5, -17), (3, -10)]),
    face=_cat_face, muzzle=(1, 6), crown=(1, -13), tail=_cat_tail, extra=_cat_coat,
), color=("orange", "black", "gray", "white"), pose=SITTERS)  # fmt: skip


def _horse_face(pen: Pen, color: Color, asleep: bool) -> None:
    mane = darker(color, 0.55) if sum(color) > 150 else (90, 84, 84)
    pen.fill(mane, smooth((-1, -11), (5, -9), (4, -3), (-3, -4)), line=0.7)
    pen.eye(5.4, -0.5, 1.7, closed=asleep, white=sum(color) < 150 and not asleep)
    nose = darker(color, 0.3) if sum(color) > 150 else lighter(color, 0.25)
    pen.flat(nose, oval(15.6, 14.4, 5, 4.6, 40))
    pen.dot(17.6, 13.4, 1.1)
    pen.curve((18.4, 17.4), (14.5, 18.2), color=INK, width=0.8)


def _horse_tail(pen: Pen, color: Color) -> None:
    mane = darker(color, 0.55) if sum(color) > 150 else (90, 84, 84)
    pen.fill(mane, smooth((24, 44), (14, 44), (7, 58), (6, 82), (12, 84), (15, 66), (24, 54)))


def _mane(pen: Pen, color: Color) -> None:
    """The mane hangs behind the neck, wherever the head goes."""
    if pen.appearance.action in ("eating", "drinking", "sleeping"):
        return
    mane = darker(color, 0.55) if sum(color) > 150 else (90, 84, 84)
    pen.fill(mane, smooth((96, 6), (88, 12), (74, 36), (80, 46), (90, 34), (98, 14)))


def _horse(kind: str) -> Quadruped:
    zebra = kind == "zebra"
    return Quadruped(
        grid=(124, 112), default="white" if zebra else "brown", trunk=(capsule((36, 54), (78, 53), 33, 33),),
        back=(56, 37), hind=(30, 60), fore=(82, 60), foot=110, leg=(11.5, 7.4), neck=((82, 46), (97, 17), 26, 17),
        low=(104, 78), skull=(capsule((1, 0), (14, 14), 17, 12), [(-5, -6), (-3, -17), (3, -8)]),
        face=_zebra_face if zebra else _horse_face, muzzle=(18, 17), crown=(0, -9),
        tail=_zebra_tail if zebra else _horse_tail, coat="zebra" if zebra else None,
        leg_coat="zebra legs" if zebra else None, hoof=(48, 42, 42), behind=_zebra_mane if zebra else _mane,
    )  # fmt: skip


def _zebra_face(pen: Pen, color: Color, asleep: bool) -> None:  # noqa: ARG001
    pen.fill((36, 34, 36), oval(15.6, 14.4, 5, 4.8, 40), line=0.6)
    pen.flat((250, 250, 248), oval(5.6, -0.6, 3.4))
    pen.eye(5.8, -0.5, 1.8, closed=asleep)


def _zebra_tail(pen: Pen, color: Color) -> None:  # noqa: ARG001
    pen.fill((245, 245, 243), *limb(spline((23, 48), (14, 54), (11, 68), steps=3), 4, 3))
    pen.fill((36, 34, 36), oval(11, 73, 3.6, 6.4))


def _zebra_mane(pen: Pen, color: Color) -> None:  # noqa: ARG001
    if pen.appearance.action not in ("eating", "drinking", "sleeping"):
        pen.fill((36, 34, 36), smooth((94, 3), (87, 9), (70, 35), (76, 42), (90, 28), (98, 10)))


quadruped("horse", 1.06, _horse("horse"), color=("brown", "black", "white", "gray"))
quadruped("zebra", 0.98, _horse("zebra"))


def _cow_face(pen: Pen, color: Color, asleep: bool) -> None:
    for side in (-1, 1):
        pen.fill(HORN, smooth((side * 6, -9), (side * 11, -13), (side * 11, -19), (side * 7, -15), (side * 3, -11)))
        pen.fill(darker(color, 0.2), oval(side * 15, -5, 5.4, 3.2, side * 12))
        pen.eye(side * 5, -2.5, 1.7, closed=asleep, white=sum(color) < 150 and not asleep)
    pen.fill((244, 176, 176), oval(0, 10, 9.6, 6.6))
    pen.dot(-3.6, 9, 1.2, (120, 60, 66))
    pen.dot(3.6, 9, 1.2, (120, 60, 66))
    pen.curve((-4, 13), (0, 14.4), (4, 13), color=(120, 60, 66), width=0.8)


def _cow_tail(pen: Pen, color: Color) -> None:
    pen.fill(color, *limb(spline((16, 34), (8, 44), (7, 62), steps=3), 3.6, 3))
    pen.fill(darker(color, 0.5) if sum(color) > 150 else (90, 86, 86), oval(7, 66, 3.4, 5.6))


def _udder(pen: Pen, color: Color) -> None:  # noqa: ARG001
    pen.fill((244, 160, 170), smooth((38, 66), (54, 66), (52, 73), (46, 75), (40, 73)))


quadruped("cow", 0.92, Quadruped(
    grid=(128, 100), default="white", trunk=(capsule((32, 50), (82, 49), 40, 40),), back=(56, 30), hind=(26, 58),
    fore=(84, 58), foot=98, leg=(12.5, 9), neck=((86, 44), (104, 34), 32, 22), low=(106, 74),
    skull=(oval(0, 0, 11, 12), capsule((0, 2), (0, 9), 17, 17)), face=_cow_face, muzzle=(0, 14), crown=(0, -12),
    tail=_cow_tail, coat="cow", hoof=(54, 46, 44), behind=_udder,
), color=("white", "brown", "black"))  # fmt: skip


def _sheep_face(pen: Pen, color: Color, asleep: bool) -> None:
    wool = color
    skin = (66, 60, 62) if sum(color) > 150 else (120, 112, 112)
    pen.fill(skin, oval(-8.4, -2, 5, 2.8, 20), oval(9.4, -3, 5, 2.8, -20))
    pen.fill(skin, smooth((-6.4, -7), (6.4, -7), (7.4, 3), (3.6, 11), (-2.6, 11), (-6.6, 3)))
    pen.fill(wool, oval(-4, -8.6, 4.4), oval(1, -10.4, 4.8), oval(5.6, -8.2, 4))
    for x in (-2.4, 3.6):
        if asleep:
            pen.stroke(arc(x, -0.6, 1.9, 1.4, 10, 170, 5), (240, 240, 240), 0.8)
        else:
            pen.flat((255, 255, 255), oval(x, -0.4, 2.2))
            pen.dot(x + 0.4, -0.2, 1.2)
    pen.curve((-1, 7.6), (0.6, 8.6), (2.2, 7.6), color=(225, 190, 190), width=0.7)


def _no_tail(pen: Pen, color: Color) -> None:
    pen.fill(color, oval(11, 34, 4.6))


WOOL = tuple(
    oval(x, y, r) for x, y, r in (
        (20, 42, 11), (22, 31, 11), (34, 26, 11.5), (48, 25, 11.5), (61, 29, 11), (66, 40, 10.5), (58, 49, 11),
        (44, 51, 11), (30, 50, 11), (42, 38, 18),
    )
)  # fmt: skip


def _fleece(pen: Pen, color: Color) -> None:
    curl = darker(color, 0.2) if sum(color) > 150 else lighter(color, 0.2)
    for x, y in ((26, 34), (38, 32), (50, 33), (32, 43), (45, 43), (57, 42), (39, 51), (52, 51)):
        pen.stroke(arc(x, y, 3.6, 3.2, 20, 200, 6), curl, 0.9)


quadruped("sheep", 0.64, Quadruped(
    grid=(94, 76), default="white", trunk=WOOL, back=(42, 16), hind=(28, 54), fore=(58, 54), foot=74, leg=(6.6, 5),
    neck=((64, 34), (76, 28), 16, 12), low=(80, 54), skull=(oval(0, 0, 7, 9),), face=_sheep_face, muzzle=(1, 10),
    crown=(1, -14), tail=_no_tail, shins=(66, 60, 62), extra=_fleece,
), color=("white", "black", "brown", "gray"))  # fmt: skip


def _pig_face(pen: Pen, color: Color, asleep: bool) -> None:
    dark = sum(color) < 150
    tone = mix(color, PINK, 0.45) if dark else darker(color, 0.14)
    for x in (-7, 6):
        pen.fill(tone, smooth((x - 4, -8), (x + 4, -8.5), (x + 4.5, -15.5), (x - 0.5, -12)))
    for at in (-2.5, 7.5):
        pen.eye(at, -3, 1.7, closed=asleep, white=dark and not asleep)
    pen.fill(tone, oval(5, 5, 6.4, 5))
    pen.dot(2.8, 5, 1.3, darker(tone, 0.65))
    pen.dot(7.2, 5, 1.3, darker(tone, 0.65))
    pen.curve((0, 11), (4, 12.4), (8, 11), color=darker(tone, 0.6), width=0.8)


def _pig_tail(pen: Pen, color: Color) -> None:
    pen.rope((14, 40), (8, 37), (6, 32), (10, 31), (9, 36), (4, 35), color=color, width=2.0)


quadruped("pig", 0.6, Quadruped(
    grid=(96, 72), default="pink", trunk=(oval(42, 40, 30, 19.5),), back=(42, 21), hind=(26, 50),
    fore=(58, 50), foot=70, leg=(10.5, 8), neck=((64, 36), (75, 33), 26, 24), low=(80, 48),
    skull=(oval(0, 0, 14, 13.5),), face=_pig_face, muzzle=(8, 9), crown=(0, -13), tail=_pig_tail, hoof=(150, 84, 92),
), color=("pink", "black", "brown"))  # fmt: skip


def _elephant_face(pen: Pen, color: Color, asleep: bool) -> None:
    pen.fill(color, *limb(spline((14, -2), (25, 10), (27, 30), (24, 46), (29, 54), steps=4), 16, 7))
    for y, x in ((14, 21), (22, 22.5), (30, 23), (38, 22)):
        pen.stroke([(x - 1, y), (x + 6, y - 1)], darker(color, 0.25), 0.8)
    pen.fill((252, 248, 232), smooth((15, 14), (21, 17), (33, 18), (24, 22), (16, 20)))
    pen.flat(color, oval(8, 2, 12, 13))
    pen.fill(lighter(color, 0.1), smooth((-10, -20), (2, -15), (4, 2), (-2, 20), (-12, 25), (-24, 14), (-25, -8)))
    pen.flat((*PINK, 90), smooth((-10, -14), (-2, -10), (-1, 2), (-5, 14), (-12, 18), (-19, 9), (-19, -5)))
    pen.eye(12, -5, 2.1, closed=asleep)


def _elephant_tail(pen: Pen, color: Color) -> None:
    pen.fill(color, *limb(spline((13, 40), (5, 52), (5, 68), steps=3), 4, 3))
    pen.fill(darker(color, 0.5), oval(5, 71, 2.6, 4))


quadruped("elephant", 1.32, Quadruped(
    grid=(150, 116), default="gray", trunk=(oval(56, 50, 46, 34), capsule((30, 58), (84, 58), 40, 40)), back=(56, 18),
    hind=(30, 66), fore=(80, 66), foot=114, leg=(22, 18), neck=((88, 40), (108, 34), 44, 36), low=(108, 52),
    skull=(oval(0, 0, 23, 21),), face=_elephant_face, muzzle=(28, 54), crown=(0, -21), tail=_elephant_tail,
), color=("gray",), pose=("standing",), action=("walking", "running", "eating", "drinking"))  # fmt: skip


def _giraffe_face(pen: Pen, color: Color, asleep: bool) -> None:
    for x in (-3, 3):
        pen.fill((170, 112, 60), capsule((x, -6), (x - 1, -15), 3), oval(x - 1, -16, 2.8))
    pen.fill(darker(color, 0.15), oval(-9, -5, 6.4, 3, 20))
    pen.fill((238, 210, 160), oval(14.5, 7.5, 6, 5))
    pen.dot(17, 6.4, 1.0)
    pen.curve((18.6, 10), (14, 11), color=INK, width=0.8)
    pen.eye(4.5, -1.5, 1.9, closed=asleep)


def _giraffe_tail(pen: Pen, color: Color) -> None:
    pen.fill(color, *limb(spline((20, 96), (12, 106), (11, 122), steps=3), 4, 3))
    pen.fill((96, 62, 36), oval(11, 127, 3.2, 6))


quadruped("giraffe", 1.72, Quadruped(
    grid=(112, 182), default=(244, 200, 100), trunk=(capsule((34, 100), (64, 93), 31, 34),), back=(46, 82),
    hind=(28, 108), fore=(68, 106), foot=180, leg=(12, 8), neck=((68, 88), (84, 20), 25, 14), low=(94, 58),
    skull=(capsule((0, 0), (14, 7), 16, 12),), face=_giraffe_face, muzzle=(18, 10), crown=(0, -12), tail=_giraffe_tail,
    coat="giraffe", hoof=(96, 62, 36),
), action=("walking", "running", "sleeping", "eating"))  # fmt: skip


def _bear_face(pen: Pen, color: Color, asleep: bool) -> None:
    snout = mix(color, (236, 206, 160), 0.6)
    pen.fill(snout, oval(9, 5.5, 8.4, 6.6))
    pen.fill((28, 24, 26), oval(14, 2.4, 3.6, 2.6))
    pen.curve((14, 5), (12, 9), (8, 9.6), color=(50, 36, 30), width=0.9)
    for x in (-1, 8.4):
        pen.eye(x, -5, 1.8, closed=asleep, white=sum(color) < 150 and not asleep)
    pen.flat(snout, oval(-10, -12.4, 2.6), oval(10, -12.8, 2.6))


def _bear_tail(pen: Pen, color: Color) -> None:
    pen.fill(color, oval(13, 44, 5))


quadruped("bear", 0.86, Quadruped(
    grid=(122, 92), default="brown", trunk=(capsule((34, 47), (80, 46), 40, 40), oval(72, 36, 18, 15)), back=(50, 27),
    hind=(30, 58), fore=(80, 58), foot=90, leg=(18, 14.5), neck=((84, 42), (96, 32), 34, 30), low=(100, 66),
    skull=(oval(0, 0, 17, 15.5), oval(-10, -12.5, 5.6), oval(10, -13, 5.6)), face=_bear_face, muzzle=(14, 9),
    crown=(0, -16), tail=_bear_tail,
), color=("brown", "black", "white"), pose=SITTERS)  # fmt: skip


def _rabbit_face(pen: Pen, color: Color, asleep: bool) -> None:
    for x, lean in ((-4.5, -10), (3, 4)):
        pen.fill(color, oval(x, -20, 4, 12.5, lean))
        pen.flat((246, 176, 186), oval(x, -19, 1.9, 9.4, lean))
    pen.eye(5, -1.5, 1.9, closed=asleep, white=sum(color) < 150 and not asleep)
    pen.fill((232, 110, 130), oval(11.6, 2.2, 2, 1.5), line=0.5)
    pen.fill((255, 255, 255), [(9.6, 6.6), (12.4, 6.2), (12.2, 9.4), (9.8, 9.6)], line=0.5)
    pen.stroke([(8, 4), (1, 3)], darker(color, 0.4), 0.4)
    pen.stroke([(8, 5.4), (1, 7)], darker(color, 0.4), 0.4)


def _rabbit_tail(pen: Pen, color: Color) -> None:
    pen.fill((255, 255, 255) if color != COLORS["white"] else (244, 240, 240), oval(9, 58, 5.6))


quadruped("rabbit", 0.48, Quadruped(
    grid=(72, 76), default="white", trunk=(oval(27, 54, 19, 17), oval(40, 54, 13, 13)), back=(28, 38), hind=(20, 64),
    fore=(44, 62), foot=74, leg=(9, 6.6), neck=((44, 48), (51, 39), 18, 16), low=(50, 56),
    skull=(oval(0, 0, 11.8, 10.4),), face=_rabbit_face, muzzle=(11, 7), crown=(0, -30), tail=_rabbit_tail,
), color=("white", "brown", "gray", "black"))  # fmt: skip
