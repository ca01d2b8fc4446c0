"""The report as one HTML file that needs nothing else and lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol, TypeVar

import jinja2
from markupsafe import Markup

from falter.files import write_atomically
from falter.reporting.accuracy_charts import accuracy_charts
from falter.reporting.blind_baselines import blind_baselines
from falter.reporting.control_runs import control_runs
from falter.reporting.differences import differences
from falter.reporting.draw_section import draw_panels
from falter.reporting.failure_link import failure_link
from falter.reporting.failure_viewer import (
    MAX_BYTES,
    FailureViewer,
    ShownFailures,
    build_failure_viewer,
    json_for_script,
)
from falter.reporting.foils import foils
from falter.reporting.headline import headlines
from falter.reporting.look import look_css, page_environment
from falter.reporting.measure_info import measure_description, measure_title
from falter.reporting.overlap import overlap_matrices
from falter.reporting.overview import overviews
from falter.reporting.report_data import FAILURE_TYPES, ReportData, SuiteTest
from falter.reporting.scores import ScoresByModel
from falter.reporting.summary import summary
from falter.reporting.svg import model_color
from falter.reporting.tables import breakdowns, other_measures, response_bias, signatures
from falter.version import __version__

__all__ = ["render_report", "write_report"]


def write_report(
    data: ReportData, path: Path, *, limit: int = MAX_BYTES, progress: Callable[[], None] = lambda: None
) -> FailureViewer:
    """Write the report under its name once it is complete, and say what it does not include."""
    page, viewer = render_report(data, limit=limit, progress=progress)
    write_atomically(path, page)
    return viewer


def render_report(
    data: ReportData, *, limit: int = MAX_BYTES, progress: Callable[[], None] = lambda: None
) -> tuple[str, FailureViewer]:
    """The whole page as text."""
    # The page without its failures comes first: images get the room that it leaves.
    template, context = _prepare(data)
    empty = FailureViewer({"failures": []}, [], {}, _count_table(data))
    bare = template.render(**context, viewer=empty, payload="")
    viewer = build_failure_viewer(data, limit=limit, other_bytes=len(bare.encode()) + 2000, progress=progress)
    return template.render(**context, viewer=viewer, payload=Markup(json_for_script(viewer.payload))), viewer


def _count_table(data: ReportData) -> list[ShownFailures]:
    return [ShownFailures(one.suite, one.test, one.model, one.failed, one.failed) for one in data.failure_counts]


def _prepare(data: ReportData) -> tuple[jinja2.Template, dict[str, Any]]:
    """The page's template, and everything that it shows but the viewer."""
    style = look_css() + "".join(map(_asset, ("report.css", "pairs.css")))
    script = "".join(map(_asset, ("pairs.js", "tables.js", "report.js")))
    scores = ScoresByModel(data.scores)
    drops, chances = accuracy_charts(data, scores)
    foil_suites = foils(data, scores)
    results = headlines(data, scores)
    environment = page_environment("falter.reporting")
    context = {
        "data": data,
        "version": __version__,
        "policy": _policy(style, script),
        # Both are files of this package, not data.
        "style": Markup(style),
        "script": Markup(script),
        "overviews": overviews(data, scores),
        "differences": differences(data, scores),
        "headlines": results,
        "foils": foil_suites,
        "summary": summary(data, results, foil_suites),
        "drops": _by_suite(drops),
        "chances": _by_suite(chances),
        "panels": draw_panels(data.panels, data.models, environment),
        "breakdowns": breakdowns(data, scores),
        "overlap_matrices": _by_suite(overlap_matrices(data)),
        "control_runs": control_runs(data, scores),
        "blind_baselines": blind_baselines(data),
        "response_bias": response_bias(data, scores),
        "other_measures": other_measures(data, scores),
        "signatures": signatures(data, scores),
        "several_suites": len({test.suite for test in scores.tests}) > 1,
        "failed_unit": "questions"
        if results and {unit for table in results for unit in table.units} == {"questions"} and not foil_suites
        else "pairs",
        "failure_types": FAILURE_TYPES,
        "measures": [(measure_title(name), text) for name in scores.measures if (text := measure_description(name))],
        "model_color": model_color,
        "failure_link": failure_link,
    }
    return environment.get_template("report.html.j2"), context


class _OnTest(Protocol):
    """What is shown of one test."""

    @property
    def test(self) -> SuiteTest: ...


_Shown = TypeVar("_Shown", bound=_OnTest)


def _by_suite(shown: Sequence[_Shown]) -> list[tuple[str, list[_Shown]]]:
    """What is shown of tests, by their suites in the order in which they come."""
    found: dict[str, list[_Shown]] = {}
    for one in shown:
        found.setdefault(one.test.suite, []).append(one)
    return [*found.items()]


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return files("falter.reporting").joinpath("assets", name).read_text("utf-8")
