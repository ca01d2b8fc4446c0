"""Renders the report's page: one HTML file with its styles and scripts."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import jinja2
from markupsafe import Markup, escape

from falter.core.files import write_atomically
from falter.core.tables import format_count
from falter.core.untrusted_text import escape_invisible
from falter.core.version import __version__
from falter.evaluation.measures import summaries_for
from falter.evaluation.reporting.charts import ArrowChart
from falter.evaluation.reporting.differences import differences
from falter.evaluation.reporting.draw_section import draw_panels
from falter.evaluation.reporting.failure_viewer import (
    MAX_BYTES,
    FailureViewer,
    ShownFailures,
    build_failure_viewer,
    failure_link,
    json_for_script,
)
from falter.evaluation.reporting.foils import OVER_TESTS, FoilSuite, foils
from falter.evaluation.reporting.headline import Headline, headlines
from falter.evaluation.reporting.overlap import overlap_matrices
from falter.evaluation.reporting.overview import overviews
from falter.evaluation.reporting.ranking import control_runs
from falter.evaluation.reporting.report_data import ReportData
from falter.evaluation.reporting.score_charts import accuracy_charts
from falter.evaluation.reporting.scores import ScoresByModel, measure_description, measure_title
from falter.evaluation.reporting.suite_checks import blind_baselines
from falter.evaluation.reporting.svg_arrows import draw_consistency, draw_drop
from falter.evaluation.reporting.svg_charts import model_color
from falter.evaluation.reporting.tables import breakdowns, other_measures, response_bias, signatures
from falter.evaluation.runs.failure_records import FAILURE_TYPES, SuiteTest


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


def summary(data: ReportData, results: Sequence[Headline], foil_suites: Sequence[FoilSuite]) -> str:
    """What the report is about, in two sentences."""
    sentences = []
    if results or not foil_suites:
        models = _format_models(
            len({row.name for table in results for row in table.rows}) if results else len(data.models)
        )
        # A mean over tests has no pairs of its own.
        means = {one.name for one in summaries_for(test.suite for table in results for test in table.tests)}
        counted = [
            (unit, number)
            for table in results
            for test, number, unit in zip(table.tests, table.pairs, table.units, strict=True)
            if test.test not in means
        ]
        tests = format_count(len(counted), "tests")
        pairs, questions, sets = (
            sum(number for unit, number in counted if unit == one) for one in ("pairs", "questions", "sets")
        )
        if questions:
            tests = f"{tests}, {format_count(questions, 'single questions')}"
        if sets:
            tests = f"{tests}, {format_count(sets, 'sets')} of two images by two texts"
        if pairs or not (questions or sets):
            tests = (
                f"{tests}, {format_count(pairs, 'pairs')} of questions. The two questions of a pair differ "
                "a little in text or image, and the expected relation between their answers is known"
            )
        sentences.append(f"{models}, {tests}.")
    for suite in foil_suites:
        models = _format_models(suite.models)
        own = [pairs for test, pairs in zip(suite.tests, suite.pairs, strict=True) if test not in OVER_TESTS]
        tests = format_count(len(own), "tests")
        sentences.append(
            f"{models}, {tests}, {format_count(sum(own), 'pairs')} of a caption and a foil. The foil "
            "differs from the caption in one "
            "respect that the image decides; the caption must score higher."
        )
    return " ".join(sentences)


def _format_models(count: int) -> str:
    return format_count(count, "models")


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
    environment = page_environment("falter.evaluation.reporting")
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
        "drops": _draw_arrows(drops, draw_drop),
        "chances": _draw_arrows(chances, draw_consistency),
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


def _by_suite(shown: Iterable[_Shown]) -> list[tuple[str, list[_Shown]]]:
    """What is shown of tests, by their suites in the order in which they come."""
    by_suite: dict[str, list[_Shown]] = {}
    for each in shown:
        by_suite.setdefault(each.test.suite, []).append(each)
    return [*by_suite.items()]


class DrawnArrows(NamedTuple):
    """The arrow chart of one test; ``human`` says whether a published level of humans is drawn."""

    test: SuiteTest
    drawing: Markup
    human: bool


def _draw_arrows(
    charts: Sequence[ArrowChart], draw: Callable[[ArrowChart], Markup]
) -> list[tuple[str, list[DrawnArrows]]]:
    return _by_suite(
        DrawnArrows(SuiteTest(chart.group.suite, chart.group.test), draw(chart), chart.human is not None)
        for chart in charts
    )


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return files("falter.evaluation.reporting").joinpath("assets", name).read_text("utf-8")
