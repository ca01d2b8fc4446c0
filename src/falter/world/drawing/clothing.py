"""What people wear and carry: alone, or in the box that ``worn_box`` gives for a person."""

from __future__ import annotations

from falter.generation.scene import Box
from falter.world.drawing.body import skeleton
from falter.world.drawing.canvas import arc, oval, rect, smooth
from falter.world.drawing.palette import Color, darker, lighter
from falter.world.drawing.pen import ANY_COLOR, PATTERNS, Appearance, Paint, Pen, drawable, frame_for

__all__ = ["WORN", "worn_box"]

WORN = ("hat", "helmet", "glasses", "scarf", "dress", "backpack", "shirt", "pants")


def worn_box(person: Appearance, kind: str) -> Box:
    """Return the box in which to draw something that an upright person wears (for shirt and pants: where they are)."""
    bones = skeleton(person)
    build, (hx, hy), r = bones.build, bones.head, bones.build.head
    (nx, ny), w, hip = bones.neck, bones.build.width, bones.hips[1]
    feet = max(bones.near_leg.end[1], bones.far_leg.end[1])
    top = build.shoulder + hip - build.hip
    x0, y0, x1, y1 = {
        "hat": (hx - 1.42 * r, hy - 1.72 * r, hx + 1.52 * r, hy - 0.36 * r),
        "helmet": (hx - 1.2 * r, hy - 1.36 * r, hx + 1.3 * r, hy - 0.24 * r),
        "glasses": (hx - 0.62 * r, hy - 0.46 * r, hx + 1.16 * r, hy + 0.34 * r),
        "scarf": (nx - 0.98 * w, ny - 2.6, nx + 0.98 * w, ny + 17),
        "dress": (-1.6 * w, top - 2.6, 1.6 * w, hip + (98 - build.hip) * 0.52),
        "backpack": (nx - 2.7 * w, top - 2, nx - 0.4 * w, top + 25),
        "shirt": (-1.05 * w, top - 2, 1.05 * w, hip + 1),
        "pants": (
            min(bones.near_leg.end[0], bones.far_leg.end[0]) - 3,
            hip - 3,
            max(bones.near_leg.joint[0], bones.far_leg.joint[0]) + 4,
            feet,
        ),
    }[kind]
    frame = frame_for(person)
    a, b = frame.at((x0, y0)), frame.at((x1, y1))
    return Box(min(a.x, b.x), min(a.y, b.y), abs(b.x - a.x), abs(b.y - a.y))


def _seam(color: Color) -> Color:
    return darker(color, 0.4) if sum(color) > 150 else (110, 110, 116)


@drawable("hat", 0.22, (44, 21), "surface", {"top": (22, 1), "brim": (22, 18)}, color=ANY_COLOR, pattern=PATTERNS)
def hat(pen: Pen) -> None:
    paint = pen.paint("brown")
    color = paint.color
    pen.fill(color, oval(22, 16.6, 21.4, 3.8))
    pen.fill(paint, smooth((10, 16), (11, 6), (16, 1.4), (22, 2.6), (28, 1.4), (33, 6), (34, 16), (22, 18), steps=4))
    band = (40, 38, 42) if sum(color) > 200 else (220, 60, 56)
    pen.flat(band, [(10.2, 11.6), (22, 13.6), (33.8, 11.6), (34, 15.4), (22, 17.4), (10, 15.4)])


@drawable("helmet", 0.22, (40, 22), "surface", {"top": (20, 1)}, color=ANY_COLOR)
def helmet(pen: Pen) -> None:
    color = pen.color("red")
    pen.fill(color, [*arc(19.4, 19, 18.4, 18, 180, 360, 20), (39.4, 19), (39.4, 21.2), (1, 21.2)])
    stripe = lighter(color, 0.65) if sum(color) < 640 else (150, 150, 156)
    for dx in (-7, 0, 7):
        pen.stroke(
            arc(19.4 + dx, 19, abs(dx) * 0.6 + 0.1, 15, -110 if dx < 0 else -70, -160 if dx < 0 else -20, 5)
            if dx
            else [(19.4, 4), (19.4, 14)],
            stripe,
            2.2,
        )
    pen.stroke([(1.6, 18.6), (38.8, 18.6)], _seam(color), 1.0)


@drawable(
    "glasses",
    0.14,
    (44, 18),
    "surface",
    {"top": (22, 2)},
    color=("black", "brown", "red", "blue", "green", "purple", "pink"),
)
def glasses(pen: Pen) -> None:
    color = pen.color("black")
    pen.flat((220, 240, 250, 110), oval(12, 9, 9, 7.4), oval(32, 9, 9, 7.4))
    for x in (12, 32):
        pen.stroke(arc(x, 9, 9.2, 7.4, 0, 360, 24), color, 2.4)
    pen.stroke([(20.4, 7), (22, 6), (23.6, 7)], color, 2.2)
    pen.stroke([(3, 7), (0.8, 5.4)], color, 2.0)


