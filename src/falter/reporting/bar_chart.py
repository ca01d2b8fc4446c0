"""Bars of one test: the user's models with their intervals, then the published ones, against chance."""

from __future__ import annotations

from markupsafe import Markup

from falter.reporting.figures import BarChart, ChartBar
from falter.reporting.svg import Drawing, format_estimate, known_value, model_color, percent, shorten

__all__ = ["draw_bars"]

_WIDTH = 340.0
_NAMES = 138.0
_FIGURES = 44.0
_ROW = 19.0
_THIN = 14.0
_TOP = 18.0
_GAP = 9.0
_LETTERS, _PUBLISHED_LETTERS = 20, 24


class _Span:
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
        return _NAMES + share * (_WIDTH - _NAMES - _FIGURES)

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
    span = _Span(chart)
    own = [bar for bar in chart.bars if bar.model is not None]
    published = [bar for bar in chart.bars if bar.model is None]
    gap = _GAP if own and published else 0.0
    bottom = _TOP + _ROW * len(own) + gap + _THIN * len(published)
    described = "; ".join(f"{bar.name} {span.describe(bar)}" for bar in (*own, *published))
    if chart.chance is not None:
        described += f"; by chance {span.format(chart.chance)}"
    drawing = Drawing(_WIDTH, bottom + 6, label=f"{chart.title}: {described}", css="chart foil-bars")
    if chart.chance is not None:
        drawing.add("text", "chance", x=span.x(chart.chance), y=_TOP - 7, class_="coin-name", text_anchor="middle")
    y = _TOP
    for bar in own:
        _draw(drawing, span, bar, y, _ROW, 11.0)
        y += _ROW
    y += gap
    for bar in published:
        _draw(drawing, span, bar, y, _THIN, 6.0)
        y += _THIN
    if chart.chance is not None:
        x = span.x(chart.chance)
        drawing.add("line", x1=x, x2=x, y1=_TOP - 3, y2=bottom, class_="coin")
    return drawing.markup()


def _draw(drawing: Drawing, span: _Span, bar: ChartBar, top: float, height: float, thick: float) -> None:
    middle = top + height / 2
    css = "bar printed" if bar.model is None else f"bar {model_color(bar.model)}"
    words = "printed-name" if bar.model is None else "name"
    title = f"{bar.name}: {span.describe(bar)}"
    name = shorten(bar.name, _PUBLISHED_LETTERS if bar.model is None else _LETTERS)
    drawing.add("text", name, x=_NAMES - 7, y=middle + 4, class_=words, text_anchor="end", title=title)
    value = known_value(bar.estimate)
    left, right = sorted((span.x(0.0), span.x(value)))
    drawing.add("rect", x=left, y=middle - thick / 2, width=max(right - left, 1), height=thick, class_=css, title=title)
    low, high = bar.estimate.low, bar.estimate.high
    if low is not None and high is not None:
        drawing.add("line", x1=span.x(low), x2=span.x(high), y1=middle, y2=middle, class_="ends")
        for end in (low, high):
            drawing.add("line", x1=span.x(end), x2=span.x(end), y1=middle - 3, y2=middle + 3, class_="ends")
    drawing.add("text", span.format(value), x=_WIDTH, y=middle + 4, class_=f"{words} value", text_anchor="end")
