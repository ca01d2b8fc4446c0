"""The bodies of people, and what they wear."""

from __future__ import annotations

import math
from typing import NamedTuple

from falter.generation.scene import Box
from falter.world.drawing.canvas import XY, arc, oval, rect, smooth, two_bones
from falter.world.drawing.palette import Color, darker, lighter
from falter.world.drawing.pen import ANY_COLOR, PATTERNS, Appearance, Paint, Pen, UnitGrid, drawable, frame_for


class Build(NamedTuple):
    """Proportions, a standing person being 100 high: the lengths that differ between an adult and a child."""

    head: float
    shoulder: float
    width: float
    hip: float
    arm: float
    thick: float


ADULT = Build(head=12.8, shoulder=30, width=9, hip=58, arm=15.5, thick=7.0)
CHILD = Build(head=15.5, shoulder=36, width=9.5, hip=66, arm=13.5, thick=7.6)
BUILDS = {"man": ADULT._replace(width=10.5, thick=7.6), "woman": ADULT._replace(width=7.8), "boy": CHILD, "girl": CHILD}


# How far a head with its hair reaches from its middle, in its radii.
_HEADS: dict[str, tuple[XY, ...]] = {
    "man": ((-1.15, 0.0), (1.15, 0.0), (0.0, -1.2)),
    "boy": ((-1.2, 0.0), (1.15, 0.0), (0.0, -1.3)),
    "woman": ((-1.56, 0.4), (1.15, 0.0), (0.0, -1.2), (-1.5, 1.9), (0.9, 1.9)),
    "girl": ((-1.72, 0.4), (1.72, 0.4), (0.0, -1.2), (-1.5, 1.4), (1.5, 1.4)),
}


class Limb(NamedTuple):
    """An arm or a leg, from the body outwards."""

    root: XY
    joint: XY
    end: XY


class Skeleton(NamedTuple):
    """A posed person in the units of ``person_grid``, before the whole body is turned by ``turn`` degrees."""

    build: Build
    turn: float
    lean: float
    hips: XY
    neck: XY
    head: XY
    active: Limb
    other: Limb
    near_leg: Limb
    far_leg: Limb


class Gesture(NamedTuple):
    """Where the hands go (from their shoulders, in arm's lengths), and what the body does with it.

    ``near`` says what the hands' positions are relative to: the shoulders, or the face.
    """

    active: XY
    other: XY = (-0.08, 0.98)
    lean: float = 0.0
    legs: str | None = None
    near: str = "shoulder"


