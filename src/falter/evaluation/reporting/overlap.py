"""Overlap of correct answers: what each model gets right of what the others get right."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from falter.core.tables import format_count
from falter.evaluation.measures import Estimate, Group
from falter.evaluation.reporting.charts import MatrixChart
from falter.evaluation.reporting.published import PublishedOverlapTable
from falter.evaluation.reporting.report_data import ReportData
from falter.evaluation.reporting.svg_charts import percent
from falter.evaluation.runs.failure_records import SuiteTest

SHADES = 10

_COUNTED = {"instances": "questions", "pairs": "pairs"}
"""By what an overlap is over: how it is called."""

_MOST_WITH_TITLES = 12
"""With more models, cells have no sentence of their own: it would be most of the page."""


class OverlapCell(msgspec.Struct):
    """The overlap over questions, and over pairs below; ``shade`` is a step from 0 to 10."""

    value: str = ""
    pairs: str = ""
    title: str = ""
    shade: int | None = None


class PublishedOverlap(msgspec.Struct):
    """The paper's matrix of one test."""

    source: str
    columns: list[str]
    rows: list[tuple[str, list[OverlapCell]]]
    notes: list[str]


class OverlapMatrix(msgspec.Struct):
    """One test: ``models`` are indices into the report's models, in the order of rows and columns."""

    test: SuiteTest
    models: Sequence[int]
    rows: list[list[OverlapCell]]
    published: PublishedOverlap | None


def overlap_charts(data: ReportData) -> dict[SuiteTest, dict[str, MatrixChart]]:
    """By test that two or more models ran on, and by what is counted: the shares that models have in common."""
    by_test: dict[SuiteTest, dict[tuple[str, int, int], Estimate]] = {}
    for overlap in data.overlaps:
        test = SuiteTest(overlap.group.suite, overlap.group.test)
        cell = Estimate(overlap.value, n=overlap.n)
        by_test.setdefault(test, {})[overlap.over, overlap.run, overlap.given] = cell
    charts = {}
    for test, cells in by_test.items():
        models = sorted({model for _, covering, covered in cells for model in (covering, covered)})
        charts[test] = {
            over: MatrixChart(
                group=Group(*test),
                measure=f"coverage over {_COUNTED[over]}",
                models=models,
                names=[data.models[model].name for model in models],
                cells=[[cells.get((over, i, j)) for j in models] for i in models],
            )
            for over in dict.fromkeys(over for over, _, _ in cells)
        }
    return charts


def overlap_matrices(data: ReportData) -> list[OverlapMatrix]:
    """One matrix for every test that two or more models ran on."""
    matrices = []
    for test, charts in overlap_charts(data).items():
        singles, pairs = charts.get("instances"), charts.get("pairs")
        chart = singles or pairs
        assert chart is not None
        models, names = chart.models, chart.names
        # Of single questions there are no pairs to tell of.
        has_pairs = pairs is not None and any(True for _ in pairs.values())
        rows = [
            [
                _cell(
                    None if singles is None else singles.cells[i][j],
                    None if pairs is None else pairs.cells[i][j],
                    covering,
                    covered,
                    has_pairs,
                )
                for j, covered in enumerate(names)
            ]
            for i, covering in enumerate(names)
        ]
        if len(models) > _MOST_WITH_TITLES:
            for cell in (cell for row in rows for cell in row):
                cell.title = ""
        paper = data.published.get(test.suite)
        table = None if paper is None else paper.overlap(test.test)
        matrices.append(OverlapMatrix(test, models, rows, None if table is None else _published(table)))
    return matrices


def _cell(single: Estimate | None, pairs: Estimate | None, covering: str, covered: str, has_pairs: bool) -> OverlapCell:
    if single is None:
        return OverlapCell() if pairs is None else _ranked_cell(pairs, covering, covered)
    if single.value is None:
        return OverlapCell(value="–", title=f"{covered} has no correct answer")
    title = (
        f"Of the {format_count(single.n, 'questions')} that {covered} answers correctly, {covering} answers "
        f"{percent(single.value)} %"
    )
    shown = "–" if has_pairs else ""
    if pairs is not None and pairs.value is not None:
        shown = percent(pairs.value)
        title += f"; of its {format_count(pairs.n, 'pairs')}, {shown} %"
    return OverlapCell(percent(single.value), shown, title, _shade(single.value))


def _ranked_cell(pairs: Estimate, covering: str, covered: str) -> OverlapCell:
    """Of captions and foils, where only pairs count."""
    if pairs.value is None:
        return OverlapCell(value="–", title=f"{covered} ranks no caption above its foil")
    shown = percent(pairs.value)
    title = (
        f"Of the {format_count(pairs.n, 'captions')} that {covered} ranks above their foils, {covering} ranks {shown} "
        "% so"
    )
    return OverlapCell(shown, title=title, shade=_shade(pairs.value))


def _published(table: PublishedOverlapTable) -> PublishedOverlap:
    rows = []
    for system, values in table.rows.items():
        cells = [
            OverlapCell() if value is None else OverlapCell(f"{value:.1f}", shade=_shade(value / 100))
            for value in values
        ]
        rows.append((system, cells))
    notes = [note.text for note in table.notes]
    return PublishedOverlap(f"{table.label}, {table.source}", list(table.columns), rows, notes)


def _shade(share: float) -> int:
    return min(int(share * SHADES + 0.5), SHADES)
