"""Men, women, boys and girls."""

from __future__ import annotations

import random

from falter.generation.scene import Box
from falter.world.drawing.body import GESTURES, Limb, Skeleton, person_anchors, person_grid, skeleton
from falter.world.drawing.canvas import XY, arc, capsule, limb, oval, smooth, spline
from falter.world.drawing.palette import COLORS, Color, color_for, darker, lighter, mix
from falter.world.drawing.pen import ANY_COLOR, INK, Appearance, Pen, drawable

PEOPLE = ("man", "woman", "boy", "girl")
SKINS: tuple[Color, ...] = ((248, 208, 176), (234, 184, 142), (206, 146, 104), (150, 98, 64), (112, 72, 48))
HAIRS: tuple[Color, ...] = ((58, 40, 28), (34, 28, 28), (110, 68, 34), (214, 168, 84), (158, 74, 34))
POSES = ("standing", "sitting", "lying")
ACTIONS = (
    "walking",
    "running",
    "jumping",
    "sleeping",
    "eating",
    "drinking",
    "waving",
    "dancing",
    "swimming",
    "reading",
)


class _Person:
    """What of a person follows from the seed and the clothes asked for."""

    def __init__(self, appearance: Appearance) -> None:
        rng = random.Random(appearance.seed * 31 + 7)
        self.skin = SKINS[rng.randrange(len(SKINS))]
        darks = HAIRS[:2] if sum(self.skin) < 360 else HAIRS
        self.hair = darks[rng.randrange(len(darks))]
        self.beard = rng.choice(("beard", "moustache"))
        self.shirt = color_for(appearance.shirt, rng.choice(("red", "blue", "green", "purple", "orange", "white")))
        self.pants = color_for(appearance.pants, rng.choice(("blue", "black", "brown", "gray")))
        if appearance.bare_legs:
            self.pants = self.skin
        self.asleep = appearance.action == "sleeping"


def _whole(pen: Pen, bones: Skeleton) -> Pen:
    return pen.rotate(bones.turn) if bones.turn else pen


def _leg(pen: Pen, who: _Person, leg: Limb, bones: Skeleton, far: bool) -> None:
    cloth = darker(who.pants, 0.16) if far else who.pants
    thick = bones.build.thick + 0.6
    (jx, jy), (ex, ey) = leg.joint, leg.end
    dx, dy = ex - jx, ey - jy
    far_off = max((dx * dx + dy * dy) ** 0.5, 1.0)
    ux, uy = dx / far_off, dy / far_off
    # The foot stands square to the shin, toes forward.
    toe = (ex + uy * 5.6, ey - ux * 5.6 + 0.6)
    heel = (ex - uy * 1.2, ey + ux * 1.2 + 0.6)
    pen.fill((62, 48, 44), capsule(heel, toe, 5.2, 4.4))
    if pen.appearance.kind == "boy" and not pen.appearance.bare_legs:
        bare = mix(who.skin, (0, 0, 0), 0.1 if far else 0.0)
        pen.fill(bare, *limb([leg.joint, leg.end], thick * 0.68, thick * 0.6))
        cuff = (jx + dx * 0.22, jy + dy * 0.22)
        pen.fill(cloth, *limb([leg.root, leg.joint, cuff], thick + 0.6, thick + 0.9))
        return
    ankle = (ex - ux * 1.0, ey - uy * 1.0)
    pen.fill(cloth, *limb([leg.root, leg.joint, ankle], thick, thick * 0.74))


def _arm(pen: Pen, who: _Person, arm: Limb, bones: Skeleton, far: bool, pointing: bool = False) -> None:
    thick = bones.build.thick * 0.8
    skin = mix(who.skin, (0, 0, 0), 0.08 if far else 0.0)
    cloth = darker(who.shirt, 0.14) if far else who.shirt
    (jx, jy), (ex, ey) = arm.joint, arm.end
    shapes = [*limb([arm.joint, arm.end], thick * 0.74, thick * 0.62), oval(ex, ey, thick * 0.54)]
    if pointing:
        dx, dy = ex - jx, ey - jy
        far_off = (dx * dx + dy * dy) ** 0.5
        shapes.append(capsule(arm.end, (ex + dx / far_off * 6, ey + dy / far_off * 6), thick * 0.42, thick * 0.34))
    pen.fill(skin, *shapes)
    share = 0.85 if pen.appearance.kind == "man" else 0.15
    cuff = (jx + (ex - jx) * share, jy + (ey - jy) * share)
    pen.fill(cloth, *limb([arm.root, arm.joint, cuff], thick, thick * 0.86))