GESTURES: dict[str, Gesture] = {
    "down": Gesture((0.12, 0.98)),
    "forward": Gesture((0.93, 0.22)),
    "up": Gesture((0.6, -0.8)),
    "both forward": Gesture((0.92, 0.16), (0.98, 0.05)),
    "both up": Gesture((0.56, -0.83), (-0.56, -0.83)),
    "wave": Gesture((0.68, -0.58)),
    "mouth": Gesture((0.84, 0.4), near="face"),
    "point": Gesture((0.99, -0.06)),
    "push": Gesture((0.95, 0.05), (0.98, 0.0), lean=14, legs="pushing"),
    "pull": Gesture((0.92, 0.3), (0.98, 0.2), lean=-12, legs="pulling"),
    "throw": Gesture((0.72, -0.66), (-0.7, 0.35), lean=6, legs="walking"),
    "catch": Gesture((0.88, -0.3), (0.96, -0.2), lean=4, legs="walking"),
    "kick": Gesture((0.6, 0.62), (-0.8, 0.3), lean=-6, legs="kicking"),
    "hug": Gesture((0.8, 0.12), (0.9, 0.02), lean=8),
    "guitar": Gesture((0.02, 0.6), (0.98, 0.22)),
    "read": Gesture((0.56, 0.5), (0.9, 0.44)),
    "sweep": Gesture((0.62, 0.38), (0.88, 0.74), lean=6, legs="walking"),
    "pour": Gesture((0.86, 0.34), lean=5),
    "steer": Gesture((0.86, 0.36), (0.93, 0.3), lean=8),
    "climb": Gesture((0.62, -0.74), (0.9, -0.3), legs="climbing"),
    "lift": Gesture((0.3, -0.92), (-0.12, -0.92)),
    "hold": Gesture((0.66, 0.3)),
    "carry": Gesture((0.62, 0.56), (0.9, 0.5)),
    "pet": Gesture((0.82, 0.52), lean=12),
    "feed": Gesture((0.92, 0.34), lean=6),
    "camera": Gesture((1.36, 0.22), (1.22, 0.34), near="face"),
    "row": Gesture((0.82, 0.52), (0.92, 0.48), lean=10),
    "hit": Gesture((0.86, -0.26), (-0.5, 0.6), lean=8, legs="walking"),
    "swing": Gesture((-0.5, 0.84), (0.5, 0.84), legs="walking"),
    "run": Gesture((0.5, 0.5), (-0.3, 0.66), lean=12),
    "dance": Gesture((0.5, -0.84), (-0.9, -0.1)),
    "stretch": Gesture((0.3, -0.95), (0.1, 0.98)),
}
ACTION_GESTURES = {
    "walking": "swing", "running": "run", "jumping": "both up", "waving": "wave", "dancing": "dance",
    "eating": "mouth", "drinking": "mouth", "reading": "read", "swimming": "stretch",
}  # fmt: skip
# Feet from the hips: forward in hundredths of a body, and down as a share of the leg's length.
LEGS: dict[str, tuple[XY, XY]] = {
    "standing": ((3.6, 1.0), (-3.6, 1.0)),
    "walking": ((14.0, 0.93), (-14.0, 0.93)),
    "running": ((15.0, 0.56), (-29.0, 0.74)),
    "jumping": ((13.0, 0.66), (-15.0, 0.60)),
    "kicking": ((29.0, 0.68), (-3.0, 1.0)),
    "climbing": ((9.0, 0.72), (0.0, 1.0)),
    "dancing": ((4.0, 1.0), (-20.0, 0.62)),
    "pushing": ((6.0, 0.96), (-20.0, 0.89)),
    "pulling": ((17.0, 0.9), (-3.0, 0.98)),
    "swimming": ((-5.0, 0.98), (7.0, 0.95)),
    "straight": ((2.4, 1.0), (-2.6, 1.0)),
}


def _lies(appearance: Appearance) -> bool:
    return appearance.action != "swimming" and (
        appearance.pose == "lying" or (appearance.action == "sleeping" and appearance.pose is None)
    )


def _leg_pose(appearance: Appearance, gesture: Gesture) -> str:
    if appearance.action == "swimming":
        return "swimming"
    if _lies(appearance):
        return "straight"
    if appearance.pose == "sitting":
        return appearance.seat
    return appearance.action if appearance.action in LEGS else gesture.legs or "standing"


def _turned(point: XY, degrees: float, about: XY = (0.0, 0.0)) -> XY:
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    x, y = point[0] - about[0], point[1] - about[1]
    return about[0] + c * x - s * y, about[1] + s * x + c * y


def skeleton(appearance: Appearance) -> Skeleton:
    """Pose the bones of a person."""
    build = BUILDS.get(appearance.kind, ADULT)
    gesture = GESTURES[appearance.gesture or ACTION_GESTURES.get(appearance.action or "", "down")]
    legs = _leg_pose(appearance, gesture)
    upright = legs in LEGS and legs not in ("straight", "swimming")
    turn = 74.0 if appearance.action == "swimming" else -90.0 if legs == "straight" else 0.0
    lean = gesture.lean if upright or legs in ("chair", "astride") else 0.0
    hips = (0.0, build.hip - (9 if legs == "jumping" else 3 if legs == "running" else 0))
    rise = hips[1] - build.hip
    neck = _turned((0.0, build.shoulder - 3 + rise), lean, hips)
    head = _turned((0.6, build.head + 0.5 + rise), lean, hips)
    shoulders = [_turned((side * build.width * 0.8, build.shoulder + 1.5 + rise), lean, hips) for side in (1, -1)]
    arms = []
    for shoulder, (hx, hy) in zip(shoulders, (gesture.active, gesture.other), strict=True):
        from_face = gesture.near == "face" and (hx, hy) != GESTURES["down"].other
        base, reach = (head, build.head) if from_face else (shoulder, 2 * build.arm)
        hand = (base[0] + hx * reach, base[1] + hy * reach)
        bend = 1 if hx < -0.3 else -1
        arms.append(Limb(shoulder, *two_bones(shoulder, hand, build.arm, build.arm, bend)))
    bones = [_leg(legs, hips, build, side) for side in (0, 1)]
    return Skeleton(build, turn, lean, hips, neck, head, arms[0], arms[1], bones[0], bones[1])


