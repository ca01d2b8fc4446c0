"""Outlines as lists of points, in whatever units the painter thinks in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

__all__ = ["XY", "Shape", "arc", "capsule", "limb", "oval", "rect", "smooth", "spline", "two_bones", "with_holes"]

XY = tuple[float, float]
Shape = list[XY]


@cache
def _circle(steps: int) -> tuple[XY, ...]:
    return tuple((math.cos(2 * math.pi * i / steps), math.sin(2 * math.pi * i / steps)) for i in range(steps))


def oval(cx: float, cy: float, rx: float, ry: float | None = None, turn: float = 0.0) -> Shape:
    """An ellipse, turned clockwise by ``turn`` degrees."""
    ry = rx if ry is None else ry
    around = _circle(28)
    if not turn:
        return [(cx + rx * c, cy + ry * s) for c, s in around]
    ct, st = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return [(cx + rx * c * ct - ry * s * st, cy + rx * c * st + ry * s * ct) for c, s in around]


def arc(cx: float, cy: float, rx: float, ry: float, start: float, stop: float, steps: int = 14) -> Shape:
    """Points along an ellipse, by clockwise degrees from three o'clock."""
    angles = (math.radians(start + (stop - start) * i / steps) for i in range(steps + 1))
    return [(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in angles]


def rect(x0: float, y0: float, x1: float, y1: float, r: float = 0.0) -> Shape:
    """A rectangle, with corners rounded by ``r``."""
    if not r:
        return [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    r = min(r, (x1 - x0) / 2, (y1 - y0) / 2)
    corners = ((x0 + r, y0 + r, 180), (x1 - r, y0 + r, 270), (x1 - r, y1 - r, 0), (x0 + r, y1 - r, 90))
    return [p for cx, cy, at in corners for p in arc(cx, cy, r, r, at, at + 90, 5)]


def _between(p0: XY, p1: XY, p2: XY, p3: XY, steps: int) -> Shape:
    points = []
    for i in range(steps):
        t = i / steps
        a, b, c = 0.5 * (-(t**3) + 2 * t * t - t), 0.5 * (3 * t**3 - 5 * t * t + 2), 0.5 * (-3 * t**3 + 4 * t * t + t)
        d = 0.5 * (t**3 - t * t)
        points.append(
            (a * p0[0] + b * p1[0] + c * p2[0] + d * p3[0], a * p0[1] + b * p1[1] + c * p2[1] + d * p3[1]),
        )
    return points


def smooth(*points: XY, steps: int = 5) -> Shape:
    """A closed curve through the points."""
    n = len(points)
    quads = ((points[i - 1], points[i], points[(i + 1) % n], points[(i + 2) % n]) for i in range(n))
    return [p for quad in quads for p in _between(*quad, steps)]


def spline(*points: XY, steps: int = 6) -> Shape:
    """An open curve through the points."""
    ends = [points[0], *points, points[-1]]
    curve = [p for i in range(len(points) - 1) for p in _between(ends[i], ends[i + 1], ends[i + 2], ends[i + 3], steps)]
    return [*curve, points[-1]]


def capsule(a: XY, b: XY, wa: float, wb: float | None = None) -> Shape:
    """A round-capped stroke from ``a`` to ``b``, of width ``wa`` there and ``wb`` here."""
    ra, rb = wa / 2, (wa if wb is None else wb) / 2
    at = math.degrees(math.atan2(b[1] - a[1], b[0] - a[0]))
    return arc(*a, ra, ra, at + 90, at + 270, 7) + arc(*b, rb, rb, at - 90, at + 90, 7)


def with_holes(outer: Shape, *holes: Shape) -> Shape:
    """A closed shape with holes: each is joined to the outline by a cut of no width."""
    shape = list(outer)
    for hole in holes:
        hx, hy = hole[0]
        near = min(range(len(shape)), key=lambda i: (shape[i][0] - hx) ** 2 + (shape[i][1] - hy) ** 2)
        shape = [*shape[: near + 1], *hole, hole[0], *shape[near:]]
    return shape


def limb(points: Sequence[XY], width: float, end: float | None = None) -> list[Shape]:
    """A round-jointed stroke along the points, tapering from ``width`` to ``end``: one shape a segment."""
    end = width if end is None else end
    n = len(points) - 1
    widths = [width + (end - width) * i / n for i in range(n + 1)]
    return [capsule(points[i], points[i + 1], widths[i], widths[i + 1]) for i in range(n)]


def two_bones(start: XY, end: XY, upper: float, lower: float, bend: float) -> tuple[XY, XY]:
    """Return the joint (elbow, knee) and the reached end of a two-bone limb; ``bend`` is the side the joint goes to."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    far = max(math.hypot(dx, dy), 1e-6)
    reach = min(far, (upper + lower) * 0.999)
    ux, uy = dx / far, dy / far
    along = (upper**2 - lower**2 + reach**2) / (2 * reach)
    out = math.sqrt(max(upper**2 - along**2, 0.0)) * (1 if bend > 0 else -1)
    joint = (start[0] + ux * along + uy * out, start[1] + uy * along - ux * out)
    return joint, (start[0] + ux * reach, start[1] + uy * reach)
