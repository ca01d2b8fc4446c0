"""Bars of one test: how often each model ranks the caption above its foil, against a coin and the published models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from falter.reporting.charts import Estimate, percent
from falter.reporting.svg import Drawing

__all__ = ["Bar", "foil_bars"]

_WIDTH = 340.0
_NAMES = 118.0
_FIGURES = 36.0
_ROW = 19.0
_THIN = 14.0
_TOP = 18.0
_GAP = 9.0
_LETTERS = 19
COIN = 0.5


class Bar(NamedTuple):
    """One bar; without a class it is a published figure, in grey."""

    name: str
    css: str
    estimate: Estimate

    @classmethod
    def printed(cls, name: str, per_cent: float) -> Bar:
        """A published figure."""
        return cls(name, "", Estimate(per_cent / 100))


def _x(share: float) -> float:
    return _NAMES + min(max(share, 0.0), 1.0) * (_WIDTH - _NAMES - _FIGURES)


def foil_bars(title: str, own: Sequence[Bar], published: Sequence[Bar]) -> Markup:
    """The user's models in colour with their intervals, then the published ones, and a line where a coin would be."""
    gap = _GAP if own and published else 0.0
    bottom = _TOP + _ROW * len(own) + gap + _THIN * len(published)
    said = "; ".join(f"{bar.name} {_said(bar.estimate)}" for bar in (*own, *published))
    drawing = Drawing(_WIDTH, bottom + 6, label=f"{title}: {said}; by chance 50.0", css="chart foil-bars")
    drawing.add("text", "chance", x=_x(COIN), y=_TOP - 7, class_="coin-name", text_anchor="middle")
    y = _TOP
    for bar in own:
        _draw(drawing, bar, y, _ROW, 11.0)
        y += _ROW
    y += gap
    for bar in published:
        _draw(drawing, bar, y, _THIN, 6.0)
        y += _THIN
    drawing.add("line", x1=_x(COIN), x2=_x(COIN), y1=_TOP - 3, y2=bottom, class_="coin")
    return drawing.markup()


def _draw(drawing: Drawing, bar: Bar, top: float, height: float, thick: float) -> None:
    middle = top + height / 2
    kind = f"bar {bar.css}" if bar.css else "bar printed"
    words = "name" if bar.css else "printed-name"
    shown = bar.name if len(bar.name) <= _LETTERS else f"{bar.name[: _LETTERS - 1]}…"
    told = f"{bar.name}: {_said(bar.estimate)}"
    drawing.add("text", shown, x=_NAMES - 7, y=middle + 4, class_=words, text_anchor="end", title=told)
    left, right = _x(0.0), _x(bar.estimate.value)
    drawing.add("rect", x=left, y=middle - thick / 2, width=max(right - left, 1), height=thick, class_=kind, title=told)
    low, high = bar.estimate.low, bar.estimate.high
    if low is not None and high is not None:
        drawing.add("line", x1=_x(low), x2=_x(high), y1=middle, y2=middle, class_="ends")
        for end in (low, high):
            drawing.add("line", x1=_x(end), x2=_x(end), y1=middle - 3, y2=middle + 3, class_="ends")
    drawing.add("text", percent(bar.estimate.value), x=_WIDTH, y=middle + 4, class_=f"{words} value", text_anchor="end")


def _said(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return percent(estimate.value)
    return f"{percent(estimate.value)} ({percent(estimate.low)} to {percent(estimate.high)})"
