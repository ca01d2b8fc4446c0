"""A breakdown by facet compared with the same breakdown in the paper."""

from __future__ import annotations

import msgspec

from falter.measures import Score
from falter.reporting.measure_info import measure_title
from falter.reporting.published import Breakdown, Note
from falter.reporting.report_data import ReportData, SuiteTest
from falter.reporting.scores import ScoreCell, ScoresByModel, score_estimate
from falter.reporting.svg import model_color, percent

__all__ = ["PublishedComparison", "compare_with_published"]


class ComparisonRow(msgspec.Struct):
    """A model or a published system: one cell for each value and measure."""

    name: str
    css: str
    cells: list[ScoreCell]
    human: bool = False


class PublishedComparison(msgspec.Struct):
    """Rows are models, then what was published; columns are the facet's values, each with the paper's measures."""

    source: str
    values: list[str]
    measures: list[str]
    rows: list[ComparisonRow]
    published: list[ComparisonRow]
    notes: list[str]


def compare_with_published(
    data: ReportData, scores: ScoresByModel, test: SuiteTest, facet: str
) -> PublishedComparison | None:
    """The user's figures by a facet and the published ones; None where nothing was published of this breakdown."""
    paper = data.published.get(test.suite)
    table = None if paper is None else paper.breakdown(test.test, facet)
    if paper is None or table is None:
        return None
    found = scores.facets(test).get(facet, {})
    columns = [(value, measure) for value in table.values for measure in table.measures]
    rows = [
        ComparisonRow(
            data.models[model].name,
            model_color(model),
            [_measured(found.get(value, {}).get((model, measure))) for value, measure in columns],
        )
        for model in scores.models(test)
    ]
    systems = dict.fromkeys(system for by in table.values.values() for system in by)
    published = [
        ComparisonRow(
            system,
            "",
            [_printed(table, value, system, measure) for value, measure in columns],
            system in paper.human,
        )
        for system in sorted(systems, key=lambda name: name not in paper.human)
    ]
    return PublishedComparison(
        source=f"{table.label}, {table.source}",
        values=list(table.values),
        measures=[measure_title(measure) for measure in table.measures],
        rows=rows,
        published=published,
        notes=[note.text if note.measure is None else f"* {note.text}" for note in table.notes],
    )


def _measured(score: Score | None) -> ScoreCell:
    estimate = score_estimate(score)
    if estimate is None or estimate.value is None:
        return ScoreCell()
    cell = ScoreCell(value=percent(estimate.value))
    if estimate.low is not None and estimate.high is not None:
        cell.interval = f"{percent(estimate.low)} to {percent(estimate.high)}"
    return cell


def _printed(table: Breakdown, value: str, system: str, measure: str) -> ScoreCell:
    figure = table.values[value].get(system, {}).get(measure)
    if figure is None:
        return ScoreCell()
    return ScoreCell(
        value=f"{figure:.{table.digits}f}",
        note=" ".join(note.text for note in table.notes if _about(note, system, measure)),
    )


def _about(note: Note, system: str, measure: str) -> bool:
    return note.measure == measure and note.system in (None, system)
