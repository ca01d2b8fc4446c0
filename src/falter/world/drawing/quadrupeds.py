"""The build of four-legged animals: how body, legs, neck and head move with pose and action."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from falter.world.drawing.canvas import XY, Shape, capsule, limb, oval
from falter.world.drawing.palette import Color, darker
from falter.world.drawing.pen import Appearance, Paint, Pen, UnitGrid, drawable

# Feet of the near hind, near fore, far hind and far fore leg: forward, and up, as shares of the leg.
STRIDES: dict[str, tuple[XY, XY, XY, XY]] = {
    "standing": ((0.0, 0.0), (0.0, 0.0), (0.16, 0.0), (0.16, 0.0)),
    "walking": ((-0.3, 0.0), (0.34, 0.04), (0.3, 0.02), (-0.26, 0.0)),
    "running": ((-0.62, 0.16), (0.66, 0.2), (-0.3, 0.12), (0.34, 0.3)),
    "jumping": ((-0.7, 0.12), (0.7, 0.34), (-0.5, 0.06), (0.5, 0.42)),
}


class Quadruped(NamedTuple):
    """An animal facing right, in its own units.

    ``trunk`` are the shapes of the body; ``hind`` and ``fore`` where its legs begin; ``foot`` the ground;
    ``neck`` runs from the body to the head with two widths; ``low`` is where the head goes to eat or drink.
    ``skull`` are the head's shapes about its middle; ``face`` draws what is on it.
    """

    grid: tuple[float, float]
    default: str | Color
    trunk: tuple[Shape, ...]
    back: XY
    hind: XY
    fore: XY
    foot: float
    leg: tuple[float, float]
    neck: tuple[XY, XY, float, float]
    low: XY
    skull: tuple[Shape, ...]
    face: Callable[[Pen, Color, bool], None]
    muzzle: XY
    crown: XY
    tail: Callable[[Pen, Color], None]
    coat: str | None = None
    leg_coat: str | None = None
    shins: Color | None = None
    hoof: Color | None = None
    extra: Callable[[Pen, Color], None] | None = None
    behind: Callable[[Pen, Color], None] | None = None


class _Posture(NamedTuple):
    """How an animal holds itself: how far the body is lowered, tilted, and where the head is."""

    way: str
    drop: float
    tilt: float
    head: XY
    nod: float


def _posture(quadruped: Quadruped, appearance: Appearance) -> _Posture:
    asleep = appearance.action == "sleeping"
    way = (
        "lying"
        if appearance.pose == "lying" or (asleep and appearance.pose is None)
        else "sitting"
        if appearance.pose == "sitting"
        else ""
    )
    head, nod, drop, tilt = quadruped.neck[1], 0.0, 0.0, 0.0
    reach = quadruped.foot - quadruped.hind[1]
    if way == "lying":
        drop = quadruped.foot - max(y for shape in quadruped.trunk for _, y in shape) - quadruped.leg[1] * 0.45
        if asleep:
            head, nod = (head[0], head[1] + (quadruped.fore[1] - head[1]) * 0.55), 12.0
    elif appearance.action in ("eating", "drinking") and not way:
        head, nod = quadruped.low, 34.0
    elif appearance.action in ("running", "jumping"):
        tilt = -12.0 if appearance.action == "jumping" else 0.0
        drop = -reach * (0.2 if appearance.action == "jumping" else 0.08)
    if way == "sitting":
        head = (head[0] - quadruped.grid[0] * 0.12, head[1] - quadruped.grid[1] * 0.02)
    return _Posture(way or (appearance.action if appearance.action in STRIDES else "standing"), drop, tilt, head, nod)


def _shifted(shape: Shape, to: XY, nod: float) -> Shape:
    if not nod:
        return [(x + to[0], y + to[1]) for x, y in shape]
    c, s = math.cos(math.radians(nod)), math.sin(math.radians(nod))
    return [(c * x - s * y + to[0], s * x + c * y + to[1]) for x, y in shape]


def _feet(quadruped: Quadruped, posture: _Posture, far: bool) -> list[tuple[XY, XY]]:
    """Where the hind and the fore leg of one side begin and end."""
    reach = quadruped.foot - quadruped.hind[1]
    base = quadruped.foot - quadruped.leg[1] / 2 + (posture.drop * 0.6 if posture.tilt else 0)
    strides = STRIDES[posture.way][2:] if far else STRIDES[posture.way][:2]
    return [
        ((x + (2 if far else 0), y + posture.drop), (x + dx * reach, base - up * reach))
        for (x, y), (dx, up) in zip((quadruped.hind, quadruped.fore), strides, strict=True)
    ]


def _legs(quadruped: Quadruped, feet: list[tuple[XY, XY]]) -> list[Shape]:
    shapes: list[Shape] = []
    for root, foot in feet:
        fold = -1.5 if foot[0] < root[0] - 2 else 1.2
        knee = ((root[0] + foot[0]) / 2 + fold, (root[1] + foot[1]) / 2)
        shapes += limb([root, knee, foot], *quadruped.leg)
    return shapes


def _hooves(pen: Pen, quadruped: Quadruped, feet: list[tuple[XY, XY]]) -> None:
    if quadruped.hoof is None:
        return
    wide = quadruped.leg[1]
    for _, (x, y) in feet:
        pen.fill(quadruped.hoof, capsule((x - 0.4, y), (x + 1.4, y + wide * 0.12), wide, wide * 0.96), line=0.7)


def _folded(pen: Pen, quadruped: Quadruped, paint: Paint) -> None:
    """Legs tucked under a lying body."""
    tone = quadruped.shins or paint.color
    y = quadruped.foot - quadruped.leg[1] * 0.55
    for (x, _), far in ((quadruped.hind, 0.1), (quadruped.fore, 0.0)):
        pen.fill(darker(tone, far), capsule((x - 2, y), (x + quadruped.leg[0] * 1.9, y), quadruped.leg[1] * 1.1))


def _sitting(pen: Pen, quadruped: Quadruped, paint: Paint, head: XY, skull: list[Shape]) -> None:
    """A body upright on its haunches, the forelegs straight."""
    thick = quadruped.leg[0]
    girth = (quadruped.foot - quadruped.hind[1]) * 0.15 + thick * 1.05
    chest = (quadruped.fore[0] - quadruped.grid[0] * 0.12, quadruped.fore[1] - 2)
    rump = (quadruped.hind[0] + girth * 0.6, quadruped.foot - girth * 0.95)
    quadruped.tail(
        pen.translate(rump[0] - quadruped.hind[0] - girth * 0.2, rump[1] - quadruped.hind[1] + girth * 0.3), paint.color
    )
    foot = (chest[0] + 3, quadruped.foot - quadruped.leg[1] / 2)
    pen.fill(
        darker(paint.color, 0.16), *limb([(chest[0] + 4, chest[1]), (foot[0] + 7, foot[1])], thick, quadruped.leg[1])
    )
    pen.fill(
        paint,
        capsule(rump, chest, girth * 2, girth * 1.5),
        capsule(chest, head, girth * 1.3, quadruped.neck[3]),
        *skull,
    )
    pen.fill(paint, *limb([chest, foot, (foot[0] + 3, foot[1])], thick * 1.1, quadruped.leg[1]))
    pen.fill(
        paint,
        oval(rump[0] + 2, rump[1] + girth * 0.12, girth * 0.82),
        capsule((rump[0], foot[1]), (rump[0] + girth * 1.2, foot[1]), quadruped.leg[1]),
    )
    pen.flat(paint.color, oval(rump[0] + 1, rump[1] - girth * 0.1, girth * 0.8))


def _draw(pen: Pen, quadruped: Quadruped) -> None:
    posture = _posture(quadruped, pen.appearance)
    color = pen.color(quadruped.default)
    paint = Paint(color, quadruped.coat)
    asleep = pen.appearance.action == "sleeping"
    if posture.tilt:
        pen = pen.rotate(posture.tilt, quadruped.hind)
    body = pen.translate(0, posture.drop) if posture.drop else pen
    lifted = (posture.head[0], posture.head[1] + posture.drop)
    if quadruped.behind is not None and posture.way != "sitting":
        quadruped.behind(body, color)
    skull = [_shifted(shape, lifted, posture.nod) for shape in quadruped.skull]
    if posture.way == "sitting":
        _sitting(pen, quadruped, paint, lifted, skull)
    else:
        base, _, w0, w1 = quadruped.neck
        neck = capsule((base[0], base[1] + posture.drop), lifted, w0, w1)
        trunk = [[(x, y + posture.drop) for x, y in shape] for shape in quadruped.trunk]
        if posture.way == "lying":
            _folded(pen, quadruped, paint)
            quadruped.tail(_low(pen, quadruped, posture.drop), color)
            pen.fill(paint, *trunk, neck, *skull)
        else:
            _standing(pen, body, quadruped, posture, [*trunk, neck, *skull])
        if quadruped.extra is not None:
            quadruped.extra(body, color)
    face = pen.translate(*lifted)
    if posture.nod:
        face = face.rotate(posture.nod)
    quadruped.face(face, color, asleep)
    if asleep:
        pen.sleep_signs(
            min(lifted[0], quadruped.grid[0] - 14),
            max(lifted[1] + quadruped.crown[1] - quadruped.grid[1] * 0.12, 14),
            quadruped.grid[1] * 0.13,
        )


def _low(pen: Pen, quadruped: Quadruped, drop: float) -> Pen:
    """A pen for the tail of a lying animal, shortened so that it ends on the ground."""
    share = (quadruped.foot - quadruped.hind[1] - drop) / (quadruped.foot - quadruped.hind[1])
    return pen.translate(0, drop + quadruped.hind[1] * (1 - share), 1.0, share)


def _standing(pen: Pen, body: Pen, quadruped: Quadruped, posture: _Posture, shapes: list[Shape]) -> None:
    """A body on its legs: the far legs, the tail, the near legs with the body over them."""
    color = pen.color(quadruped.default)
    shin = Paint(quadruped.shins or color, quadruped.leg_coat)
    far, near = _feet(quadruped, posture, far=True), _feet(quadruped, posture, far=False)
    pen.fill(Paint(darker(shin.color, 0.18), shin.surface), *_legs(quadruped, far))
    _hooves(pen, quadruped, far)
    quadruped.tail(body, color)
    if quadruped.shins or quadruped.leg_coat:
        pen.fill(shin, *_legs(quadruped, near))
        pen.fill(Paint(color, quadruped.coat), *shapes)
    else:
        # In one silhouette, so that no line parts the legs from the body.
        pen.fill(Paint(color, quadruped.coat), *_legs(quadruped, near), *shapes)
    _hooves(pen, quadruped, near)


def _anchors(quadruped: Quadruped) -> Callable[[Appearance], dict[str, XY]]:
    def anchors(appearance: Appearance) -> dict[str, XY]:
        posture = _posture(quadruped, appearance)
        head = (posture.head[0], posture.head[1] + posture.drop)
        mouth = _shifted([quadruped.muzzle], head, posture.nod)[0]
        crown = _shifted([quadruped.crown], head, posture.nod)[0]
        base = quadruped.neck[0]
        middle = ((base[0] + head[0]) / 2, (base[1] + posture.drop + head[1]) / 2)
        spots = {
            "head": head,
            "head_top": crown,
            "mouth": mouth,
            "face": head,
            "neck": middle,
            "back": (quadruped.back[0], quadruped.back[1] + posture.drop),
            "feet": ((quadruped.hind[0] + quadruped.fore[0]) / 2, quadruped.foot),
        }
        hx, hy = quadruped.hind
        return {name: _shifted([(x - hx, y - hy)], quadruped.hind, posture.tilt)[0] for name, (x, y) in spots.items()}

    return anchors


def quadruped(
    kind: str,
    height: float,
    build: Quadruped,
    *,
    color: Sequence[str] = (),
    pose: tuple[str, ...] = ("standing", "lying"),
    action: tuple[str, ...] = ("walking", "running", "jumping", "sleeping", "eating", "drinking"),
) -> None:
    """Register a four-legged animal."""
    attributes = {"color": tuple(color)} if color else {}
    w, h = build.grid

    def grid(appearance: Appearance) -> UnitGrid:
        # Stretched legs and a raised head need room that a standing animal leaves empty.
        if appearance.action == "jumping":
            return UnitGrid(-0.12 * w, -0.2 * h, 1.12 * w, h)
        return UnitGrid(-0.18 * w, -0.05 * h, 1.12 * w, h) if appearance.action == "running" else UnitGrid(0, 0, w, h)

    drawable(kind, height, grid, "ground", _anchors(build), pose=pose, action=action, **attributes)(
        lambda pen: _draw(pen, build)
    )
