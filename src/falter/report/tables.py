"""Scores arranged the way the page shows them."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

import msgspec
from markupsafe import Markup

from falter.measures.score import Score
from falter.report.charts import (
    Estimate,
    Level,
    Row,
    consistency_chart,
    drop_chart,
    interval_mark,
    mark_width,
    percent,
    share_bar,
)
from falter.report.data import ModelScore, ReportData, SuiteTest
from falter.report.published import PublishedRow, load_published
from falter.report.reading import ANSWER_COUNTS, ANSWER_RATES, HEADLINE, name_of

__all__ = [
    "COLOURS",
    "Cell",
    "Scores",
    "behaviour",
    "breakdowns",
    "charts",
    "glance",
    "headline",
    "others",
    "signatures",
]

COLOURS = 8
"""Model colours in the style sheet; a ninth model takes the first one again, so names always stand beside them."""

VALUES_A_FACET = 40


class Cell(msgspec.Struct, kw_only=True):
    """One value of a table."""

    measure: str = ""
    name: str = ""
    value: str = "–"
    interval: str = ""
    mark: Markup = Markup("")
    n: int | None = None
    best: bool = False
    note: str = ""


class Scores:
    """All scores of a report, found by model, test, measure and facet."""

    def __init__(self, scores: Iterable[ModelScore]) -> None:
        self._whole: dict[tuple[int, SuiteTest, str], Score] = {}
        self._faceted: dict[tuple[SuiteTest, str], dict[str, dict[tuple[int, str], Score]]] = {}
        self.tests: list[SuiteTest] = []
        self.measures: list[str] = []
        for entry in scores:
            score = entry.score
            key = SuiteTest(score.group.suite, score.group.test)
            if key not in self.tests:
                self.tests.append(key)
            if score.measure not in self.measures:
                self.measures.append(score.measure)
            if score.group.facet is None:
                self._whole[entry.model, key, score.measure] = score
            else:
                values = self._faceted.setdefault((key, score.group.facet), {})
                values.setdefault(str(score.group.value), {})[entry.model, score.measure] = score

    def get(self, model: int, test: SuiteTest, measure: str) -> Score | None:
        """The score over a whole test."""
        return self._whole.get((model, test, measure))

    def value(self, model: int, test: SuiteTest, measure: str) -> float | None:
        """The bare value over a whole test."""
        score = self.get(model, test, measure)
        return None if score is None else score.value

    def facets(self, test: SuiteTest) -> dict[str, dict[str, dict[tuple[int, str], Score]]]:
        """By facet and value: the scores of every model and measure."""
        return {facet: values for (key, facet), values in self._faceted.items() if key == test}

    def all(self) -> list[tuple[int, SuiteTest, str, Score]]:
        """Every score over a whole test."""
        return [(*key, score) for key, score in self._whole.items()]


def colour(model: int) -> str:
    """The class that gives a model its colour."""
    return f"m{model % COLOURS}"


def estimate_of(score: Score | None) -> Estimate | None:
    """A score as a point with an interval, or None where there is nothing to draw."""
    if score is None or score.value is None or not isfinite(score.value):
        return None
    ends = (score.low, score.high)
    known = all(end is not None and isfinite(end) for end in ends)
    return Estimate(score.value, *(ends if known else (None, None)))


def cell_of(score: Score | None, model: int, label: str = "", width: float = 44.0) -> Cell:
    """A score as a table cell with its interval mark."""
    estimate = estimate_of(score)
    if score is None or estimate is None:
        return Cell(measure="" if score is None else score.measure)
    interval = ""
    if estimate.low is not None and estimate.high is not None:
        interval = f"{percent(estimate.low)} to {percent(estimate.high)}"
    return Cell(
        measure=score.measure,
        name=name_of(score.measure),
        value=percent(estimate.value),
        interval=interval,
        mark=interval_mark(estimate, colour(model), f"{label} {name_of(score.measure)}", width),
        n=score.n,
    )


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
    ]
    rows = []
    for model, card in enumerate(data.models):
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
            values = [scores.value(model, test, measure) for model in range(len(data.models))]
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
            notes = [f"{row.label}, {row.source}. {note.text}" for row in used for note in row.notes]
            groups.append(PublishedGroup(paper.reference, rows, sources, list(dict.fromkeys(notes))))
    return groups


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


class Panel(msgspec.Struct):
    """One chart with its heading."""

    test: SuiteTest
    drawing: Markup


def charts(data: ReportData, scores: Scores) -> tuple[list[Panel], list[Panel]]:
    """The panels of ACC against C-ACC, and of consistency against chance."""
    drops, chances = [], []
    for test in headline(data, scores).tests:
        rows = [
            Row(
                card.name,
                colour(model),
                estimate_of(scores.get(model, test, "acc")),
                estimate_of(scores.get(model, test, "c_acc")),
            )
            for model, card in enumerate(data.models)
        ]
        drops.append(Panel(test, drop_chart(test.test, rows, _people(test))))
        rows = [
            Row(
                card.name,
                colour(model),
                estimate_of(scores.get(model, test, "cons_independent")),
                estimate_of(scores.get(model, test, "cons")),
            )
            for model, card in enumerate(data.models)
        ]
        if any(row.start is not None for row in rows):
            chances.append(Panel(test, consistency_chart(test.test, rows)))
    return drops, chances


def _people(test: SuiteTest) -> Level | None:
    paper = load_published(test.suite)
    row = None if paper is None else paper.people(test.test)
    if row is None or ("acc" not in row.values and "c_acc" not in row.values):
        return None
    acc, c_acc = row.values.get("acc"), row.values.get("c_acc")
    return Level("people", None if acc is None else acc / 100, None if c_acc is None else c_acc / 100)


class Glance(msgspec.Struct):
    """One model in a sentence: where it falters most."""

    name: str
    css: str
    test: str
    acc: str
    c_acc: str
    drop: str
    drawing: Markup
    sound: bool


def glance(data: ReportData, scores: Scores) -> list[Glance]:
    """For each model the test on which the fewest pairs come out right, and what ACC alone would have said."""
    found = []
    for model, card in enumerate(data.models):
        measured = [
            (c_acc, acc, test)
            for test in scores.tests
            if (c_acc := scores.value(model, test, "c_acc")) is not None
            and (acc := scores.value(model, test, "acc")) is not None
        ]
        if not measured:
            continue
        c_acc, acc, test = min(measured, key=lambda entry: entry[0])
        drawing = share_bar(c_acc, colour(model), f"{card.name}, {test.test}, C-ACC")
        drop = f"{(acc - c_acc) * 100:.1f}"
        found.append(
            Glance(card.name, colour(model), test.test, percent(acc), percent(c_acc), drop, drawing, c_acc == 1)
        )
    return found


class FacetTable(msgspec.Struct):
    """One facet of a test: rows are its values, columns are models."""

    facet: str
    rows: list[tuple[str, int, list[list[Cell]]]]
    left_out: int


class Breakdown(msgspec.Struct):
    """All facets of a test."""

    test: SuiteTest
    facets: list[FacetTable]


def breakdowns(data: ReportData, scores: Scores) -> list[Breakdown]:
    """ACC and C-ACC by every facet that was scored."""
    found = []
    width = mark_width(len(data.models))
    for test in scores.tests:
        tables = []
        for facet, values in sorted(scores.facets(test).items()):
            sized = sorted(
                ((pairs, value, by) for value, by in values.items() if (pairs := _pairs_in(by))),
                key=lambda entry: (-entry[0], entry[1]),
            )
            rows = [
                (
                    value,
                    pairs,
                    [
                        [cell_of(by.get((model, measure)), model, f"{value},", width) for measure in ("acc", "c_acc")]
                        for model in range(len(data.models))
                    ],
                )
                for pairs, value, by in sized[:VALUES_A_FACET]
            ]
            if rows:
                tables.append(FacetTable(facet, rows, max(len(sized) - VALUES_A_FACET, 0)))
        if tables:
            found.append(Breakdown(test, tables))
    return found


def _pairs_in(by: dict[tuple[int, str], Score]) -> int:
    return max((score.n for (_, measure), score in by.items() if measure == "c_acc"), default=0)


class BehaviourRow(msgspec.Struct):
    """How a model answers on a test: shares with bars, then counts."""

    test: SuiteTest
    name: str
    css: str
    rates: list[Cell]
    counts: list[str]
    first: bool
    span: int


def behaviour(data: ReportData, scores: Scores) -> list[BehaviourRow]:
    """Yes, first-choice and off-list rates, and the counts of replies that were no answers."""
    rows = []
    for test in scores.tests:
        told = [
            model
            for model in range(len(data.models))
            if any(scores.get(model, test, measure) for measure in (*ANSWER_RATES, *ANSWER_COUNTS))
        ]
        for model in told:
            name = data.models[model].name
            rates = [_rate(scores.get(model, test, measure), model, name) for measure in ANSWER_RATES]
            counts = [_count(scores.get(model, test, measure)) for measure in ANSWER_COUNTS]
            rows.append(BehaviourRow(test, name, colour(model), rates, counts, model == told[0], len(told)))
    return rows


def _rate(score: Score | None, model: int, name: str) -> Cell:
    if score is None or score.value is None:
        return Cell()
    label = f"{name}, {name_of(score.measure)}"
    return Cell(value=percent(score.value), mark=share_bar(score.value, colour(model), label), n=score.n)


def _count(score: Score | None) -> str:
    return "–" if score is None or score.value is None else f"{score.value:,.0f}"


class OtherRow(msgspec.Struct):
    """A measure that has no place of its own on the page."""

    test: SuiteTest
    model: str
    css: str
    cell: Cell


def others(data: ReportData, scores: Scores) -> list[OtherRow]:
    """Every score over a whole test that the other tables do not show."""
    known = {*HEADLINE, *ANSWER_RATES, *ANSWER_COUNTS, "pairs"}
    rows = []
    for model, test, measure, score in scores.all():
        if measure in known or score.value is None:
            continue
        plain = 0 <= score.value <= 1
        cell = cell_of(score, model, test.test) if plain else Cell(name=measure, value=f"{score.value:g}", n=score.n)
        cell.name = name_of(measure)
        rows.append(OtherRow(test, data.models[model].name, colour(model), cell))
    return rows


def signatures(data: ReportData, scores: Scores) -> list[tuple[str, str]]:
    """Model and signature of every headline score, each signature once."""
    return list(
        dict.fromkeys(
            (data.models[model].name, score.signature) for model, _, _, score in scores.all() if score.signature
        )
    )
