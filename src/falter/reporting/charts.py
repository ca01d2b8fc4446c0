"""The report's charts: where accuracy drops once both answers must be right, and consistency against chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from falter.reporting.svg import Drawing

__all__ = [
    "Estimate",
    "Level",
    "Row",
    "consistency_chart",
    "drop_chart",
    "interval_mark",
    "mark_width",
    "percent",
    "share_bar",
]

_WIDTH = 340.0
_LEFT = 8.0
_RIGHT = 8.0
_ROW = 40.0
_TOP = 22.0
_NAME_LETTERS = 30
_TIP = 9.0


class Estimate(NamedTuple):
    """A share between 0 and 1 with the ends of its interval."""

    value: float
    low: float | None = None
    high: float | None = None


class Row(NamedTuple):
    """One model in a chart: where its arrow starts and where it ends."""

    name: str
    css: str
    start: Estimate | None
    end: Estimate | None


class Level(NamedTuple):
    """A published level to compare with, drawn in grey."""

    name: str
    acc: float | None
    c_acc: float | None


def percent(value: float) -> str:
    """A share as per cent with one decimal, never rounded up to a full 100 or down to an empty 0."""
    shown = f"{value * 100:.1f}"
    if shown == "100.0" and value < 1:
        return "99.9"
    if shown == "0.0" and value > 0:
        return "0.1"
    return shown


def _x(share: float) -> float:
    return _LEFT + min(max(share, 0.0), 1.0) * (_WIDTH - _LEFT - _RIGHT)


def _frame(rows: Sequence[Row], label: str) -> Drawing:
    height = _TOP + _ROW * len(rows) + 22
    drawing = Drawing(_WIDTH, height, label=label, css="chart")
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        bottom = height - 18
        drawing.add("line", x1=_x(tick), x2=_x(tick), y1=_TOP - 6, y2=bottom, class_="grid")
        anchor = "start" if tick == 0 else "end" if tick == 1 else "middle"
        drawing.add("text", f"{tick * 100:.0f}", x=_x(tick), y=height - 4, class_="tick", text_anchor=anchor)
    return drawing


def _shorten(name: str) -> str:
    return name if len(name) <= _NAME_LETTERS else name[: _NAME_LETTERS - 1] + "…"


def _whisker(drawing: Drawing, estimate: Estimate, y: float, css: str) -> None:
    if estimate.low is None or estimate.high is None:
        return
    low, high = _x(estimate.low), _x(estimate.high)
    drawing.add("line", x1=low, x2=high, y1=y, y2=y, class_=f"whisker {css}")
    for x in (low, high):
        drawing.add("line", x1=x, x2=x, y1=y - 3, y2=y + 3, class_=f"whisker {css}")


def _said(estimate: Estimate | None) -> str:
    if estimate is None:
        return "not measured"
    if estimate.low is None or estimate.high is None:
        return percent(estimate.value)
    return f"{percent(estimate.value)} ({percent(estimate.low)} to {percent(estimate.high)})"


def _head(drawing: Drawing, row: Row, y: float, figures: str) -> None:
    drawing.add("text", _shorten(row.name), x=_LEFT, y=y + 12, class_="name", title=row.name)
    drawing.add("text", figures, x=_WIDTH - _RIGHT, y=y + 12, class_="figures", text_anchor="end")
    drawing.add("line", x1=_x(0), x2=_x(1), y1=y + 26, y2=y + 26, class_="track")


def _people_mark(drawing: Drawing, level: Level, bottom: float) -> None:
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
        class_="people",
        title=f"{level.name}: {' and '.join(percent(value) for value in marks)}",
    )
    middle = (low + high) / 2
    anchor = "end" if middle > _WIDTH - 60 else "start" if middle < 60 else "middle"
    drawing.add(
        "text", level.name, x=min(max(middle, low), high), y=_TOP - 10, class_="people-name", text_anchor=anchor
    )


def drop_chart(test: str, rows: Sequence[Row], people: Level | None = None) -> Markup:
    """One panel: for every model an arrow from ACC down to C-ACC, with both intervals, and people's level in grey."""
    said = "; ".join(f"{row.name}: ACC {_said(row.start)}, C-ACC {_said(row.end)}" for row in rows)
    drawing = _frame(rows, f"{test}. {said}")
    if people is not None:
        _people_mark(drawing, people, drawing.height - 18)
    for place, row in enumerate(rows):
        y = _TOP + place * _ROW
        figures = " → ".join("–" if each is None else percent(each.value) for each in (row.start, row.end))
        _head(drawing, row, y, figures)
        _arrow(drawing, row, y + 26)
    return drawing.markup()