@drawable("scarf", 0.26, (36, 38), "surface", {"top": (18, 2)}, color=ANY_COLOR, pattern=PATTERNS)
def scarf(pen: Pen) -> None:
    paint = pen.paint("red")
    pen.fill(paint, [(20, 8), (30, 8), (32, 33), (21, 33)])
    for x in (22, 25, 28, 31):
        pen.stroke([(x, 33), (x + 0.3, 37)], paint.color, 1.6)
    pen.fill(
        paint,
        smooth((1, 4), (9, 7), (18, 8), (27, 7), (35, 4), (35, 11), (27, 15), (18, 16), (9, 15), (1, 11), steps=4),
    )
    pen.curve((20, 9), (25, 13), (30, 11), color=_seam(paint.color), width=1.0)


@drawable("dress", 0.62, (48, 68), "surface", {"top": (24, 2)}, color=ANY_COLOR, pattern=PATTERNS)
def dress(pen: Pen) -> None:
    paint = pen.paint("pink")
    neck = [(18, 1.6), (21, 7), (24, 8.4), (27, 7), (30, 1.6)]
    side = [(36, 3), (39, 8), (34.6, 15), (32.6, 28), (40, 48), (47.4, 65)]
    hem = [(36, 67.2), (24, 66.2), (12, 67.2)]
    pen.fill(paint, [*neck, *side, *hem, *[(48 - x, y) for x, y in reversed(side)]])
    pen.stroke([(15.6, 28), (24, 29.6), (32.4, 28)], _seam(paint.color), 2.2)
    for a, b in (((19, 34), (14, 62)), ((24, 34), (24, 62)), ((29, 34), (34, 62))):
        pen.stroke([a, b], darker(paint.color, 0.2) if sum(paint.color) > 150 else (90, 90, 96), 0.9)


@drawable("backpack", 0.4, (36, 44), "surface", {"top": (18, 2), "handle": (18, 2)}, color=ANY_COLOR, pattern=PATTERNS)
def backpack(pen: Pen) -> None:
    paint = pen.paint("blue")
    color = paint.color
    pen.rope(*arc(18, 6, 5, 4.6, 180, 360), color=color, width=2.2, smooth=False)
    pen.rope((32, 12), (35, 22), (32, 34), color=darker(color, 0.3), width=2.4)
    pen.fill(paint, smooth((6, 8), (18, 4.6), (30, 8), (33, 22), (32, 40), (18, 43), (4, 40), (3, 22), steps=4))
    pen.fill(Paint(darker(color, 0.16)), rect(8, 25, 28, 39, 4))
    pen.stroke([(9, 28.6), (27, 28.6)], _seam(color), 1.0)
    pen.curve((7, 17), (18, 19.4), (29, 17), color=_seam(color), width=1.3)


@drawable(
    "bag",
    0.34,
    (40, 42),
    "surface",
    {"top": (20, 14), "handle": (20, 2), "opening": (20, 15)},
    color=ANY_COLOR,
    pattern=PATTERNS,
)
def bag(pen: Pen) -> None:
    paint = pen.paint("brown")
    pen.rope(*arc(20, 15, 9.4, 12.6, 180, 360), color=darker(paint.color, 0.25), width=2.2, smooth=False)
    pen.fill(paint, [(4, 14), (36, 14), (39, 38), (36, 41), (4, 41), (1, 38)])
    pen.stroke([(4, 19), (36, 19)], _seam(paint.color), 1.1)
    pen.fill((236, 206, 100), rect(17, 17, 23, 22, 1), line=0.6)


@drawable("shirt", 0.44, (56, 46), "surface", {"top": (28, 2)}, color=ANY_COLOR, pattern=PATTERNS)
def shirt(pen: Pen) -> None:
    paint = pen.paint("blue")
    right = [(35, 1.6), (44, 5), (55, 18), (47, 24), (42, 18), (42, 45)]
    pen.fill(paint, [(21, 1.6), (24, 5.6), (28, 7), (32, 5.6), *right, *[(56 - x, y) for x, y in reversed(right)]])
    pen.curve((20.4, 2.4), (28, 9.4), (35.6, 2.4), color=_seam(paint.color), width=1.2)


def _trouser_hem(appearance: Appearance) -> float:
    return 30 if appearance.length == "short" else 56


@drawable(
    "pants", 0.5, (38, 58), "surface", {"top": (19, 2)}, color=ANY_COLOR, pattern=PATTERNS, length=("short", "long")
)
def pants(pen: Pen) -> None:
    paint = pen.paint("blue")
    hem = _trouser_hem(pen.appearance)
    pen.fill(paint, [(5, 2), (33, 2), (37, hem), (22.6, hem), (19, 20), (15.4, hem), (1, hem)])
    pen.stroke([(5, 6.4), (33, 6.4)], _seam(paint.color), 1.1)
    pen.stroke([(19, 6.4), (19, 20)], _seam(paint.color), 1.1)
