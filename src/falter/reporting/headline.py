"""The headline table: models by tests, and what the papers published beside them."""

from __future__ import annotations

import msgspec

from falter.reporting.charts import mark_width
from falter.reporting.data import ReportData, SuiteTest
from falter.reporting.foils import OVER_TESTS, FoilSuite, is_foil_test
from falter.reporting.published import Note, PublishedRow, load_published
from falter.reporting.reading import HEADLINE, name_of
from falter.reporting.scores import Cell, Scores, cell_of, colour

__all__ = ["Headline", "headline", "lede"]


class HeadlineRow(msgspec.Struct):
    """A model (or a published system) over all tests: for each test its three cells."""

    name: str
    css: str
    cells: list[list[Cell]]
    people: bool = False


class PublishedGroup(msgspec.Struct):
    """The published systems of one paper, aligned to the columns of the headline table."""

    reference: str
    rows: list[HeadlineRow]
    sources: list[str]
    notes: list[str]


class Headline(msgspec.Struct):
    """The headline table: columns are tests, rows are models, published figures apart."""

    tests: list[SuiteTest]
    pairs: list[int]
    rows: list[HeadlineRow]
    published: list[PublishedGroup]


def headline(data: ReportData, scores: Scores) -> Headline:
    """Models by tests with ACC, CONS and C-ACC."""
    tests = [
        test
        for test in scores.tests
        if any(scores.get(model, test, measure) for model in range(len(data.models)) for measure in HEADLINE)
        and not is_foil_test(test, data, scores)
    ]
    # A model that was asked other suites alone would be a row of dashes.
    asked = [model for model in range(len(data.models)) if any(scores.get(model, test, "acc") for test in tests)]
    rows = []
    for model in asked:
        card = data.models[model]
        cells = [
            [
                cell_of(scores.get(model, test, measure), model, f"{card.name}, {test.test},", mark_width(len(tests)))
                for measure in HEADLINE
            ]
            for test in tests
        ]
        rows.append(HeadlineRow(card.name, colour(model), cells))
    for column, test in enumerate(tests):
        for place, measure in enumerate(HEADLINE):
            values = [scores.value(model, test, measure) for model in asked]
            known = [value for value in values if value is not None]
            for row, value in zip(rows, values, strict=True):
                cell = row.cells[column][place]
                cell.measure, cell.name = measure, name_of(measure)
                cell.best = len(known) > 1 and value is not None and value == max(known)
    pairs = [
        max((score.n for model in range(len(data.models)) if (score := scores.get(model, test, "c_acc"))), default=0)
        for test in tests
    ]
    return Headline(tests, pairs, rows, _published(tests))


def lede(data: ReportData, results: Headline, matched: list[FoilSuite]) -> str:
    """What the report is about, in two sentences."""
    told = []
    if results.tests or not matched:
        models = _models(len(results.rows) if results.tests else len(data.models))
        tests = f"{len(results.tests)} test{'' if len(results.tests) == 1 else 's'}"
        told.append(
            f"{models}, {tests}, {sum(results.pairs):,} pairs of questions. Each pair changes the question or the "
            "picture a little; what must hold between the two answers is known."
        )
    for suite in matched:
        models = _models(suite.models)
        own = [pairs for test, pairs in zip(suite.tests, suite.pairs, strict=True) if test not in OVER_TESTS]
        tests = f"{len(own)} test{'' if len(own) == 1 else 's'}"
        told.append(
            f"{models}, {tests}, {sum(own):,} pairs of a caption and a foil. The foil differs from the caption in one "
            "respect that the picture decides; the caption must score higher."
        )
    return " ".join(told)


def _models(count: int) -> str:
    return f"{count} model{'' if count == 1 else 's'}"


def _published(tests: list[SuiteTest]) -> list[PublishedGroup]:
    groups = []
    for suite in dict.fromkeys(test.suite for test in tests):
        paper = load_published(suite)
        if paper is None:
            continue
        rows: list[HeadlineRow] = []
        used: list[PublishedRow] = []
        for system in sorted(paper.systems, key=lambda name: name != "Human"):
            found = [paper.row(test.test, system) if test.suite == suite else None for test in tests]
            if not any(found):
                continue
            used.extend(row for row in found if row)
            people = any(row.people for row in found if row)
            name = "People" if people else system
            rows.append(HeadlineRow(name, "", [_published_cells(row) for row in found], people))
        if rows:
            sources = list(dict.fromkeys(f"{row.label}: {row.source}" for row in used))
            notes = [_told(row, note) for row in used for note in row.notes]
            groups.append(PublishedGroup(paper.reference, rows, sources, list(dict.fromkeys(notes))))
    return groups


def _told(row: PublishedRow, note: Note) -> str:
    about = "people" if note.system and row.people else note.system
    return f"{row.label}, {row.source}{f', {about}' if about else ''}: {note.text}"


def _published_cells(row: PublishedRow | None) -> list[Cell]:
    cells = []
    for measure in HEADLINE:
        value = None if row is None else row.values.get(measure)
        note = ""
        if row is not None:
            note = " ".join(note.text for note in row.notes if note.measure == measure)
        cells.append(
            Cell(measure=measure, name=name_of(measure), value="–" if value is None else f"{value:.1f}", note=note)
        )
    return cells