def _torso(pen: Pen, who: _Person, bones: Skeleton) -> None:
    build, (hx, hy) = bones.build, bones.hips
    upper = pen.rotate(bones.lean, bones.hips)
    top = build.shoulder - 1 + hy - build.hip
    w, female = build.width, pen.appearance.kind in ("woman", "girl")
    # The seat of the trousers joins the legs to the trunk.
    pen.fill(who.pants, oval(hx, hy - 1.5, w * 0.86, 5.6))
    upper.fill(who.skin, capsule((0, top - 4), (0, top + 2), build.thick * 0.8))
    waist, hem = (0.66, 1.12) if female else (0.94, 0.92)
    low = hy + (2.0 if female else 0.0)
    middle = top + (hy - top) * 0.58
    upper.fill(
        who.shirt,
        smooth(
            (-w * 0.5, top - 0.4), (w * 0.5, top - 0.4), (w * 1.0, top + 3.2), (w * waist, middle),
            (w * hem, low), (0, low + 1.2), (-w * hem, low), (-w * waist, middle), (-w * 1.0, top + 3.2),
            steps=4,
        ),
    )  # fmt: skip
    if female:
        upper.flat(who.skin, smooth((-3.4, top - 0.6), (3.4, top - 0.6), (0, top + 4.6)))
    elif pen.appearance.kind == "man":
        edge = darker(who.shirt, 0.4)
        upper.flat(lighter(who.shirt, 0.5), [(-3.6, top - 0.8), (3.6, top - 0.8), (0, top + 4.4)])
        upper.stroke([(0, top + 4.4), (0, low - 1)], edge, 0.8)


def _long_hair(head: Pen, who: _Person) -> None:
    if head.appearance.kind == "woman":
        head.fill(
            who.hair,
            smooth(
                (-0.3, -1.08),
                (0.7, -0.9),
                (1.02, -0.1),
                (0.86, 0.9),
                (0.7, 1.75),
                (-0.2, 1.9),
                (-1.3, 1.75),
                (-1.22, 0.4),
                (-1.0, -0.6),
            ),
        )
    elif head.appearance.kind == "girl":
        for side in (-1, 1):
            head.fill(
                who.hair,
                smooth(
                    (side * 0.85, 0.0), (side * 1.35, -0.15), (side * 1.62, 0.5), (side * 1.42, 1.3), (side * 1.08, 0.7)
                ),
            )


def _hair(head: Pen, who: _Person) -> None:
    kind = head.appearance.kind
    if kind == "man":
        head.fill(
            who.hair,
            smooth(
                (-1.06, 0.25),
                (-1.04, -0.5),
                (-0.5, -1.08),
                (0.4, -1.1),
                (0.98, -0.55),
                (0.7, -0.5),
                (0.1, -0.62),
                (-0.62, -0.38),
                (-0.8, 0.2),
            ),
        )
    elif kind == "boy":
        tufts = [
            (-1.05, 0.1),
            (-1.1, -0.5),
            (-0.8, -0.95),
            (-0.5, -1.02),
            (-0.2, -1.22),
            (0.05, -1.06),
            (0.4, -1.2),
            (0.6, -0.98),
        ]
        head.fill(
            who.hair,
            [
                *tufts,
                (1.0, -0.86),
                (1.0, -0.4),
                (0.6, -0.58),
                (0.3, -0.4),
                (0.0, -0.6),
                (-0.4, -0.36),
                (-0.72, -0.3),
                (-0.8, 0.1),
            ],
        )
    else:
        head.fill(
            who.hair,
            smooth(
                (-1.08, 0.35),
                (-1.06, -0.5),
                (-0.5, -1.1),
                (0.45, -1.1),
                (1.02, -0.45),
                (0.98, 0.1),
                (0.75, -0.3),
                (0.35, -0.62),
                (-0.2, -0.4),
                (-0.75, -0.15),
                (-0.86, 0.4),
            ),
        )
        if kind == "girl":
            for side in (-1, 1):
                head.fill(COLORS["red"], oval(side * 0.98, 0.0, 0.2, 0.24))


