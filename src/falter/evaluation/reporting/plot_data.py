"""The charts of the report, set into figures for papers: which charts a figure holds, and its values as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from falter.core.errors import UsageError
from falter.core.untrusted_text import escape_cell
from falter.evaluation.measures import Group
from falter.evaluation.reporting.charts import ArrowChart, BarChart, ChartBar, ChartValue, LineChart, MatrixChart
from falter.evaluation.reporting.draw_section import section_figures
from falter.evaluation.reporting.foils import foil_charts
from falter.evaluation.reporting.overlap import overlap_charts
from falter.evaluation.reporting.report_data import ReportData
from falter.evaluation.reporting.score_charts import accuracy_charts
from falter.evaluation.reporting.scores import ScoresByModel, measure_scale, measure_title, score_estimate
from falter.evaluation.reporting.tables import values_by_size, values_per_facet

PlotKind = Literal["drop", "breakdown", "noise", "foils", "coverage"]
PLOT_KINDS: tuple[PlotKind, ...] = ("drop", "breakdown", "noise", "foils", "coverage")

PlotChart: TypeAlias = ArrowChart | BarChart | LineChart | MatrixChart


class PlotData(msgspec.Struct, frozen=True, kw_only=True):
    """What one figure shows: charts of the report, all of one type."""

    name: str
    """The name of its files."""
    title: str
    charts: Sequence[PlotChart]
    label: str
    """What the values are."""
    notes: tuple[str, ...] = ()
    """Which published figures it does not show, and why."""

    @property
    def rows(self) -> list[ChartValue]:
        """Every value of the charts."""
        return [value for chart in self.charts for value in chart.values()]

    def to_csv(self) -> str:
        """The values as CSV."""
        file = io.StringIO()
        names = [field.name for field in msgspec.structs.fields(ChartValue)]
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for row in self.rows:
            cells = [getattr(row, name) for name in names]
            writer.writerow([f"{cell:.6g}" if isinstance(cell, float) else escape_cell(cell) for cell in cells])
        return file.getvalue()


def plot_data(
    data: ReportData, kind: PlotKind, *, facets: Sequence[str] = (), measure: str | None = None
) -> list[PlotData]:
    """The figures of a kind that runs have something to show for; ``facets`` and ``measure`` are for breakdowns."""
    scores = ScoresByModel(data.scores)
    plots = list(
        _breakdowns(data, scores, facets, measure) if kind == "breakdown" else _WHOLE_TESTS[kind](data, scores)
    )
    if not plots:
        raise UsageError(_NOTHING[kind])
    return plots


_NOTHING: dict[PlotKind, str] = {
    "drop": "no test of these runs has pairs of questions, so there is no drop from ACC to C-ACC to plot",
    "breakdown": "the tests of these runs have no facet of several values to break down by",
    "noise": "no run is of a suite that adds noise in steps",
    "foils": "no run is of a suite of captions and foils",
    "coverage": "coverage is between two or more runs of one suite that answer questions or rank captions",
}


def _drops(data: ReportData, scores: ScoresByModel) -> Iterator[PlotData]:
    drops, _ = accuracy_charts(data, scores)
    for suite in scores.suites:
        averages = scores.averages(suite)
        charts = [
            msgspec.structs.replace(chart, rows=rows)
            for chart in drops
            if chart.group.suite == suite and chart.group.test not in averages
            if (rows := [row for row in chart.rows if row.start is not None and row.end is not None])
        ]
        if charts:
            yield PlotData(
                name=_file_name("drop", suite),
                title=f"{suite}: ACC (circle) to C-ACC (arrow)",
                charts=charts,
                label="% of questions (ACC), of pairs (C-ACC)",
            )


def _breakdowns(
    data: ReportData, scores: ScoresByModel, facets: Sequence[str], measure: str | None
) -> Iterator[PlotData]:
    known = sorted({facet for test in scores.tests for facet in scores.facets(test)})
    for facet in facets:
        if facet not in known:
            raise UsageError(f"there is no facet {facet!r} to break down by; there are {', '.join(known) or 'none'}")
    measures = sorted({entry.score.measure for entry in data.scores})
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
            charts = []
            for n, value, by in values_by_size(values, chosen):
                bars = [
                    ChartBar(data.models[model].name, estimate, model)
                    for model in scores.models(test)
                    if (estimate := score_estimate(by.get((model, chosen)))) is not None
                ]
                if bars:
                    group = Group(*test, facet, value)
                    charts.append(BarChart(value, bars, n, scale=measure_scale(chosen), measure=chosen, group=group))
            if len(charts) > 1:
                yield PlotData(
                    name=_file_name("breakdown", test.suite, test.test, facet),
                    title=f"{test.suite}: {test.test} by {facet.replace('_', ' ')}",
                    charts=charts[:most],
                    label=_label(chosen),
                )


def _foils(data: ReportData, scores: ScoresByModel) -> Iterator[PlotData]:
    for suite in scores.suites:
        charts = [
            msgspec.structs.replace(chart, bars=own)
            for chart in foil_charts(data, scores, suite)
            if (own := [bar for bar in chart.bars if bar.model is not None])
        ]
        if charts:
            yield PlotData(
                name=_file_name("foils", suite),
                title=f"{suite}: captions that score above their foil",
                charts=charts,
                label=_label("acc_r"),
            )


def _noise(data: ReportData, scores: ScoresByModel) -> Iterator[PlotData]:
    del scores
    for panel in data.panels:
        for chart in section_figures(panel.section):
            if not isinstance(chart, LineChart) or not any(line.model is not None for line in chart.lines):
                continue
            # A panel may call a model by another name than its run.
            lines = [
                line if line.model is None else line._replace(name=data.models[line.model].name) for line in chart.lines
            ]
            yield PlotData(
                name=_file_name("noise", panel.bundle, chart.title),
                title=f"{panel.bundle}: {chart.title}",
                charts=[msgspec.structs.replace(chart, lines=lines, group=Group(panel.bundle, chart.title))],
                label=chart.y.label,
                notes=tuple(data.unshown.get(panel.bundle, ())),
            )


def _coverage(data: ReportData, scores: ScoresByModel) -> Iterator[PlotData]:
    del scores
    for test, charts in overlap_charts(data).items():
        known = [chart for chart in charts.values() if any(True for _ in chart.values())]
        if known:
            yield PlotData(
                name=_file_name("coverage", *test),
                title=f"{test.suite}: {test.test}",
                charts=known,
                label="% of what the column's model gets right",
            )


_WHOLE_TESTS: Mapping[PlotKind, Callable[[ReportData, ScoresByModel], Iterator[PlotData]]] = {
    "drop": _drops,
    "noise": _noise,
    "foils": _foils,
    "coverage": _coverage,
}


def _label(measure: str) -> str:
    return measure_title(measure) + (", %" if measure_scale(measure) in ("share", "difference") else "")


def _file_name(*parts: str) -> str:
    """A name that is safe on every file system."""
    kept = ("".join(one if one.isalnum() and one.isascii() else "-" for one in part) for part in parts)
    return "-".join(filter(None, ("-".join(filter(None, part.split("-"))) for part in kept))).lower()[:120]
