"""Lines with bands over names or numbers, drawn as SVG."""

from __future__ import annotations

from markupsafe import Markup

from falter.reporting.figures import ChartAxis, ChartLine, LineChart
from falter.reporting.svg import Drawing, model_color

__all__ = ["draw_lines"]

_WIDTH = 360.0
_HEIGHT = 236.0
_LEFT = 38.0
_RIGHT = 14.0
_TOP = 12.0
_BOTTOM = 36.0
_STYLES = {"plain": "plain", "control": "control", "published": "printed", "function": "function"}


def draw_lines(chart: LineChart) -> Markup:
    """One chart; what it shows is in its label too, value by value."""
    described = "; ".join(
        f"{line.name}: {', '.join(point.title or f'{point.y:g}' for point in line.points)}" for line in chart.lines
    )
    drawing = Drawing(_WIDTH, _HEIGHT, label=f"{chart.title}. {described}", css="chart lines")
    _axes(drawing, chart.x, chart.y)
    for line in chart.lines:
        _band(drawing, line, chart)
    for line in chart.lines:
        positions = [(_x(chart.x, point.x), _y(chart.y, point.y)) for point in line.points]
        css = f"{_STYLES[line.style]} {model_color(line.model)}"
        if positions:
            path = "L".join(f"{x:.2f} {y:.2f}" for x, y in positions)
            drawing.add("path", d=f"M{path}", class_=f"line {css}", title=line.name)
        if not line.dots:
            continue
        for point, (x, y) in zip(line.points, positions, strict=True):
            title = f"{line.name}: {point.title}" if point.title else line.name
            drawing.add("circle", cx=x, cy=y, r=3.2, class_=f"dot {css}", title=title)
    return drawing.markup()


def _axes(drawing: Drawing, x_axis: ChartAxis, y_axis: ChartAxis) -> None:
    bottom = _HEIGHT - _BOTTOM
    for value, name in y_axis.ticks:
        y = _y(y_axis, value)
        drawing.add("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, class_="zero-line" if value == 0 else "grid")
        drawing.add("text", name, x=_LEFT - 6, y=y + 4, class_="tick", text_anchor="end")
    for value, name in x_axis.ticks:
        drawing.add("text", name, x=_x(x_axis, value), y=bottom + 16, class_="tick", text_anchor="middle")
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    drawing.add("text", x_axis.label, x=middle, y=_HEIGHT - 4, class_="axis-name", text_anchor="middle")
    if y_axis.label:
        turn = f"rotate(-90 10 {(_TOP + bottom) / 2:.1f})"
        drawing.add(
            "text", y_axis.label, x=10, y=(_TOP + bottom) / 2, class_="axis-name", text_anchor="middle", transform=turn
        )


def _band(drawing: Drawing, line: ChartLine, chart: LineChart) -> None:
    known = [
        (_x(chart.x, point.x), _y(chart.y, point.low), _y(chart.y, point.high))
        for point in line.points
        if point.low is not None and point.high is not None
    ]
    if len(known) < 2:
        return
    there = "L".join(f"{x:.2f} {low:.2f}" for x, low, _ in known)
    back = "L".join(f"{x:.2f} {high:.2f}" for x, _, high in reversed(known))
    drawing.add("path", d=f"M{there}L{back}Z", class_=f"spread {model_color(line.model)}")


def _x(axis: ChartAxis, value: float) -> float:
    share = (value - axis.low) / (axis.high - axis.low)
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _y(axis: ChartAxis, value: float) -> float:
    share = min(max((value - axis.low) / (axis.high - axis.low), -0.02), 1.02)
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)