def _mouth(head: Pen, x: float, lips: Color) -> None:
    mood = head.appearance.mood
    if mood == "happy":
        smile = arc(x, 0.36, 0.36, 0.34, 10, 170)
        head.fill((150, 34, 40), smile, edge=(92, 20, 26), line=0.6)
        head.flat((255, 255, 255), [(x - 0.3, 0.42), (x + 0.3, 0.42), (x + 0.24, 0.52), (x - 0.24, 0.52)])
    elif mood == "sad":
        head.stroke(arc(x, 0.82, 0.34, 0.32, 200, 340), lips, 0.13)
        head.fill(
            (120, 190, 245), smooth((x + 0.34, 0.12), (x + 0.46, 0.34), (x + 0.34, 0.44), (x + 0.22, 0.34)), line=0.5
        )
    else:
        head.stroke(arc(x, 0.36, 0.28, 0.2, 35, 145), lips, 0.12)


def _face(head: Pen, who: _Person) -> None:
    kind, x = head.appearance.kind, 0.26
    beard = who.beard if kind == "man" else ""
    if beard == "beard":
        head.fill(
            who.hair,
            smooth(
                (-0.62, 0.1),
                (-0.5, 0.5),
                (0.2, 0.3),
                (0.86, 0.44),
                (0.94, 0.16),
                (0.9, 0.7),
                (0.4, 1.16),
                (-0.2, 1.08),
                (-0.68, 0.62),
            ),
        )
        head.flat(who.skin, oval(x, 0.56, 0.36, 0.26))
    tilt = 0.1 if head.appearance.mood == "sad" else 0.0
    for ex, way in ((x - 0.36, 1), (x + 0.4, -1)):
        head.eye(ex, -0.06, 0.13, closed=who.asleep)
        if not who.asleep:
            head.stroke([(ex - 0.18, -0.36 + tilt * way), (ex + 0.18, -0.36 - tilt * way)], darker(who.hair, 0.2), 0.09)
        if kind in ("woman", "girl"):
            out = -1 if way > 0 else 1
            head.stroke([(ex + out * 0.08, -0.14), (ex + out * 0.27, -0.25)], INK, 0.08)
    head.stroke(spline((x + 0.06, 0.02), (x + 0.2, 0.22), (x + 0.02, 0.26)), darker(who.skin, 0.32), 0.09)
    if beard == "moustache":
        head.fill(who.hair, smooth((x - 0.46, 0.46), (x, 0.27), (x + 0.46, 0.46), (x, 0.42)), line=0.5)
    lips = (176, 40, 60) if kind in ("woman", "girl") else (110, 44, 40)
    _mouth(head, x, lips)
    head.flat((*mix(who.skin, (230, 70, 70), 0.5), 90), oval(x - 0.62, 0.3, 0.17), oval(x + 0.6, 0.3, 0.13))


def draw_arms(pen: Pen) -> None:
    """Draw the arm that belongs in front of the body (again, over clothes put on)."""
    bones = skeleton(pen.appearance)
    _arm(
        _whole(pen, bones),
        _Person(pen.appearance),
        bones.active,
        bones,
        far=False,
        pointing=pen.appearance.gesture == "point",
    )


def draw_person(pen: Pen) -> None:
    """Draw a person, from the far limbs to the near arm."""
    bones, who = skeleton(pen.appearance), _Person(pen.appearance)
    body = _whole(pen, bones)
    head = body.rotate(bones.lean, bones.head).translate(*bones.head, bones.build.head)
    _long_hair(head, who)
    _arm(body, who, bones.other, bones, far=True)
    _leg(body, who, bones.far_leg, bones, far=True)
    _leg(body, who, bones.near_leg, bones, far=False)
    _torso(body, who, bones)
    head.fill(who.skin, oval(0, 0, 1.0), oval(-0.72, 0.1, 0.2))
    _hair(head, who)
    _face(head, who)
    draw_arms(pen)
    if who.asleep:
        spot: XY = (
            (bones.head[0] + bones.build.head * 1.5, bones.head[1] + 4) if bones.turn else (bones.build.head * 1.5, 0)
        )
        body.sleep_signs(*spot, 11)


# Units are hundredths of the standing person: an adult man is 1.0 high.
for _kind, _unit in (("man", 0.01), ("woman", 0.0096), ("boy", 0.0071), ("girl", 0.0069)):
    _grid = person_grid(Appearance(kind=_kind, box=Box(0, 0, 1, 1)))
    drawable(
        _kind,
        _unit * (_grid.y1 - _grid.y0),
        person_grid,
        anchors=person_anchors,
        shirt=ANY_COLOR,
        pants=ANY_COLOR,
        mood=("happy", "sad"),
        pose=POSES,
        action=ACTIONS,
        gesture=tuple(GESTURES),
    )(draw_person)
