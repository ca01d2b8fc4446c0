"""Lines with bands over a few named places or over numbers, drawn as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from falter.reporting.svg import Drawing

__all__ = ["Axis", "Line", "Point", "line_chart"]

_WIDTH = 360.0
_HEIGHT = 236.0
_LEFT = 38.0
_RIGHT = 10.0
_TOP = 12.0
_BOTTOM = 36.0


class Point(NamedTuple):
    """A value at a place of the lower axis, with its band."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    title: str = ""


class Line(NamedTuple):
    """Points to be joined; ``css`` gives the colour, and ``sort`` how it is drawn: plain, control or printed."""

    name: str
    css: str
    points: Sequence[Point]
    sort: str = "plain"
    dots: bool = True


class Axis(NamedTuple):
    """An axis from ``low`` to ``high`` with its marks and what they say."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    label: str

    @staticmethod
    def around(values: Sequence[float], label: str, *, least: float = 10.0, zero: bool = False) -> Axis:
        """An axis of round numbers that holds all values."""
        known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        if zero:
            known.append(0.0)
        low, high = min(known), max(known)
        if zero and low == 0:
            high = max(high, least)
        elif high - low < least:
            middle = (low + high) / 2
            low, high = middle - least / 2, middle + least / 2
        step = next(one for one in (1, 2, 5, 10, 20, 25, 50, 100) if (high - low) / one <= 6)
        begin, end = math.floor(low / step) * step, math.ceil(high / step) * step
        ticks = [(float(place), f"{place:g}") for place in range(begin, end + 1, step)]
        return Axis(float(begin), float(end), ticks, label)

    @staticmethod
    def of_names(names: Sequence[str], label: str) -> Axis:
        """An axis with a place for each name."""
        ticks = [(float(place), name) for place, name in enumerate(names)]
        return Axis(-0.25, len(names) - 0.75, ticks, label)


def line_chart(label: str, lines: Sequence[Line], across: Axis, up: Axis) -> Markup:
    """One panel; what it shows is in its label too, value by value."""
    told = "; ".join(
        f"{line.name}: {', '.join(point.title or f'{point.y:g}' for point in line.points)}" for line in lines
    )
    drawing = Drawing(_WIDTH, _HEIGHT, label=f"{label}. {told}", css="chart lines")
    _axes(drawing, across, up)
    for line in lines:
        _band(drawing, line, across, up)
    for line in lines:
        places = [(_x(across, point.x), _y(up, point.y)) for point in line.points]
        path = "L".join(f"{x:.2f} {y:.2f}" for x, y in places)
        drawing.add("path", d=f"M{path}", class_=f"line {line.sort} {line.css}", title=line.name)
        if not line.dots:
            continue
        for point, (x, y) in zip(line.points, places, strict=True):
            title = f"{line.name}: {point.title}" if point.title else line.name
            drawing.add("circle", cx=x, cy=y, r=3.2, class_=f"dot {line.sort} {line.css}", title=title)
    return drawing.markup()


def _told(line: Line) -> str:
    return ", ".join(point.title for point in line.points if point.title)


def _axes(drawing: Drawing, across: Axis, up: Axis) -> None:
    bottom = _HEIGHT - _BOTTOM
    for value, name in up.ticks:
        y = _y(up, value)
        drawing.add("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, class_="zero-line" if value == 0 else "grid")
        drawing.add("text", name, x=_LEFT - 6, y=y + 4, class_="tick", text_anchor="end")
    for value, name in across.ticks:
        drawing.add("text", name, x=_x(across, value), y=bottom + 16, class_="tick", text_anchor="middle")
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    drawing.add("text", across.label, x=middle, y=_HEIGHT - 4, class_="axis-name", text_anchor="middle")
    if up.label:
        turn = f"rotate(-90 10 {(_TOP + bottom) / 2:.1f})"
        drawing.add(
            "text", up.label, x=10, y=(_TOP + bottom) / 2, class_="axis-name", text_anchor="middle", transform=turn
        )


def _band(drawing: Drawing, line: Line, across: Axis, up: Axis) -> None:
    known = [
        (_x(across, point.x), _y(up, point.low), _y(up, point.high))
        for point in line.points
        if point.low is not None and point.high is not None
    ]
    if len(known) < 2:
        return
    forth = "L".join(f"{x:.2f} {low:.2f}" for x, low, _ in known)
    back = "L".join(f"{x:.2f} {high:.2f}" for x, _, high in reversed(known))
    drawing.add("path", d=f"M{forth}L{back}Z", class_=f"spread {line.css}")


def _x(axis: Axis, value: float) -> float:
    share = (value - axis.low) / (axis.high - axis.low)
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _y(axis: Axis, value: float) -> float:
    share = min(max((value - axis.low) / (axis.high - axis.low), -0.02), 1.02)
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)