def _leg(legs: str, hips: XY, build: Build, side: int) -> Limb:
    spread = build.width * 0.36 * (-1 if side else 1)
    length = 98 - build.hip
    root = (hips[0] + spread, hips[1] - 2)
    if legs == "chair":
        knee = (root[0] + length * 0.5, root[1] + 1.0)
        return Limb(root, knee, (knee[0] + 0.5, hips[1] + 24.5))
    if legs == "ground":
        foot = (root[0] + length * 0.95, hips[1] + 2.5)
        return Limb(root, (root[0] + length * 0.48, hips[1] - (7 if side else 2)), foot)
    if legs == "astride":
        knee = (root[0] * 0.4 + length * 0.34, root[1] + length * 0.36)
        return Limb(root, knee, (knee[0] - 4, min(knee[1] + length * 0.48, 95)))
    dx, dy = LEGS[legs][side]
    reach = length + 2
    foot = (root[0] * (0.3 if abs(dx) > 8 else 1.0) + dx * (length / 40), root[1] + dy * reach)
    return Limb(root, *two_bones(root, foot, reach * 0.5, reach * 0.5, 1))


def person_grid(appearance: Appearance) -> UnitGrid:
    """The units a person is drawn in: just what the pose and the gesture need, so that the box is nearly tight."""
    bones = skeleton(appearance)
    r, (hx, hy) = bones.build.head, bones.head
    points = [(hx + dx * r, hy + dy * r) for dx, dy in _HEADS.get(appearance.kind, _HEADS["man"])]
    pointing = 9.5 if appearance.gesture == "point" else 4.5
    for limb, around in ((bones.active, pointing), (bones.other, 4.5), (bones.near_leg, 5.5), (bones.far_leg, 5.5)):
        for x, y in limb:
            points += [(x - around, y), (x + around, y), (x, y - 4.5), (x, y + 4.5)]
    for leg in (bones.near_leg, bones.far_leg):
        points += [(leg.end[0] + 8.0, leg.end[1]), (leg.end[0], leg.end[1] + (7.5 if leg.end[0] < -8 else 4.5))]
    points.append((bones.hips[0], bones.hips[1] + 7))
    if appearance.action == "sleeping":
        rise = r * 1.5 + 16
        points.append((hx + rise, hy) if bones.turn else (hx + rise, hy - r))
    rotate = [_turned(point, bones.turn) for point in points]
    xs, ys = [x for x, _ in rotate], [y for _, y in rotate]
    return UnitGrid(min(xs), min(ys), max(xs), max(ys))


def person_anchors(appearance: Appearance) -> dict[str, XY]:
    """Where others attach to a person."""
    bones = skeleton(appearance)
    build, hips = bones.build, bones.hips

    def upper(x: float, y: float) -> XY:
        return _turned((x, y + hips[1] - build.hip), bones.lean, hips)

    spots = {
        "hand": bones.active.end,
        "other_hand": bones.other.end,
        "head": bones.head,
        "head_top": upper(0.6, 1.0),
        "face": upper(build.head * 0.3, build.head + 2),
        "mouth": upper(build.head * 0.35, build.head * 1.5),
        "neck": bones.neck,
        "chest": upper(0, build.shoulder + 10),
        "back": upper(-build.width, build.shoulder + 9),
        "seat": (hips[0] - 1, hips[1] + build.thick * 0.5 + 1),
        "feet": (
            (bones.near_leg.end[0] + bones.far_leg.end[0]) / 2,
            max(bones.near_leg.end[1], bones.far_leg.end[1]) + 2.5,
        ),
        "foot": (bones.near_leg.end[0] + 5, bones.near_leg.end[1]),
    }
    return {name: _turned(spot, bones.turn) for name, spot in spots.items()}


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