def _arrow(drawing: Drawing, row: Row, y: float) -> None:
    if row.start is not None and row.end is not None:
        left, right = sorted((_x(row.start.value), _x(row.end.value)))
        drawing.add("rect", x=left, y=y - 4.5, width=right - left, height=9, class_=f"drop {row.css}")
    if row.start is not None:
        _whisker(drawing, row.start, y, row.css)
        x = _x(row.start.value)
        drawing.add("circle", cx=x, cy=y, r=5, class_=f"dot {row.css}", title=f"{row.name}: ACC {_said(row.start)}")
    if row.end is not None:
        _whisker(drawing, row.end, y, row.css)
        _tip(drawing, row, row.end, y)


def _tip(drawing: Drawing, row: Row, end: Estimate, y: float) -> None:
    x = _x(end.value)
    gap = 0.0 if row.start is None else x - _x(row.start.value)
    title = f"{row.name}: C-ACC {_said(end)}"
    if abs(gap) < _TIP:
        # Too short for an arrow: a bar across the dot says that the two are one.
        drawing.add("rect", x=x - 1.25, y=y - 8, width=2.5, height=16, class_=f"tip {row.css}", title=title)
        return
    back = x + _TIP if gap < 0 else x - _TIP
    drawing.add(
        "path",
        d=f"M{x:.2f} {y:.2f}L{back:.2f} {y - 7:.2f}L{back:.2f} {y + 7:.2f}Z",
        class_=f"tip {row.css}",
        title=title,
    )


def consistency_chart(test: str, rows: Sequence[Row]) -> Markup:
    """One panel: the consistency measured (``end``) against that of two independent answers (``start``)."""
    said = "; ".join(f"{row.name}: CONS {_said(row.end)}, by chance {_said(row.start)}" for row in rows)
    drawing = _frame(rows, f"{test}. {said}")
    for place, row in enumerate(rows):
        y = _TOP + place * _ROW
        _head(drawing, row, y, _against_chance(row))
        middle = y + 26
        if row.start is not None and row.end is not None:
            left, right = sorted((_x(row.start.value), _x(row.end.value)))
            below = row.end.value < row.start.value
            drawing.add(
                "rect",
                x=left,
                y=middle - 2,
                width=right - left,
                height=4,
                class_=f"link {'below' if below else row.css}",
            )
        if row.start is not None:
            drawing.add(
                "path",
                d=f"M{_x(row.start.value):.2f} {middle - 6:.2f}l6 6l-6 6l-6 -6Z",
                class_="chance",
                title=f"{row.name}: by chance {_said(row.start)}",
            )
        if row.end is not None:
            _whisker(drawing, row.end, middle, row.css)
            drawing.add(
                "circle",
                cx=_x(row.end.value),
                cy=middle,
                r=5,
                class_=f"dot {row.css}",
                title=f"{row.name}: CONS {_said(row.end)}",
            )
    return drawing.markup()


def _against_chance(row: Row) -> str:
    if row.end is None:
        return "–"
    if row.start is None:
        return percent(row.end.value)
    gap = (row.end.value - row.start.value) * 100
    return f"{percent(row.end.value)}  ({'+' if gap >= 0 else '−'}{abs(gap):.1f})"


def mark_width(columns: int) -> float:
    """How wide the marks of a table can be: a table of few columns has room for marks that show more."""
    return {1: 220.0, 2: 180.0, 3: 130.0, 4: 92.0, 5: 62.0}.get(columns, 44.0)


def interval_mark(estimate: Estimate, css: str, label: str, width: float = 44.0) -> Markup:
    """A small bar for a table cell: the value as a stroke, its interval as a band, on a line from 0 to 100."""
    drawing = Drawing(width, 12, label=f"{label} {_said(estimate)}", css="mark", stretch=True, fixed=True)

    def place(share: float) -> float:
        return 1 + min(max(share, 0.0), 1.0) * (width - 2)

    drawing.add("line", x1=1, x2=width - 1, y1=6, y2=6, class_="track")
    if estimate.low is not None and estimate.high is not None:
        low, high = place(estimate.low), place(estimate.high)
        drawing.add("rect", x=low, y=3, width=max(high - low, 1), height=6, class_=f"band {css}")
    drawing.add("rect", x=place(estimate.value) - 1, y=1, width=2, height=10, class_=f"dot {css}")
    return drawing.markup()


def share_bar(share: float, css: str, label: str) -> Markup:
    """A small filled bar for a share in a table cell."""
    drawing = Drawing(100, 6, label=f"{label} {percent(share)}", css="mark share", stretch=True)
    drawing.add("rect", x=0, y=0, width=100, height=6, class_="trough")
    if share > 0:
        drawing.add("rect", x=0, y=0, width=max(min(share, 1.0) * 100, 1), height=6, class_=f"fill {css}")
    return drawing.markup()
