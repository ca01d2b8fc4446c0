"""Charts of the report as SVG: bars, columns, lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from markupsafe import Markup

from falter.core.untrusted_text import escape_invisible
from falter.evaluation.reporting.charts import BarChart, ChartAxis, ChartBar, ChartLine, ColumnChart, LineChart

if TYPE_CHECKING:
    from falter.evaluation.measures import Estimate

_IN_ATTRIBUTES = {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}
COLORS = 12
"""Model colors in the style sheet."""

_SHAPES = ("", " c1", " c2", " c3")
"""A thirteenth model takes the first color again, with a key of another shape."""


class Drawing:
    """An SVG image built element by element; colors come from the page's classes, never from inline styles."""

    def __init__(
        self, width: float, height: float, *, label: str, css: str = "", stretch: bool = False, fixed: bool = False
    ) -> None:
        self.width = width
        self.height = height
        self._attributes = {"viewBox": f"0 0 {_number(width)} {_number(height)}", "role": "img", "class": css}
        if fixed:
            self._attributes |= {"width": _number(width), "height": _number(height)}
        if stretch:
            self._attributes["preserveAspectRatio"] = "none"
        self._attributes["aria-label"] = escape_invisible(label, one_line=True)
        self._elements: list[str] = []

    def add(self, tag: str, text: str | None = None, *, title: str | None = None, **attributes: str | float) -> None:
        """Append an element; ``class_`` gives the class, and underscores in names become hyphens."""
        named = {
            name.rstrip("_").replace("_", "-"): _number(value) if isinstance(value, int | float) else value
            for name, value in attributes.items()
        }
        inner = "" if text is None else _escape_text(text)
        inner += "" if title is None else _element("title", {}, _escape_text(title))
        self._elements.append(_element(tag, named, inner))

    def markup(self) -> Markup:
        """The finished image; everything in it was escaped on the way."""
        # The markup is safe because every text and attribute is escaped where it goes in.
        return Markup(_element("svg", self._attributes, "".join(self._elements)))


def _element(tag: str, attributes: Mapping[str, str], inner: str) -> str:
    """An element around markup; of marks there are thousands in a page, which a library takes seconds to write."""
    written = "".join([f' {name}="{escape(value, _IN_ATTRIBUTES)}"' for name, value in attributes.items()])
    return f"<{tag}{written}>{inner}</{tag}>" if inner else f"<{tag}{written} />"


def _escape_text(text: str) -> str:
    return escape(escape_invisible(text, one_line=True))


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def model_color(model: int | None) -> str:
    """The class that gives a model, an index into the report's models, its color."""
    if model is None:
        return ""
    return f"m{model % COLORS}{_SHAPES[model // COLORS % len(_SHAPES)]}"


def percent(value: float) -> str:
    """A share as per cent with one decimal, never rounded up to a full 100 or down to an empty 0."""
    shown = f"{value * 100:.1f}"
    if shown == "100.0" and value < 1:
        return "99.9"
    if shown == "0.0" and value > 0:
        return "0.1"
    return shown


def known_value(estimate: Estimate) -> float:
    """The value of an estimate that has one; only such are drawn."""
    assert estimate.value is not None
    return estimate.value


def format_estimate(estimate: Estimate | None) -> str:
    """A share with its interval, in per cent."""
    if estimate is None or estimate.value is None:
        return "not measured"
    if estimate.low is None or estimate.high is None:
        return percent(estimate.value)
    return f"{percent(estimate.value)} ({percent(estimate.low)} to {percent(estimate.high)})"


