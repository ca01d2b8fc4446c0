"""The tables of tests: models by tests with the headline measures, and the published figures below them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from falter.core.tables import format_count
from falter.evaluation.reporting.published import Note, Published, PublishedRow
from falter.evaluation.reporting.ranking import overlap_note
from falter.evaluation.reporting.report_data import ReportData
from falter.evaluation.reporting.scores import (
    ScoreCell,
    ScoresByModel,
    best_of,
    comparable_values,
    higher_is_better,
    measure_title,
    score_cell,
    score_estimate,
)
from falter.evaluation.reporting.svg_charts import mark_width, model_color
from falter.evaluation.runs.failure_records import SuiteTest

_PUBLISHED = ("acc", "cons", "c_acc")
"""What papers on pairs of questions print for whole tests."""


class HeadlineRow(msgspec.Struct):
    """A model (or a published system) over all tests: for each test its cells, none where it did not run."""

    name: str
    css: str
    cells: list[list[ScoreCell]]
    human: bool = False
    lacking: list[str] = []
    """By test what was not answered or not asked, in words; empty where it is 1 % or less."""


class PublishedGroup(msgspec.Struct):
    """The published systems of one paper, aligned to the columns of the table."""

    reference: str
    measures: list[str]
    """The titles of the measures that its cells have."""
    rows: list[HeadlineRow]
    sources: list[str]
    notes: list[str]


class Headline(msgspec.Struct):
    """The table: columns are tests, rows are models, published figures apart."""

    tests: list[SuiteTest]
    pairs: list[int]
    """By test the pairs that were answered; else the single questions, or the sets."""
    units: list[str]
    """By test what is counted: pairs, questions or sets."""
    rows: list[HeadlineRow]
    published: list[PublishedGroup]
    undecided: list[str] = []
    """Where the interval of the best overlaps with that of another model, by test and measure."""
    unshown: list[str] = []
    """Which published figures are not shown, and what they belong to."""


def question_tests(scores: ScoresByModel) -> dict[SuiteTest, list[str]]:
    """The tests with their headline measures; those of captions and foils have a table of their own."""
    return {test: found for test in scores.tests if not scores.has_foils(test) and (found := scores.headline(test))}


def headlines(data: ReportData, scores: ScoresByModel) -> list[Headline]:
    """A table for each suite: models that ran on others would be rows of dashes."""
    tests = question_tests(scores)
    return [
        headline(data, scores, {test: measures for test, measures in tests.items() if test.suite == suite})
        for suite in dict.fromkeys(test.suite for test in tests)
    ]


def headline(data: ReportData, scores: ScoresByModel, measures: Mapping[SuiteTest, Sequence[str]]) -> Headline:
    """Models by the given tests with their headline measures."""
    tests = list(measures)
    models = sorted({model for test in tests for model in scores.models(test)})
    lacking = {
        (one.model, one.answered.group.suite, one.answered.group.test): f"{one.answered.answered:,} of "
        f"{format_count(one.answered.pairs, 'pairs')} answered"
        for one in data.lacking
    }
    pairs = [max((_count(scores, model, test, "c_acc") for model in models), default=0) for test in tests]
    counted = [
        ("pairs", own) if own else _singles_or_sets(scores, models, test)
        for test, own in zip(tests, pairs, strict=True)
    ]
    for column, test in enumerate(tests):
        unit, most = counted[column]
        for model, number in scores.asked_parts(test).items():
            lacking.setdefault((model, *test), f"{number:,} of {format_count(most, unit)} asked")
    rows = []
    for model in models:
        name = data.models[model].name
        cells = [
            [
                score_cell(scores.get(model, test, measure), model, f"{name}, {test.test},", mark_width(len(tests)))
                for measure in measures[test]
            ]
            if model in scores.models(test)
            else []
            for test in tests
        ]
        rows.append(
            HeadlineRow(name, model_color(model), cells, lacking=[lacking.get((model, *test), "") for test in tests])
        )
    for column, test in enumerate(tests):
        for number, measure in enumerate(measures[test]):
            best = best_of(measure, comparable_values(scores, data.lacking, models, test, measure))
            for row, is_best in zip(rows, best, strict=True):
                if not row.cells[column]:
                    continue
                cell = row.cells[column][number]
                cell.measure, cell.name, cell.best = measure, measure_title(measure), is_best
    return Headline(
        tests,
        [number for _, number in counted],
        [unit for unit, _ in counted],
        rows,
        _published(data, tests),
        undecided_bests(data, scores, models, measures),
        [line for suite in dict.fromkeys(test.suite for test in tests) for line in data.unshown.get(suite, ())],
    )


def undecided_bests(
    data: ReportData, scores: ScoresByModel, models: Sequence[int], measures: Mapping[SuiteTest, Sequence[str]]
) -> list[str]:
    """The tests on which the best value of a measure cannot be told from another by its interval."""
    found = []
    for test, own in measures.items():
        said = []
        for measure in own:
            values = comparable_values(scores, data.lacking, models, test, measure)
            if not any(best_of(measure, values)):
                continue
            known = [
                (data.models[model].name, one.value, one.low, one.high)
                for model, value in zip(models, values, strict=True)
                if value is not None
                and (one := score_estimate(scores.get(model, test, measure))) is not None
                and one.value is not None
                and one.low is not None
                and one.high is not None
            ]
            near = overlap_note(known, 1 if higher_is_better(measure) else -1)
            if near:
                said.append(f"{measure_title(measure)} ({near})")
        if said:
            found.append(f"{test.test}: {', '.join(said)}")
    return found


def _singles_or_sets(scores: ScoresByModel, models: list[int], test: SuiteTest) -> tuple[str, int]:
    """What a test without pairs has: single questions, or sets of two images by two texts."""
    for unit in ("questions", "sets"):
        number = max((_count(scores, model, test, unit) for model in models), default=0)
        if number:
            return unit, number
    return "pairs", 0


def _count(scores: ScoresByModel, model: int, test: SuiteTest, measure: str) -> int:
    score = scores.get(model, test, measure)
    return 0 if score is None else score.n


def _published(data: ReportData, tests: list[SuiteTest]) -> list[PublishedGroup]:
    groups = []
    for suite in dict.fromkeys(test.suite for test in tests):
        paper = data.published.get(suite)
        if paper is not None and (group := _published_group(paper, suite, tests)) is not None:
            groups.append(group)
    return groups


def _published_group(paper: Published, suite: str, tests: list[SuiteTest]) -> PublishedGroup | None:
    rows: list[HeadlineRow] = []
    used: list[PublishedRow] = []
    measures = published_measures(paper, [test for test in tests if test.suite == suite])
    for system in sorted(paper.systems, key=lambda name: name not in paper.human):
        found = [paper.row(test.test, system) if test.suite == suite else None for test in tests]
        if any(found):
            used.extend(row for row in found if row)
            cells = [
                _published_cells(row, measures) if test.suite == suite else []
                for row, test in zip(found, tests, strict=True)
            ]
            rows.append(HeadlineRow(system, "", cells, system in paper.human))
    if not rows:
        return None
    sources = list(dict.fromkeys(f"{row.label}: {row.source}" for row in used))
    notes = [_format_note(row, note) for row in used for note in row.notes]
    titles = [measure_title(measure) for measure in measures]
    return PublishedGroup(paper.reference, titles, rows, sources, list(dict.fromkeys(notes)))


def published_measures(paper: Published, tests: Sequence[SuiteTest]) -> list[str]:
    """What the table of tests has of a paper: on pairs three measures, else all of its figures on these tests."""
    rows = [row for test in tests for system in paper.systems if (row := paper.row(test.test, system)) is not None]
    found = list(dict.fromkeys(measure for row in rows for measure in row.values))
    return list(_PUBLISHED) if {"cons", "c_acc"} & {*found} or not found else found


def _format_note(row: PublishedRow, note: Note) -> str:
    about = f", {note.system}" if note.system else ""
    return f"{row.label}, {row.source}{about}: {note.text}"


def _published_cells(row: PublishedRow | None, measures: list[str]) -> list[ScoreCell]:
    cells = []
    for measure in measures:
        value = None if row is None else row.values.get(measure)
        notes = () if row is None else row.notes
        cells.append(
            ScoreCell(
                measure=measure,
                name=measure_title(measure),
                value="–" if value is None else f"{value:.1f}",
                note=" ".join(note.text for note in notes if note.measure == measure),
            )
        )
    return cells
