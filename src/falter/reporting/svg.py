"""Drawings as SVG elements, well-formed whatever text goes in."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from markupsafe import Markup

from falter.reporting.escape_text import visible

__all__ = ["Drawing"]


class Drawing:
    """An SVG picture built element by element; colours come from the page's classes, never from inline styles."""

    def __init__(
        self, width: float, height: float, *, label: str, css: str = "", stretch: bool = False, fixed: bool = False
    ) -> None:
        self.width = width
        self.height = height
        self._root = ET.Element(
            "svg", {"viewBox": f"0 0 {_number(width)} {_number(height)}", "role": "img", "class": css}
        )
        if fixed:
            self._root.set("width", _number(width))
            self._root.set("height", _number(height))
        if stretch:
            self._root.set("preserveAspectRatio", "none")
        self._root.set("aria-label", visible(label, one_line=True))

    def add(self, tag: str, text: str | None = None, *, title: str | None = None, **attributes: str | float) -> None:
        """Append an element; ``class_`` gives the class, and underscores in names become hyphens."""
        element = ET.SubElement(
            self._root,
            tag,
            {
                name.rstrip("_").replace("_", "-"): _number(value) if isinstance(value, int | float) else value
                for name, value in attributes.items()
            },
        )
        if text is not None:
            element.text = visible(text, one_line=True)
        if title is not None:
            ET.SubElement(element, "title").text = visible(title, one_line=True)

    def markup(self) -> Markup:
        """The finished picture; everything in it was escaped on the way."""
        # The markup is safe because ElementTree escapes every text and attribute when it serialises.
        return Markup(ET.tostring(self._root, encoding="unicode"))


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
