"""The bones of a person: where the joints are for a pose, an action and a gesture."""

from __future__ import annotations

import math
from typing import NamedTuple

from falter.world.drawing.canvas import XY, two_bones
from falter.world.drawing.pen import Appearance, UnitGrid

__all__ = ["GESTURES", "Build", "Limb", "Skeleton", "person_anchors", "person_grid", "skeleton"]


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
