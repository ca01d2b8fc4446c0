"""Columns of several series side by side, one group per name: how often each occurs."""

from __future__ import annotations

from markupsafe import Markup

from falter.reporting.figures import ChartAxis, ColumnChart
from falter.reporting.svg import Drawing, model_color, percent, shorten

__all__ = ["draw_columns"]

_WIDTH = 470.0
_LEFT = 34.0
_TOP = 10.0
_HEIGHT = 104.0
_LETTER = 4.6
"""How far a letter of a slanted name reaches down."""
_WIDEST = 34.0
"""A group of columns is at most so wide, so that two names do not look like a wall."""
_LETTERS = 12


def draw_columns(chart: ColumnChart) -> Markup:
    """One chart; what it shows is in its label too, name by name."""
    described = "; ".join(
        f"{name} {', '.join(f'{one.name} {percent(one.values[number])}' for one in chart.series)}"
        for number, name in enumerate(chart.names)
    )
    below = 18.0 + _LETTER * max((len(shorten(name, _LETTERS)) for name in chart.names), default=0)
    drawing = Drawing(_WIDTH, _TOP + _HEIGHT + below, label=f"{chart.title}: {described}", css="chart columns")
    highest = max((100 * value for one in chart.series for value in one.values), default=0.0)
    axis = ChartAxis.around([highest], "", least=2.0, zero=True)
    bottom = _TOP + _HEIGHT

    def y(share: float) -> float:
        return bottom - share / axis.high * _HEIGHT

    for tick, text in axis.ticks[:: 2 if len(axis.ticks) > 5 else 1]:
        drawing.add("line", x1=_LEFT, x2=_WIDTH, y1=y(tick), y2=y(tick), class_="grid")
        drawing.add("text", f"{text} %" if tick else "0", x=_LEFT - 4, y=y(tick) + 4, class_="tick", text_anchor="end")
    room = (_WIDTH - _LEFT) / max(len(chart.names), 1)
    group = min(room * 0.8, _WIDEST)
    thick = group / max(len(chart.series), 1)
    for number, name in enumerate(chart.names):
        middle = _LEFT + room * (number + 0.5)
        for index, one in enumerate(chart.series):
            share = 100 * one.values[number]
            drawing.add(
                "rect",
                x=middle - group / 2 + index * thick,
                y=y(share),
                width=thick,
                height=bottom - y(share),
                class_=f"column {model_color(index)}",
                title=f"{name}: {one.name} {percent(one.values[number])} %",
            )
        drawing.add(
            "text",
            shorten(name, _LETTERS),
            x=middle + 4,
            y=bottom + 11,
            class_="tick",
            text_anchor="end",
            transform=f"rotate(-50 {middle + 4:.1f} {bottom + 11:.1f})",
            title=name,
        )
    return drawing.markup()
