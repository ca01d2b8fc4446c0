"""Drawings as SVG elements, well-formed whatever text goes in, and how figures are written in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from markupsafe import Markup

from falter.core.untrusted_text import escape_invisible

if TYPE_CHECKING:
    from falter.evaluation.measures import Estimate

__all__ = [
    "Drawing",
    "format_estimate",
    "interval_mark",
    "known_value",
    "mark_width",
    "model_color",
    "percent",
    "share_bar",
    "shorten",
]

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
