"""The figures behind the charts for papers: the same scores as in the report, as rows of a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from falter.core.errors import UsageError
from falter.core.untrusted_text import escape_cell
from falter.evaluation.measures import Score
from falter.evaluation.reporting.draw_section import section_figures
from falter.evaluation.reporting.figures import LineChart
from falter.evaluation.reporting.report_data import ReportData, SuiteTest
from falter.evaluation.reporting.scores import ScoresByModel, measure_scale, measure_title
from falter.evaluation.reporting.tables import values_per_facet

__all__ = ["PLOT_KINDS", "PlotData", "PlotKind", "PlotRow", "plot_data"]

PlotKind = Literal["drop", "breakdown", "noise", "foils", "coverage"]
PLOT_KINDS: tuple[PlotKind, ...] = ("drop", "breakdown", "noise", "foils", "coverage")

CHANCE_OF_FOILS = 0.5

_COUNTED = {"instances": "questions", "pairs": "pairs"}


class PlotRow(msgspec.Struct, frozen=True, kw_only=True):
    """One value of a plot with its 95 % interval: a row of the CSV file beside it.

    ``at`` is the value of the facet, the noise level or the other model that it stands at. Shares are from 0 to 1.
    """

    suite: str
    test: str
    model: str
    measure: str
    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    facet: str = ""
    at: str = ""


class PlotData(msgspec.Struct, frozen=True, kw_only=True):
    """What one plot shows; ``colors`` gives a model its place among the colors of the report."""

    kind: PlotKind
    name: str
    """The name of its files."""
    title: str
    rows: tuple[PlotRow, ...]
    colors: dict[str, int]
    label: str
    """What the values are."""
    chart: LineChart | None = None
    """The lines, where it is a line chart of the report."""
    chance: float | None = None
    notes: tuple[str, ...] = ()
    """Which published figures it does not show, and why."""

    def to_csv(self) -> str:
        """The values as CSV."""
        file = io.StringIO()
        names = [field.name for field in msgspec.structs.fields(PlotRow)]
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for row in self.rows:
            cells = [getattr(row, name) for name in names]
            writer.writerow([f"{cell:.6g}" if isinstance(cell, float) else escape_cell(cell) for cell in cells])
        return file.getvalue()


def plot_data(
    data: ReportData, kind: PlotKind, *, facets: Sequence[str] = (), measure: str | None = None
) -> list[PlotData]:
    """The plots of a kind that runs have something to show for; ``facets`` and ``measure`` are for breakdowns."""
    scores = ScoresByModel(data.scores)
    colors = {model.name: number for number, model in enumerate(data.models)}
    makers = {"drop": _drops, "breakdown": _breakdowns, "noise": _noise, "foils": _foils, "coverage": _coverage}
    if kind == "breakdown":
        found = list(_breakdowns(data, scores, colors, facets, measure))
    else:
        found = list(makers[kind](data, scores, colors))  # type: ignore[operator]
    if not found:
        raise UsageError(_NOTHING[kind])
    return found


_NOTHING = {
    "drop": "no test of these runs has pairs of questions, so there is no drop from ACC to C-ACC to plot",
    "breakdown": "the tests of these runs have no facet of several values to break down by",
    "noise": "no run is of a suite that adds noise in steps",
    "foils": "no run is of a suite of captions and foils",
    "coverage": "coverage is between two or more runs of one suite that answer questions or rank captions",
}


def _row(data: ReportData, model: int, test: SuiteTest, score: Score) -> PlotRow:
    low, high = score.low, score.high
    assert score.value is not None
    return PlotRow(
        suite=test.suite,
        test=test.test,
        model=data.models[model].name,
        measure=score.measure,
        value=score.value,
        low=low,
        high=high,
        n=score.n,
        facet=score.group.facet or "",
        at=score.group.value or "",
    )


def _drops(data: ReportData, scores: ScoresByModel, colors: dict[str, int]) -> Iterator[PlotData]:
    for suite in scores.suites:
        averages = scores.averages(suite)
        rows = []
        for test in scores.tests:
            if test.suite != suite or test.test in averages or scores.has_foils(test):
                continue
            for model in scores.models(test):
                both = [scores.get(model, test, name) for name in ("acc", "c_acc")]
                rows += [
                    _row(data, model, test, one)
                    for one in both
                    if one is not None
                    and one.value is not None
                    and all(each and each.value is not None for each in both)
                ]
        if rows:
            yield PlotData(
                kind="drop",
                name=_file_name("drop", suite),
                title=f"{suite}: ACC (circle) to C-ACC (arrow)",
                rows=tuple(rows),
                colors=colors,
                label="% of questions (ACC), of pairs (C-ACC)",
            )


def _breakdowns(
    data: ReportData, scores: ScoresByModel, colors: dict[str, int], facets: Sequence[str], measure: str | None
) -> Iterator[PlotData]:
    known = sorted({facet for test in scores.tests for facet in scores.facets(test)})
    for facet in facets:
        if facet not in known:
            raise UsageError(f"there is no facet {facet!r} to break down by; there are {', '.join(known) or 'none'}")
    measures = sorted({one.score.measure for one in data.scores})
    if measure is not None and measure not in measures:
        raise UsageError(f"no run has the measure {measure!r}; there are {', '.join(measures) or 'none'}")
    most = values_per_facet(len(data.models))
    for test in scores.tests:
        shown = scores.headline(test)
        chosen = measure or next((name for name in ("c_acc", "acc_r", "acc") if name in shown), None)
        if chosen is None:
            continue
        for facet, values in sorted(scores.facets(test).items()):
            if facets and facet not in facets:
                continue
            found = [
                (value, own)
                for value, by in values.items()
                if (own := [(model, by[model, chosen]) for model in scores.models(test) if (model, chosen) in by])
                and any(one.value is not None for _, one in own)
            ]
            found.sort(key=lambda entry: (-max(one.n for _, one in entry[1]), entry[0]))
            rows = [
                _row(data, model, test, one) for _, own in found[:most] for model, one in own if one.value is not None
            ]
            if len(found) > 1:
                yield PlotData(
                    kind="breakdown",
                    name=_file_name("breakdown", test.suite, test.test, facet),
                    title=f"{test.suite}: {test.test} by {facet.replace('_', ' ')}",
                    rows=tuple(rows),
                    colors=colors,
                    label=_label(chosen),
                )


def _foils(data: ReportData, scores: ScoresByModel, colors: dict[str, int]) -> Iterator[PlotData]:
    for suite in scores.suites:
        tests = [test for test in scores.tests if test.suite == suite and scores.has_foils(test)]
        rows = [
            _row(data, model, test, score)
            for test in tests
            for model in scores.models(test)
            if (score := scores.get(model, test, "acc_r")) is not None and score.value is not None
        ]
        if rows:
            yield PlotData(
                kind="foils",
                name=_file_name("foils", suite),
                title=f"{suite}: captions that score above their foil",
                rows=tuple(rows),
                colors=colors,
                label=_label("acc_r"),
                chance=CHANCE_OF_FOILS,
            )


def _noise(data: ReportData, scores: ScoresByModel, colors: dict[str, int]) -> Iterator[PlotData]:
    del scores
    names = [model.name for model in data.models]
    for panel in data.panels:
        for chart in section_figures(panel.section):
            if not isinstance(chart, LineChart) or not any(line.model is not None for line in chart.lines):
                continue
            ticks = dict(chart.x.ticks)
            rows = [
                PlotRow(
                    suite=panel.bundle,
                    test=chart.title,
                    model=line.name if line.model is None else names[line.model],
                    measure=f"{chart.y.label} ({line.style})" if line.style != "plain" else chart.y.label,
                    value=point.y,
                    low=point.low,
                    high=point.high,
                    facet=chart.x.label,
                    at=ticks.get(point.x, f"{point.x:g}"),
                )
                for line in chart.lines
                for point in line.points
            ]
            yield PlotData(
                kind="noise",
                name=_file_name("noise", panel.bundle, chart.title),
                title=f"{panel.bundle}: {chart.title}",
                rows=tuple(rows),
                colors=colors,
                label=chart.y.label,
                chart=chart,
                notes=tuple(data.unshown.get(panel.bundle, ())),
            )


def _coverage(data: ReportData, scores: ScoresByModel, colors: dict[str, int]) -> Iterator[PlotData]:
    del scores
    names = [model.name for model in data.models]
    by_test: dict[SuiteTest, list[PlotRow]] = {}
    for one in data.overlaps:
        if one.value is not None:
            by_test.setdefault(SuiteTest(one.group.suite, one.group.test), []).append(
                PlotRow(
                    suite=one.group.suite,
                    test=one.group.test,
                    model=names[one.run],
                    at=names[one.given],
                    measure=f"coverage over {_COUNTED[one.over]}",
                    value=one.value,
                    n=one.n,
                )
            )
    for test, rows in by_test.items():
        yield PlotData(
            kind="coverage",
            name=_file_name("coverage", *test),
            title=f"{test.suite}: {test.test}",
            rows=tuple(rows),
            colors=colors,
            label="% of what the column's model gets right",
        )


def _label(measure: str) -> str:
    return measure_title(measure) + (", %" if measure_scale(measure) in ("share", "difference") else "")


def _file_name(*parts: str) -> str:
    """A name that is safe on every file system."""
    kept = ("".join(one if one.isalnum() and one.isascii() else "-" for one in part) for part in parts)
    return "-".join(filter(None, ("-".join(filter(None, part.split("-"))) for part in kept))).lower()[:120]
