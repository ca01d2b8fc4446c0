"""The tables below the first one: breakdowns by facet, response bias, further measures, signatures.

A breakdown that a paper published too is compared with the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from falter.evaluation.measures import Score
from falter.evaluation.reporting.foils import FOIL_MEASURES
from falter.evaluation.reporting.headline import published_measures
from falter.evaluation.reporting.published import Breakdown, Note
from falter.evaluation.reporting.ranking import REPEATABILITY, STABILITY
from falter.evaluation.reporting.report_data import ReportData
from falter.evaluation.reporting.scores import ScoreCell, ScoresByModel, measure_title, score_cell, score_estimate
from falter.evaluation.reporting.svg_charts import mark_width, model_color, percent, share_bar
from falter.evaluation.runs.failure_records import SuiteTest


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
            [_measured_cell(found.get(value, {}).get((model, measure))) for value, measure in columns],
        )
        for model in scores.models(test)
    ]
    systems = dict.fromkeys(system for by in table.values.values() for system in by)
    published = [
        ComparisonRow(
            system,
            "",
            [_printed_cell(table, value, system, measure) for value, measure in columns],
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


def _measured_cell(score: Score | None) -> ScoreCell:
    estimate = score_estimate(score)
    if estimate is None or estimate.value is None:
        return ScoreCell()
    cell = ScoreCell(value=percent(estimate.value))
    if estimate.low is not None and estimate.high is not None:
        cell.interval = f"{percent(estimate.low)} to {percent(estimate.high)}"
    return cell


def _printed_cell(table: Breakdown, value: str, system: str, measure: str) -> ScoreCell:
    figure = table.values[value].get(system, {}).get(measure)
    if figure is None:
        return ScoreCell()
    return ScoreCell(
        value=f"{figure:.{table.digits}f}",
        note=" ".join(note.text for note in table.notes if _is_note_for(note, system, measure)),
    )


def _is_note_for(note: Note, system: str, measure: str) -> bool:
    return note.measure == measure and note.system in (None, system)


_MOST_VALUES, _FEWEST_VALUES = 40, 6
_COLUMNS_OF_VALUES = 320
"""Values times models that a table of a facet shows."""

_BREAKDOWN_MARKS = {5: 44.0, 6: 26.0}
"""How wide marks are where a table would else be wider than a laptop's page, by the number of models."""

_MOST_WITH_MARKS = 6
"""With more models, breakdowns have numbers alone."""

_RATES = ("yes_rate", "no_rate", "first_choice_rate", "off_list_rate")
_COUNTS = ("unparsed", "truncated", "failed", "missing", "unsupported")