def shorten(name: str, letters: int) -> str:
    """A name that fits into so many letters; both ends stay, since names of one family differ at their end.

    >>> shorten("llava-v1.5-13b-checkpoint-2000", 15)
    'llava-v…nt-2000'
    """
    if len(name) <= letters:
        return name
    kept = letters - 1
    return name[: kept - kept // 2] + "…" + name[len(name) - kept // 2 :]


def mark_width(columns: int) -> float:
    """How wide the marks of a table are: few columns leave room for marks that show more, many columns for none."""
    return {1: 220.0, 2: 180.0, 3: 130.0, 4: 79.0, 5: 46.0, 6: 44.0, 7: 24.0}.get(columns, 0.0)


def interval_mark(estimate: Estimate, css: str, label: str, width: float = 44.0, chance: float | None = None) -> Markup:
    """A small bar for a table cell: the value as a stroke, its interval as a band, on a line from 0 to 100.

    A thin stroke shows chance, where it is given.
    """
    drawing = Drawing(width, 12, label=f"{label} {format_estimate(estimate)}", css="mark", stretch=True, fixed=True)

    def x(share: float) -> float:
        return 1 + min(max(share, 0.0), 1.0) * (width - 2)

    drawing.add("line", x1=1, x2=width - 1, y1=6, y2=6, class_="track")
    if chance is not None:
        drawing.add("line", x1=x(chance), x2=x(chance), y1=0, y2=12, class_="coin")
    if estimate.low is not None and estimate.high is not None:
        low, high = x(estimate.low), x(estimate.high)
        drawing.add("rect", x=low, y=3, width=max(high - low, 1), height=6, class_=f"band {css}")
    drawing.add("rect", x=x(known_value(estimate)) - 1, y=1, width=2, height=10, class_=f"dot {css}")
    return drawing.markup()


def share_bar(share: float, css: str, label: str) -> Markup:
    """A small filled bar for a share in a table cell."""
    drawing = Drawing(100, 6, label=f"{label} {percent(share)}", css="mark share", stretch=True)
    drawing.add("rect", x=0, y=0, width=100, height=6, class_="trough")
    if share > 0:
        drawing.add("rect", x=0, y=0, width=max(min(share, 1.0) * 100, 1), height=6, class_=f"fill {css}")
    return drawing.markup()


_BARS_WIDTH = 340.0
_BARS_NAMES = 138.0
_BARS_FIGURES = 44.0
_ROW = 19.0
_THIN = 14.0
_BARS_TOP = 18.0
_GAP = 9.0
_OWN_LETTERS, _PUBLISHED_LETTERS = 20, 24


class _BarSpan:
    """The values between the two ends of the chart, and where they are drawn."""

    def __init__(self, chart: BarChart) -> None:
        self.low, self.high = 0.0, 1.0
        self.is_share = chart.scale == "share"
        if not self.is_share:
            ends = [end for bar in chart.bars for end in bar.estimate_ends]
            self.low, self.high = min(0.0, *ends, 0.0), max(0.0, *ends, 0.0)
            if self.low == self.high:
                self.high = 1.0
        self.in_percent = chart.scale in ("share", "difference")

    def x(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return _BARS_NAMES + share * (_BARS_WIDTH - _BARS_NAMES - _BARS_FIGURES)

    def format(self, value: float) -> str:
        if self.is_share:
            return percent(value)
        return f"{100 * value:+.1f}" if self.in_percent else f"{value:.4g}"

    def describe(self, bar: ChartBar) -> str:
        if self.is_share:
            return format_estimate(bar.estimate)
        value, *ends = bar.estimate_ends
        return self.format(value) + (f" ({' to '.join(self.format(end) for end in ends)})" if ends else "")


def draw_bars(chart: BarChart) -> Markup:
    """One chart; what it shows is in its label too, bar by bar."""
    span = _BarSpan(chart)
    own = [bar for bar in chart.bars if bar.model is not None]
    published = [bar for bar in chart.bars if bar.model is None]
    gap = _GAP if own and published else 0.0
    bottom = _BARS_TOP + _ROW * len(own) + gap + _THIN * len(published)
    described = "; ".join(f"{bar.name} {span.describe(bar)}" for bar in (*own, *published))
    if chart.chance is not None:
        described += f"; by chance {span.format(chart.chance)}"
    drawing = Drawing(_BARS_WIDTH, bottom + 6, label=f"{chart.title}: {described}", css="chart foil-bars")
    if chart.chance is not None:
        drawing.add("text", "chance", x=span.x(chart.chance), y=_BARS_TOP - 7, class_="coin-name", text_anchor="middle")
    y = _BARS_TOP
    for bar in own:
        _draw_bar(drawing, span, bar, y, _ROW, 11.0)
        y += _ROW
    y += gap
    for bar in published:
        _draw_bar(drawing, span, bar, y, _THIN, 6.0)
        y += _THIN
    if chart.chance is not None:
        x = span.x(chart.chance)
        drawing.add("line", x1=x, x2=x, y1=_BARS_TOP - 3, y2=bottom, class_="coin")
    return drawing.markup()


def _draw_bar(drawing: Drawing, span: _BarSpan, bar: ChartBar, top: float, height: float, thick: float) -> None:
    middle = top + height / 2
    css = "bar printed" if bar.model is None else f"bar {model_color(bar.model)}"
    words = "printed-name" if bar.model is None else "name"
    title = f"{bar.name}: {span.describe(bar)}"
    name = shorten(bar.name, _PUBLISHED_LETTERS if bar.model is None else _OWN_LETTERS)
    drawing.add("text", name, x=_BARS_NAMES - 7, y=middle + 4, class_=words, text_anchor="end", title=title)
    value = known_value(bar.estimate)
    left, right = sorted((span.x(0.0), span.x(value)))
    drawing.add("rect", x=left, y=middle - thick / 2, width=max(right - left, 1), height=thick, class_=css, title=title)
    low, high = bar.estimate.low, bar.estimate.high
    if low is not None and high is not None:
        drawing.add("line", x1=span.x(low), x2=span.x(high), y1=middle, y2=middle, class_="ends")
        for end in (low, high):
            drawing.add("line", x1=span.x(end), x2=span.x(end), y1=middle - 3, y2=middle + 3, class_="ends")
    drawing.add("text", span.format(value), x=_BARS_WIDTH, y=middle + 4, class_=f"{words} value", text_anchor="end")


_LINES_WIDTH = 360.0
_LINES_HEIGHT = 236.0
_LINES_LEFT = 38.0
_LINES_RIGHT = 14.0
_LINES_TOP = 12.0
_LINES_BOTTOM = 36.0
_LINE_STYLES = {"plain": "plain", "control": "control", "published": "printed", "function": "function"}


def draw_lines(chart: LineChart) -> Markup:
    """One chart; what it shows is in its label too, value by value."""
    described = "; ".join(
        f"{line.name}: {', '.join(point.title or f'{point.y:g}' for point in line.points)}" for line in chart.lines
    )
    drawing = Drawing(_LINES_WIDTH, _LINES_HEIGHT, label=f"{chart.title}. {described}", css="chart lines")
    _draw_axes(drawing, chart.x, chart.y)
    for line in chart.lines:
        _draw_band(drawing, line, chart)
    for line in chart.lines:
        positions = [(_line_x(chart.x, point.x), _line_y(chart.y, point.y)) for point in line.points]
        css = f"{_LINE_STYLES[line.style]} {model_color(line.model)}"
        if positions:
            path = "L".join(f"{x:.2f} {y:.2f}" for x, y in positions)
            drawing.add("path", d=f"M{path}", class_=f"line {css}", title=line.name)
        if not line.dots:
            continue
        for point, (x, y) in zip(line.points, positions, strict=True):
            title = f"{line.name}: {point.title}" if point.title else line.name
            drawing.add("circle", cx=x, cy=y, r=3.2, class_=f"dot {css}", title=title)
    return drawing.markup()


def _draw_axes(drawing: Drawing, x_axis: ChartAxis, y_axis: ChartAxis) -> None:
    bottom = _LINES_HEIGHT - _LINES_BOTTOM
    for value, name in y_axis.ticks:
        y = _line_y(y_axis, value)
        drawing.add(
            "line",
            x1=_LINES_LEFT,
            x2=_LINES_WIDTH - _LINES_RIGHT,
            y1=y,
            y2=y,
            class_="zero-line" if value == 0 else "grid",
        )
        drawing.add("text", name, x=_LINES_LEFT - 6, y=y + 4, class_="tick", text_anchor="end")
    for value, name in x_axis.ticks:
        drawing.add("text", name, x=_line_x(x_axis, value), y=bottom + 16, class_="tick", text_anchor="middle")
    middle = (_LINES_LEFT + _LINES_WIDTH - _LINES_RIGHT) / 2
    drawing.add("text", x_axis.label, x=middle, y=_LINES_HEIGHT - 4, class_="axis-name", text_anchor="middle")
    if y_axis.label:
        turn = f"rotate(-90 10 {(_LINES_TOP + bottom) / 2:.1f})"
        drawing.add(
            "text",
            y_axis.label,
            x=10,
            y=(_LINES_TOP + bottom) / 2,
            class_="axis-name",
            text_anchor="middle",
            transform=turn,
        )


def _draw_band(drawing: Drawing, line: ChartLine, chart: LineChart) -> None:
    known = [
        (_line_x(chart.x, point.x), _line_y(chart.y, point.low), _line_y(chart.y, point.high))
        for point in line.points
        if point.low is not None and point.high is not None
    ]
    if len(known) < 2:
        return
    there = "L".join(f"{x:.2f} {low:.2f}" for x, low, _ in known)
    back = "L".join(f"{x:.2f} {high:.2f}" for x, _, high in reversed(known))
    drawing.add("path", d=f"M{there}L{back}Z", class_=f"spread {model_color(line.model)}")


def _line_x(axis: ChartAxis, value: float) -> float:
    share = (value - axis.low) / (axis.high - axis.low)
    return _LINES_LEFT + share * (_LINES_WIDTH - _LINES_LEFT - _LINES_RIGHT)


def _line_y(axis: ChartAxis, value: float) -> float:
    share = min(max((value - axis.low) / (axis.high - axis.low), -0.02), 1.02)
    return _LINES_HEIGHT - _LINES_BOTTOM - share * (_LINES_HEIGHT - _LINES_TOP - _LINES_BOTTOM)


_COLUMNS_WIDTH = 470.0
_COLUMNS_LEFT = 34.0
_COLUMNS_TOP = 10.0
_COLUMNS_HEIGHT = 104.0
_LETTER = 4.6
"""How far a letter of a slanted name reaches down."""
_WIDEST = 34.0
"""A group of columns is at most so wide, so that two names do not look like a wall."""
_COLUMN_LETTERS = 12


def draw_columns(chart: ColumnChart) -> Markup:
    """One chart; what it shows is in its label too, name by name."""
    described = "; ".join(
        f"{name} {', '.join(f'{one.name} {percent(one.values[number])}' for one in chart.series)}"
        for number, name in enumerate(chart.names)
    )
    below = 18.0 + _LETTER * max((len(shorten(name, _COLUMN_LETTERS)) for name in chart.names), default=0)
    drawing = Drawing(
        _COLUMNS_WIDTH, _COLUMNS_TOP + _COLUMNS_HEIGHT + below, label=f"{chart.title}: {described}", css="chart columns"
    )
    highest = max((100 * value for one in chart.series for value in one.values), default=0.0)
    axis = ChartAxis.around([highest], "", least=2.0, zero=True)
    bottom = _COLUMNS_TOP + _COLUMNS_HEIGHT

    def y(share: float) -> float:
        return bottom - share / axis.high * _COLUMNS_HEIGHT

    for tick, text in axis.ticks[:: 2 if len(axis.ticks) > 5 else 1]:
        drawing.add("line", x1=_COLUMNS_LEFT, x2=_COLUMNS_WIDTH, y1=y(tick), y2=y(tick), class_="grid")
        drawing.add(
            "text", f"{text} %" if tick else "0", x=_COLUMNS_LEFT - 4, y=y(tick) + 4, class_="tick", text_anchor="end"
        )
    room = (_COLUMNS_WIDTH - _COLUMNS_LEFT) / max(len(chart.names), 1)
    group = min(room * 0.8, _WIDEST)
    thick = group / max(len(chart.series), 1)
    for number, name in enumerate(chart.names):
        middle = _COLUMNS_LEFT + room * (number + 0.5)
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
            shorten(name, _COLUMN_LETTERS),
            x=middle + 4,
            y=bottom + 11,
            class_="tick",
            text_anchor="end",
            transform=f"rotate(-50 {middle + 4:.1f} {bottom + 11:.1f})",
            title=name,
        )
    return drawing.markup()
