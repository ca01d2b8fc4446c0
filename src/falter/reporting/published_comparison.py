"""A breakdown by facet beside the same breakdown in the paper."""

from __future__ import annotations

import msgspec

from falter.measures import MEASURES
from falter.measures.score import Score
from falter.reporting.charts import percent
from falter.reporting.data import ReportData, SuiteTest
from falter.reporting.published import load_published
from falter.reporting.published_file import Breakdown, Note
from falter.reporting.scores import Cell, Scores, colour, estimate_of

__all__ = ["Beside", "beside"]


class BesideRow(msgspec.Struct):
    """A model or a published system: one cell for each value and measure."""

    name: str
    css: str
    cells: list[Cell]
    people: bool = False


class Beside(msgspec.Struct):
    """Rows are models, then what was published; columns are the facet's values, each with the paper's measures."""

    source: str
    values: list[str]
    measures: list[str]
    rows: list[BesideRow]
    published: list[BesideRow]
    notes: list[str]


def beside(data: ReportData, scores: Scores, test: SuiteTest, facet: str) -> Beside | None:
    """The user's figures by a facet and the published ones; None where nothing was published by it."""
    paper = load_published(test.suite)
    table = None if paper is None else paper.breakdown(test.test, facet)
    if paper is None or table is None:
        return None
    found = scores.facets(test).get(facet, {})
    columns = [(value, measure) for value in table.values for measure in table.measures]
    rows = [
        BesideRow(
            data.models[model].name,
            colour(model),
            [_measured(found.get(value, {}).get((model, measure))) for value, measure in columns],
        )
        for model in scores.asked(test)
    ]
    systems = dict.fromkeys(system for by in table.values.values() for system in by)
    published = [
        BesideRow(
            "People" if system in paper.humans else system,
            "",
            [_printed(table, value, system, measure) for value, measure in columns],
            system in paper.humans,
        )
        for system in sorted(systems, key=lambda name: name not in paper.humans)
    ]
    return Beside(
        source=f"{table.label}, {table.source}",
        values=list(table.values),
        measures=[MEASURES.get(measure).title for measure in table.measures],
        rows=rows,
        published=published,
        notes=[note.text if note.measure is None else f"* {note.text}" for note in table.notes],
    )


def _measured(score: Score | None) -> Cell:
    estimate = estimate_of(score)
    if estimate is None:
        return Cell()
    cell = Cell(value=percent(estimate.value))
    if estimate.low is not None and estimate.high is not None:
        cell.interval = f"{percent(estimate.low)} to {percent(estimate.high)}"
    return cell


def _printed(table: Breakdown, value: str, system: str, measure: str) -> Cell:
    figure = table.values[value].get(system, {}).get(measure)
    if figure is None:
        return Cell()
    return Cell(
        value=f"{figure:.{table.digits}f}",
        note=" ".join(note.text for note in table.notes if _about(note, system, measure)),
    )


def _about(note: Note, system: str, measure: str) -> bool:
    return note.measure == measure and note.system in (None, system)
