"""Overlap of correct answers: what each model gets right of what the others get right."""

from __future__ import annotations

import msgspec

from falter.core.tables import format_count
from falter.evaluation.measures import Overlap
from falter.evaluation.reporting.published import PublishedOverlapTable
from falter.evaluation.reporting.report_data import ReportData, SuiteTest
from falter.evaluation.reporting.svg import percent

__all__ = ["OverlapMatrix", "overlap_matrices"]

SHADES = 10

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
    models: list[int]
    rows: list[list[OverlapCell]]
    published: PublishedOverlap | None


def overlap_matrices(data: ReportData) -> list[OverlapMatrix]:
    """One matrix for every test that two or more models ran on."""
    by_test: dict[SuiteTest, dict[tuple[int, int, str], Overlap]] = {}
    for one in data.overlaps:
        test = SuiteTest(one.group.suite, one.group.test)
        by_test.setdefault(test, {})[one.run, one.given, one.over] = one
    found = []
    for test, cells in by_test.items():
        models = sorted({model for covering, covered, _ in cells for model in (covering, covered)})
        rows = [[_cell(cells, data, i, j) for j in models] for i in models]
        if all(one.value is None for (_, _, over), one in cells.items() if over == "pairs"):
            # Of single questions there are no pairs to tell of.
            for cell in (cell for row in rows for cell in row):
                cell.pairs = ""
        if len(models) > _MOST_WITH_TITLES:
            for cell in (cell for row in rows for cell in row):
                cell.title = ""
        paper = data.published.get(test.suite)
        table = None if paper is None else paper.overlap(test.test)
        found.append(OverlapMatrix(test, models, rows, None if table is None else _published(table)))
    return found


def _cell(cells: dict[tuple[int, int, str], Overlap], data: ReportData, i: int, j: int) -> OverlapCell:
    single, pairs = (cells.get((i, j, over)) for over in ("instances", "pairs"))
    covering, covered = data.models[i].name, data.models[j].name
    if single is None:
        return OverlapCell() if pairs is None else _ranked_cell(pairs, covering, covered)
    if single.value is None:
        return OverlapCell(value="–", title=f"{covered} has no correct answer")
    title = (
        f"Of the {format_count(single.n, 'questions')} that {covered} answers correctly, {covering} answers "
        f"{percent(single.value)} %"
    )
    shown = "–"
    if pairs is not None and pairs.value is not None:
        shown = percent(pairs.value)
        title += f"; of its {format_count(pairs.n, 'pairs')}, {shown} %"
    return OverlapCell(percent(single.value), shown, title, _shade(single.value))


def _ranked_cell(pairs: Overlap, covering: str, covered: str) -> OverlapCell:
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
