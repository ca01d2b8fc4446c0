"""Tests of captions and foils: a table in the form of the paper's, and bars beside the published models."""

from __future__ import annotations

import msgspec
from markupsafe import Markup

from falter.measures.together import MEAN, TOGETHER
from falter.reporting.charts import percent
from falter.reporting.data import ReportData, SuiteTest
from falter.reporting.foil_bars import Bar, foil_bars
from falter.reporting.published import Published, load_published
from falter.reporting.reading import name_of
from falter.reporting.scores import Cell, Scores, colour, estimate_of

__all__ = ["FOIL_MEASURES", "OVER_TESTS", "FoilBlock", "FoilSuite", "foils", "is_foil_test", "worst_foils"]

FOIL_MEASURES = ("acc_r", "auroc", "acc", "p_c", "p_f", "min_pc_pf", "position_bias")
"""The measures of the table, the paper's main ones first."""

_NOT_BETTER = frozenset(("position_bias",))
"""Measures of which more is not better."""

RANDOM = "Random"

_TOGETHER = {MEAN: "mean of tests", TOGETHER: "all pairs"}


OVER_TESTS = frozenset(_TOGETHER.values())
"""How what is over several tests is headed."""


class FoilRow(msgspec.Struct):
    """A model or a published system: a cell for each test."""

    name: str
    css: str
    cells: list[Cell]


class FoilBlock(msgspec.Struct):
    """One measure: the user's models, then the published ones."""

    measure: str
    name: str
    rows: list[FoilRow]
    published: list[FoilRow]


class FoilPanel(msgspec.Struct):
    """The bars of one test."""

    title: str
    pairs: int
    drawing: Markup


class FoilSuite(msgspec.Struct):
    """All tests of captions and foils in one suite."""

    suite: str
    models: int
    """How many of the models were asked it."""
    tests: list[str]
    pairs: list[int]
    ties: list[FoilRow]
    blocks: list[FoilBlock]
    panels: list[FoilPanel]
    reference: str
    notes: list[str]
    needs_probability: list[str]
    """Models that give no probabilities, so that nothing of theirs can be thresholded."""


def is_foil_test(test: SuiteTest, data: ReportData, scores: Scores) -> bool:
    """Whether a test has captions ranked against foils."""
    return any(scores.get(model, test, "acc_r") is not None for model in range(len(data.models)))


def foils(data: ReportData, scores: Scores) -> list[FoilSuite]:
    """The suites that have such tests, each with its table and bars."""
    found: dict[str, list[SuiteTest]] = {}
    for test in scores.tests:
        if is_foil_test(test, data, scores):
            found.setdefault(test.suite, []).append(test)
    return [_suite(data, scores, suite, tests) for suite, tests in found.items()]


def worst_foils(data: ReportData, scores: Scores, model: int) -> tuple[float, SuiteTest] | None:
    """The test on which a model ranks the fewest captions above their foils."""
    measured = [
        (value, test)
        for test in scores.tests
        if test.test not in _TOGETHER
        and is_foil_test(test, data, scores)
        and (value := scores.value(model, test, "acc_r")) is not None
    ]
    return min(measured, key=lambda entry: entry[0]) if measured else None


def _suite(data: ReportData, scores: Scores, suite: str, tests: list[SuiteTest]) -> FoilSuite:
    paper = load_published(suite)
    tests = sorted(tests, key=lambda test: _place(test.test, paper))
    models = range(len(data.models))
    return FoilSuite(
        suite=suite,
        models=sum(any(scores.get(model, test, "acc_r") for test in tests) for model in models),
        tests=[_title(test.test) for test in tests],
        pairs=[
            max((score.n for model in models if (score := scores.get(model, test, "acc_r"))), default=0)
            for test in tests
        ],
        ties=[
            FoilRow(card.name, colour(model), [_ties(scores, model, test) for test in tests])
            for model, card in enumerate(data.models)
            if any(scores.value(model, test, "ties") is not None for test in tests)
        ],
        blocks=[block for measure in FOIL_MEASURES if (block := _block(data, scores, measure, tests, paper))],
        # The mean has published figures beside it; over all pairs nothing was published, so the table does.
        panels=[_panel(data, scores, test, paper) for test in tests if test.test != TOGETHER],
        reference="" if paper is None else paper.reference,
        notes=[] if paper is None else _notes(paper, tests),
        needs_probability=[
            card.name
            for model, card in enumerate(data.models)
            if any(scores.value(model, test, "acc_r") is not None for test in tests)
            and all(scores.value(model, test, "p_c") is None for test in tests)
        ],
    )