def values_per_facet(models: int) -> int:
    """How many values of a facet are shown, the commonest ones: fewer where there are many models."""
    return min(max(_COLUMNS_OF_VALUES // max(models, 1), _FEWEST_VALUES), _MOST_VALUES)


class FacetTable(msgspec.Struct):
    """One facet of a test: rows are its values, columns are models, as indices."""

    facet: str
    models: list[int]
    rows: list[tuple[str, int, list[list[ScoreCell]]]]
    left_out: int
    unit: str
    """What the rows count: pairs, questions or sets."""
    comparison: PublishedComparison | None = None


class BreakdownTable(msgspec.Struct):
    """All facets of a test."""

    test: SuiteTest
    facets: list[FacetTable]


def breakdowns(data: ReportData, scores: ScoresByModel) -> list[BreakdownTable]:
    """The headline measures by every facet that was scored."""
    found = []
    most = values_per_facet(len(data.models))
    for test in scores.tests:
        tables = []
        models = scores.models(test)
        width = _BREAKDOWN_MARKS.get(len(models), mark_width(len(models))) if len(models) <= _MOST_WITH_MARKS else 0
        shown = scores.headline(test)
        counted, unit = _counted_measure(scores, test)
        for facet, values in sorted(scores.facets(test).items()):
            sized = values_by_size(values, counted)
            rows = [
                (
                    value,
                    pairs,
                    [
                        [score_cell(by.get((model, measure)), model, f"{value},", width) for measure in shown]
                        for model in models
                    ],
                )
                for pairs, value, by in sized[:most]
            ]
            # A facet with one value on this test repeats the test's own scores.
            if len(rows) > 1:
                left_out = max(data.facet_values.get((*test, facet), len(sized)) - len(rows), 0)
                comparison = compare_with_published(data, scores, test, facet)
                tables.append(FacetTable(facet, models, rows, left_out, unit, comparison))
        if tables:
            found.append(BreakdownTable(test, tables))
    return found


_COUNTED = (
    ("c_acc", "pairs"),
    ("group_score", "sets"),
    ("group_acc", "sets"),
    ("acc", "questions"),
)
"""By measure what its n counts, where a test has a value of it."""


def _counted_measure(scores: ScoresByModel, test: SuiteTest) -> tuple[str, str]:
    """The measure whose n is the number of pairs, or else of sets or single questions, and which of these."""
    if scores.has_foils(test):
        return "acc_r", "pairs"
    known = {
        name for model in scores.models(test) for name, _ in _COUNTED if scores.value(model, test, name) is not None
    }
    return next((one for one in _COUNTED if one[0] in known), _COUNTED[0])


def values_by_size(
    values: Mapping[str, Mapping[tuple[int, str], Score]], counted: str
) -> list[tuple[int, str, Mapping[tuple[int, str], Score]]]:
    """The values of a facet that have scores of a measure, the commonest first, each with its count."""
    sized = (
        (max((score.n for (_, measure), score in by.items() if measure == counted), default=0), value, by)
        for value, by in values.items()
    )
    return sorted((entry for entry in sized if entry[0]), key=lambda entry: (-entry[0], entry[1]))


class ResponseBiasRow(msgspec.Struct):
    """Rates of a model on a test with bars, then counts."""

    test: SuiteTest
    name: str
    css: str
    rates: list[ScoreCell]
    counts: list[str]
    first: bool
    span: int


class ResponseBias(msgspec.Struct):
    """The table of rates and counts; its columns are those that some score has."""

    rates: list[str]
    counts: list[str]
    rows: list[ResponseBiasRow]


def response_bias(data: ReportData, scores: ScoresByModel) -> ResponseBias:
    """Yes, first-choice and off-list rates, and the number of pairs with an unparsed, failed or missing reply."""
    rates, counts = ([name for name in names if name in scores.measures] for names in (_RATES, _COUNTS))
    rows = []
    for test in scores.tests:
        shown = [
            model
            for model in scores.models(test)
            if any(scores.get(model, test, measure) for measure in (*_RATES, *_COUNTS))
        ]
        if scores.has_foils(test) and not _any_lost(scores, test, shown):
            continue
        for model in shown:
            name = data.models[model].name
            rows.append(
                ResponseBiasRow(
                    test,
                    name,
                    model_color(model),
                    [_rate(scores.get(model, test, measure), model, name) for measure in rates],
                    [_count(scores.get(model, test, measure)) for measure in counts],
                    model == shown[0],
                    len(shown),
                )
            )
    return ResponseBias([measure_title(name) for name in rates], [measure_title(name) for name in counts], rows)


def _any_lost(scores: ScoresByModel, test: SuiteTest, models: list[int]) -> bool:
    """Whether replies to a test of captions and foils, where rates say nothing, were unparsed, failed or missing."""
    return any(scores.value(model, test, count) for model in models for count in _COUNTS)


def _rate(score: Score | None, model: int, name: str) -> ScoreCell:
    if score is None or score.value is None:
        return ScoreCell()
    label = f"{name}, {measure_title(score.measure)}"
    return ScoreCell(value=percent(score.value), mark=share_bar(score.value, model_color(model), label), n=score.n)


def _count(score: Score | None) -> str:
    return "–" if score is None or score.value is None else f"{score.value:,.0f}"


class OtherRow(msgspec.Struct):
    """A measure that has no table of its own, over a test: a cell for each model."""

    test: SuiteTest
    measure: str
    cells: list[ScoreCell]
    published: str = ""
    """What was published of it, by system; empty where another table shows it."""


class OtherMeasures(msgspec.Struct):
    """The table: ``models`` are indices into the report's models, in the order of the columns."""

    models: list[int]
    rows: list[OtherRow]


def other_measures(data: ReportData, scores: ScoresByModel) -> OtherMeasures:
    """Measures over whole tests that no other table shows."""
    models = sorted({model for test in scores.tests for model in scores.models(test)})
    elsewhere = {*_RATES, *_COUNTS, *REPEATABILITY, *STABILITY, "pairs", "questions", "sets"}
    rows = []
    for test in scores.tests:
        known = {*elsewhere, *scores.headline(test), *(FOIL_MEASURES if scores.has_foils(test) else ())}
        for measure in scores.measures:
            found = [scores.get(model, test, measure) for model in models]
            if measure not in known and any(score is not None and score.value is not None for score in found):
                cells = [score_cell(score, model, width=0) for model, score in zip(models, found, strict=True)]
                rows.append(OtherRow(test, measure_title(measure), cells, _published(data, scores, test, measure)))
    return OtherMeasures(models, rows)


def _published(data: ReportData, scores: ScoresByModel, test: SuiteTest, measure: str) -> str:
    paper = data.published.get(test.suite)
    own = [one for one in scores.tests if one.suite == test.suite]
    if paper is None or (measure in published_measures(paper, own) and not scores.has_foils(test)):
        return ""
    rows = (paper.row(test.test, system) for system in paper.systems)
    return ", ".join(f"{row.system} {row.values[measure]:.1f}" for row in rows if row and measure in row.values)


class Signed(msgspec.Struct):
    """A signature, and the measures and models of the scores that have it."""

    signature: str
    measures: list[str]
    models: list[str]


def signatures(data: ReportData, scores: ScoresByModel) -> list[Signed]:
    """Every signature once, with the measures and models of the scores that have it."""
    found: dict[str, Signed] = {}
    for model, _, measure, score in scores.all():
        if score.value is None or not score.signature:
            continue
        signed = found.setdefault(score.signature, Signed(score.signature, [], []))
        for names, name in ((signed.measures, measure_title(measure)), (signed.models, data.models[model].name)):
            if name not in names:
                names.append(name)
    return list(found.values())
