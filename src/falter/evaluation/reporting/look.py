"""What every page of Falter shares: colors, type, buttons, and templates that let no text of data become markup."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup, escape

from falter.core.untrusted_text import escape_invisible

__all__ = ["light_model_colors", "look_css", "page_environment"]


def look_css() -> str:
    """Colors for light and dark, type, the bar at the top, buttons and fields; a page adds its own rules after it."""
    return files("falter.evaluation.reporting").joinpath("assets", "look.css").read_text("utf-8")


def light_model_colors() -> tuple[str, ...]:
    """The colors of models on white, as the style sheet has them: figures for print use the same."""
    light = look_css().partition("@media")[0]
    return tuple(re.findall(r"--m\d+: (#[0-9a-f]{6});", light))


def page_environment(package: str, folder: str = "templates") -> jinja2.Environment:
    """The templates of a package: what they print is escaped, and its invisible characters are named."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader(package, folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters["count"] = lambda number: f"{number:,}"
    environment.filters["breakable"] = _breakable
    return environment


def _breakable(name: str) -> Markup:
    """A name that may go on in the next line after an underscore, a slash, a colon or an at sign."""
    return Markup(re.sub(r"([_/:@]+)(?=.)", r"\1<wbr>", str(escape(escape_invisible(name)))))


def _finalize(value: Any) -> Any:
    """Name the invisible characters of every text that a template prints; autoescaping comes after."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return escape_invisible(value)
    return value
