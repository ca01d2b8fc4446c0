"""Arrow charts drawn as SVG: the drop from ACC to C-ACC, and consistency against chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from falter.evaluation.reporting.charts import ArrowChart, ArrowRow, HumanLevel
from falter.evaluation.reporting.svg_charts import (
    Drawing,
    format_estimate,
    known_value,
    model_color,
    percent,
    shorten,
)

if TYPE_CHECKING:
    from falter.evaluation.measures import Estimate

_WIDTH = 340.0
_LEFT = 8.0
_RIGHT = 112.0
"""The figures stand right of the drawing, where no line crosses them."""
_ROW = 40.0
_TOP = 22.0
_NAME_LETTERS = 30
_TIP = 9.0


def _x(share: float) -> float:
    return _LEFT + min(max(share, 0.0), 1.0) * (_WIDTH - _LEFT - _RIGHT)


def _frame(chart: ArrowChart, described: str) -> Drawing:
    height = _TOP + _ROW * len(chart.rows) + 22
    drawing = Drawing(_WIDTH, height, label=f"{chart.group.test}. {described}", css="chart")
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        bottom = height - 18
        drawing.add("line", x1=_x(tick), x2=_x(tick), y1=_TOP - 6, y2=bottom, class_="grid")
        anchor = "start" if tick == 0 else "end" if tick == 1 else "middle"
        drawing.add("text", f"{tick * 100:.0f}", x=_x(tick), y=height - 4, class_="tick", text_anchor=anchor)
    return drawing


def _whisker(drawing: Drawing, estimate: Estimate, y: float, css: str) -> None:
    if estimate.low is None or estimate.high is None:
        return
    low, high = _x(estimate.low), _x(estimate.high)
    drawing.add("line", x1=low, x2=high, y1=y, y2=y, class_=f"whisker {css}")
    for x in (low, high):
        drawing.add("line", x1=x, x2=x, y1=y - 3, y2=y + 3, class_=f"whisker {css}")


def _head(drawing: Drawing, row: ArrowRow, y: float, figures: str) -> None:
    drawing.add("text", shorten(row.name, _NAME_LETTERS), x=_LEFT, y=y + 14.5, class_="name", title=row.name)
    drawing.add("text", figures, x=_WIDTH - 4, y=y + 30, class_="figures", text_anchor="end")
    drawing.add("line", x1=_x(0), x2=_x(1), y1=y + 26, y2=y + 26, class_="track")


def _human_mark(drawing: Drawing, level: HumanLevel, bottom: float) -> None:
    marks = [value for value in (level.c_acc, level.acc) if value is not None]
    if not marks:
        return
    low, high = _x(min(marks)), _x(max(marks))
    drawing.add(
        "rect",
        x=low - 1,
        y=_TOP - 6,
        width=max(high - low, 0) + 2,
        height=bottom - _TOP + 6,
        class_="human",
        title=f"{level.name}: {' and '.join(percent(value) for value in marks)}",
    )
    middle = (low + high) / 2
    anchor = "end" if middle > _WIDTH - 30 else "start" if middle < 60 else "middle"
    drawing.add("text", level.name, x=min(max(middle, low), high), y=_TOP - 10, class_="human-name", text_anchor=anchor)


def draw_drop(chart: ArrowChart) -> Markup:
    """One chart: for every model an arrow from ACC down to C-ACC, with both intervals, and the human level in gray."""
    described = "; ".join(
        f"{row.name}: ACC {format_estimate(row.start)}, C-ACC {format_estimate(row.end)}" for row in chart.rows
    )
    drawing = _frame(chart, described)
    if chart.human is not None:
        _human_mark(drawing, chart.human, drawing.height - 18)
    for number, row in enumerate(chart.rows):
        y = _TOP + number * _ROW
        figures = " → ".join("–" if end is None else percent(known_value(end)) for end in (row.start, row.end))
        _head(drawing, row, y, figures)
        _arrow(drawing, row, y + 26)
    return drawing.markup()


def _arrow(drawing: Drawing, row: ArrowRow, y: float) -> None:
    if row.start is not None and row.end is not None:
        left, right = sorted((_x(known_value(row.start)), _x(known_value(row.end))))
        drawing.add("rect", x=left, y=y - 4.5, width=right - left, height=9, class_=f"drop {model_color(row.model)}")
    if row.start is not None:
        _whisker(drawing, row.start, y, model_color(row.model))
        x = _x(known_value(row.start))
        drawing.add(
            "circle",
            cx=x,
            cy=y,
            r=5,
            class_=f"dot {model_color(row.model)}",
            title=f"{row.name}: ACC {format_estimate(row.start)}",
        )
    if row.end is not None:
        _whisker(drawing, row.end, y, model_color(row.model))
        _tip(drawing, row, row.end, y)


def _tip(drawing: Drawing, row: ArrowRow, end: Estimate, y: float) -> None:
    x = _x(known_value(end))
    gap = 0.0 if row.start is None else x - _x(known_value(row.start))
    title = f"{row.name}: C-ACC {format_estimate(end)}"
    if abs(gap) < _TIP:
        # Too short for an arrow: a bar across the dot says that the two are one.
        drawing.add(
            "rect", x=x - 1.25, y=y - 8, width=2.5, height=16, class_=f"tip {model_color(row.model)}", title=title
        )
        return
    back = x + _TIP if gap < 0 else x - _TIP
    drawing.add(
        "path",
        d=f"M{x:.2f} {y:.2f}L{back:.2f} {y - 7:.2f}L{back:.2f} {y + 7:.2f}Z",
        class_=f"tip {model_color(row.model)}",
        title=title,
    )


def draw_consistency(chart: ArrowChart) -> Markup:
    """One chart: the consistency measured (``end``) against that of two independent answers (``start``)."""
    described = "; ".join(
        f"{row.name}: CONS {format_estimate(row.end)}, by chance {format_estimate(row.start)}" for row in chart.rows
    )
    drawing = _frame(chart, described)
    for number, row in enumerate(chart.rows):
        y = _TOP + number * _ROW
        _head(drawing, row, y, _against_chance(row))
        middle = y + 26
        if row.start is not None and row.end is not None:
            left, right = sorted((_x(known_value(row.start)), _x(known_value(row.end))))
            below = known_value(row.end) < known_value(row.start)
            drawing.add(
                "rect",
                x=left,
                y=middle - 2,
                width=right - left,
                height=4,
                class_=f"link {'below' if below else model_color(row.model)}",
            )
        if row.start is not None:
            drawing.add(
                "path",
                d=f"M{_x(known_value(row.start)):.2f} {middle - 6:.2f}l6 6l-6 6l-6 -6Z",
                class_="chance",
                title=f"{row.name}: by chance {format_estimate(row.start)}",
            )
        if row.end is not None:
            _whisker(drawing, row.end, middle, model_color(row.model))
            drawing.add(
                "circle",
                cx=_x(known_value(row.end)),
                cy=middle,
                r=5,
                class_=f"dot {model_color(row.model)}",
                title=f"{row.name}: CONS {format_estimate(row.end)}",
            )
    return drawing.markup()


def _against_chance(row: ArrowRow) -> str:
    if row.end is None:
        return "–"
    if row.start is None:
        return percent(known_value(row.end))
    gap = (known_value(row.end) - known_value(row.start)) * 100
    return f"{percent(known_value(row.end))}  ({'+' if gap >= 0 else '−'}{abs(gap):.1f})"