def _place(test: str, paper: Published | None) -> tuple[int, int, str]:
    """The paper's order, then the others; what is over several tests comes last."""
    order = [] if paper is None else [row.test for row in paper.rows]
    return (
        list(_TOGETHER).index(test) + 1 if test in _TOGETHER else 0,
        order.index(test) if test in order else len(order),
        test,
    )


def _title(test: str) -> str:
    return _TOGETHER.get(test, test)


def _ties(scores: Scores, model: int, test: SuiteTest) -> Cell:
    count = scores.value(model, test, "ties")
    return Cell(measure="ties", value="–" if count is None else f"{count:,.0f}")


def _block(
    data: ReportData, scores: Scores, measure: str, tests: list[SuiteTest], paper: Published | None
) -> FoilBlock | None:
    rows = []
    for model, card in enumerate(data.models):
        cells = [_cell(scores, model, test, measure) for test in tests]
        if any(cell.n for cell in cells):
            rows.append(FoilRow(card.name, colour(model), cells))
    if not rows:
        return None
    for column in range(len(tests)):
        values = [scores.value(model, tests[column], measure) for model in range(len(data.models))]
        known = [value for value in values if value is not None]
        for row in rows:
            model = next(place for place, card in enumerate(data.models) if card.name == row.name)
            row.cells[column].best = measure not in _NOT_BETTER and len(known) > 1 and values[model] == max(known)
    return FoilBlock(measure, name_of(measure), rows, _published(measure, tests, paper))


def _cell(scores: Scores, model: int, test: SuiteTest, measure: str) -> Cell:
    score = scores.get(model, test, measure)
    estimate = estimate_of(score)
    if score is None or estimate is None:
        return Cell(measure=measure, note="" if score is None else score.reason or "")
    cell = Cell(measure=measure, value=percent(estimate.value), n=score.n)
    if estimate.low is not None and estimate.high is not None:
        cell.interval = f"{percent(estimate.low)}–{percent(estimate.high)}"
    return cell


def _published(measure: str, tests: list[SuiteTest], paper: Published | None) -> list[FoilRow]:
    rows = []
    for system in () if paper is None else paper.systems:
        cells = []
        for test in tests:
            row = paper.row(test.test, system) if paper is not None else None
            value = None if row is None else row.values.get(measure)
            notes = () if row is None else row.notes
            note = " ".join(one.text for one in notes if one.measure == measure)
            cells.append(Cell(measure=measure, value="–" if value is None else f"{value:.1f}", note=note))
        if any(cell.value != "–" for cell in cells):
            rows.append(FoilRow(system, "", cells))
    return rows


def _notes(paper: Published, tests: list[SuiteTest]) -> list[str]:
    wanted = {test.test for test in tests}
    found = [
        f"{row.label}, {row.source}{'' if note.system is None else f', {note.system}'}: {note.text}"
        for row in paper.rows
        if row.test in wanted
        for note in row.notes
    ]
    return list(dict.fromkeys(found))


def _panel(data: ReportData, scores: Scores, test: SuiteTest, paper: Published | None) -> FoilPanel:
    bars = []
    for model, card in enumerate(data.models):
        estimate = estimate_of(scores.get(model, test, "acc_r"))
        if estimate is not None:
            bars.append(Bar(card.name, colour(model), estimate))
    published = []
    for system in () if paper is None else paper.systems:
        row = paper.row(test.test, system) if paper is not None and system != RANDOM else None
        if row is not None and "acc_r" in row.values:
            published.append(Bar.printed(system, row.values["acc_r"]))
    pairs = max(
        (score.n for model in range(len(data.models)) if (score := scores.get(model, test, "acc_r"))), default=0
    )
    return FoilPanel(_title(test.test), pairs, foil_bars(_title(test.test), bars, published))
