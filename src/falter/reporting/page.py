"""The report as one HTML file that needs nothing else and lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from falter.files import write_atomically
from falter.reporting.control_runs import conditions
from falter.reporting.data import OUTCOMES, ReportData
from falter.reporting.escape_text import visible
from falter.reporting.failure_viewer import BYTES, Browser, build_browser, json_for_script
from falter.reporting.foils import foils
from falter.reporting.headline import headline, lede
from falter.reporting.overlap import matrices
from falter.reporting.panels import charts, glance
from falter.reporting.reading import ANSWER_COUNTS, ANSWER_RATES, meaning_of, name_of
from falter.reporting.robustness import noise_panel
from falter.reporting.scores import Scores, colour
from falter.reporting.tables import behaviour, breakdowns, others, signatures
from falter.version import __version__

__all__ = ["render_report", "write_report"]


def write_report(
    data: ReportData, path: Path, *, limit: int = BYTES, tick: Callable[[], None] = lambda: None
) -> Browser:
    """Write the report under its name once it is complete, and say what had to be left out."""
    page, browser = render_report(data, limit=limit, tick=tick)
    write_atomically(path, page)
    return browser


def render_report(
    data: ReportData, *, limit: int = BYTES, tick: Callable[[], None] = lambda: None
) -> tuple[str, Browser]:
    """The whole page as text."""
    # The page without its browser comes first: what it takes is not there for pictures.
    bare = _render(data, Browser({}, [], {}))
    browser = build_browser(data, limit=limit, other_bytes=len(bare.encode()) + 2000, tick=tick)
    return _render(data, browser), browser


def _render(data: ReportData, browser: Browser) -> str:
    style, script = _asset("report.css"), _asset("report.js")
    scores = Scores(data.scores)
    drops, chances = charts(data, scores)
    matched = foils(data, scores)
    results = headline(data, scores)
    template = _environment().get_template("report.html.j2")
    return template.render(
        data=data,
        version=__version__,
        policy=_policy(style, script),
        # Both are files of this package, not data.
        style=Markup(style),
        script=Markup(script),
        glance=glance(data, scores),
        headline=results,
        foils=matched,
        lede=lede(data, results, matched),
        drops=drops,
        chances=chances,
        noise=noise_panel(data),
        breakdowns=breakdowns(data, scores),
        matrices=matrices(data),
        conditions=conditions(data, scores),
        behaviour=behaviour(data, scores),
        others=others(data, scores),
        signatures=signatures(data, scores),
        several_suites=len({test.suite for test in scores.tests}) > 1,
        browser=browser,
        payload=Markup(json_for_script(browser.payload)),
        outcomes=OUTCOMES,
        measures=[(name_of(name), meaning_of(name)) for name in scores.measures if meaning_of(name)],
        rate_names=[name_of(name) for name in ANSWER_RATES],
        count_names=[name_of(name) for name in ANSWER_COUNTS],
        colour=colour,
    )


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("falter.reporting", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters["count"] = lambda number: f"{number:,}"
    return environment


def _finalize(value: Any) -> Any:
    """Every text that a template prints is shown with its unseen characters named; autoescaping comes after."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return files("falter.reporting").joinpath("assets", name).read_text("utf-8")
