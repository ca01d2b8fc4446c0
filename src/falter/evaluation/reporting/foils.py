"""Tests of captions and foils: bars, and a table with all their measures, beside the published models."""

from __future__ import annotations

import msgspec
from markupsafe import Markup

from falter.evaluation.measures import Estimate, Group
from falter.evaluation.measures.counting import MACRO, MICRO
from falter.evaluation.reporting.charts import BarChart, ChartBar
from falter.evaluation.reporting.headline import undecided_bests
from falter.evaluation.reporting.published import Published
from falter.evaluation.reporting.report_data import ReportData
from falter.evaluation.reporting.scores import (
    ScoreCell,
    ScoresByModel,
    best_of,
    comparable_values,
    format_value,
    measure_scale,
    measure_title,
    score_estimate,
)
from falter.evaluation.reporting.svg_charts import draw_bars, model_color
from falter.evaluation.runs.failure_records import SuiteTest

FOIL_MEASURES = ("acc_r", "auroc", "acc", "p_c", "p_f", "min_pc_pf", "position_bias", "ties")
"""The measures of the table, the main ones first; other headline measures follow."""

CHANCE = 0.5
"""The acc_r of a model that guesses."""

_AGAINST_CHANCE = frozenset(("acc_r", "auroc", "acc", "p_c", "p_f", "min_pc_pf"))
"""The measures in which a model that guesses has 50 %."""

_IMPORTED = "falter import"
_TOGETHER = {MACRO: "mean of tests", MICRO: "all pairs"}
"""The macro- and the micro-average over tests."""

OVER_TESTS = frozenset(_TOGETHER.values())
"""How averages over tests are headed."""


class FoilRow(msgspec.Struct):
    """A model or a published system: a cell for each test."""

    name: str
    css: str
    cells: list[ScoreCell]


class FoilBlock(msgspec.Struct):
    """One measure: the user's models, then the published ones."""

    measure: str
    name: str
    rows: list[FoilRow]
    published: list[FoilRow]


class FoilChart(msgspec.Struct):
    """The bars of one test."""

    title: str
    pairs: int
    drawing: Markup


class FoilSuite(msgspec.Struct):
    """All tests of captions and foils in one suite."""

    suite: str
    models: int
    """How many of the models ran on it."""
    tests: list[str]
    pairs: list[int]
    ties: list[FoilRow]
    blocks: list[FoilBlock]
    charts: list[FoilChart]
    reference: str
    is_released: bool
    """Whether the pairs are those that the published figures are about."""
    notes: list[str]
    sources: list[str]
    undecided: list[str]
    """The tests on which the interval of the best acc_r overlaps with another model's."""
    unshown: list[str]
    """Which published figures are not shown, and what they belong to."""
    needs_probability: list[str]
    """Models whose scores are no probabilities, so that no threshold applies to them."""


def foils(data: ReportData, scores: ScoresByModel) -> list[FoilSuite]:
    """The suites that have such tests, each with its table and bars."""
    by_suite = {suite: _foil_tests(data, scores, suite) for suite in scores.suites}
    return [_suite(data, scores, suite, tests) for suite, tests in by_suite.items() if tests]


def foil_charts(data: ReportData, scores: ScoresByModel, suite: str) -> list[BarChart]:
    """The acc_r of every test of captions and foils, the averages last: the user's models, then the published ones."""
    paper = data.published.get(suite)
    return [_chart(data, scores, test, paper) for test in _foil_tests(data, scores, suite)]


def _foil_tests(data: ReportData, scores: ScoresByModel, suite: str) -> list[SuiteTest]:
    """The tests of captions and foils, in the order in which they are shown."""
    paper = data.published.get(suite)
    tests = [test for test in scores.tests if test.suite == suite and scores.has_foils(test)]
    return sorted(tests, key=lambda test: _position(test.test, paper))


def _suite(data: ReportData, scores: ScoresByModel, suite: str, tests: list[SuiteTest]) -> FoilSuite:
    is_released = all(one.made_by.startswith(_IMPORTED) for one in data.suites if one.name == suite)
    paper = data.published.get(suite)
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
            FoilRow(info.name, model_color(model), [_ties(scores, model, test) for test in tests])
            for model, info in enumerate(data.models)
            if any(scores.value(model, test, "ties") is not None for test in tests)
        ],
        blocks=[
            block for measure in _measures(scores, tests) if (block := _block(data, scores, measure, tests, paper))
        ],
        # Papers publish the mean over tests; over all pairs there is nothing to compare with, and the table suffices.
        charts=[
            FoilChart(chart.title, chart.n or 0, draw_bars(chart))
            for test, chart in zip(tests, foil_charts(data, scores, suite), strict=True)
            if test.test != MICRO
        ],
        reference=""
        if paper is None or not any(paper.row(test.test, system) for test in tests for system in paper.systems)
        else paper.reference,
        is_released=is_released,
        notes=[] if paper is None else _notes(paper, tests),
        sources=[] if paper is None else _sources(paper, tests),
        undecided=undecided_bests(
            data, scores, [model for model in models if scores.ran(model, suite)], {test: ["acc_r"] for test in tests}
        ),
        unshown=list(data.unshown.get(suite, ())),
        needs_probability=[
            info.name
            for model, info in enumerate(data.models)
            if any(scores.value(model, test, "acc_r") is not None for test in tests)
            and all(scores.value(model, test, "p_c") is None for test in tests)
        ],
    )


def _measures(scores: ScoresByModel, tests: list[SuiteTest]) -> list[str]:
    """The measures of the table; ties have rows of their own."""
    others = dict.fromkeys(measure for test in tests for measure in scores.headline(test))
    return [measure for measure in dict.fromkeys((*FOIL_MEASURES, *others)) if measure != "ties"]


def _position(test: str, paper: Published | None) -> tuple[int, int, str]:
    """The paper's order, then the others; averages over tests come last."""
    order = [] if paper is None else [row.test for row in paper.rows]
    return (
        list(_TOGETHER).index(test) + 1 if test in _TOGETHER else 0,
        order.index(test) if test in order else len(order),
        test,
    )


def _title(test: str) -> str:
    return _TOGETHER.get(test, test)


def _ties(scores: ScoresByModel, model: int, test: SuiteTest) -> ScoreCell:
    count = scores.value(model, test, "ties")
    return ScoreCell(measure="ties", value="–" if count is None else f"{count:,.0f}")


def _block(
    data: ReportData, scores: ScoresByModel, measure: str, tests: list[SuiteTest], paper: Published | None
) -> FoilBlock | None:
    rows = []
    for model, info in enumerate(data.models):
        cells = [_cell(scores, model, test, measure) for test in tests]
        if any(cell.n for cell in cells):
            rows.append((model, FoilRow(info.name, model_color(model), cells)))
    if not rows:
        return None
    shown = [model for model, _ in rows]
    for column, test in enumerate(tests):
        best = best_of(measure, comparable_values(scores, data.lacking, shown, test, measure))
        for (_, row), is_best in zip(rows, best, strict=True):
            row.cells[column].best = is_best
    return FoilBlock(measure, measure_title(measure), [row for _, row in rows], _published(measure, tests, paper))


def _cell(scores: ScoresByModel, model: int, test: SuiteTest, measure: str) -> ScoreCell:
    score = scores.get(model, test, measure)
    estimate = score_estimate(score)
    if score is None or estimate is None or estimate.value is None:
        return ScoreCell(measure=measure, note="" if score is None else score.reason or "")
    scale = measure_scale(measure)
    cell = ScoreCell(measure=measure, value=format_value(estimate.value, scale), n=score.n)
    cell.at_chance = measure in _AGAINST_CHANCE and estimate.value <= CHANCE
    if estimate.low is not None and estimate.high is not None:
        cell.interval = f"{format_value(estimate.low, scale)}–{format_value(estimate.high, scale)}"
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
            cell = ScoreCell(measure=measure, value="–" if value is None else f"{value:.1f}", note=note)
            cell.at_chance = value is not None and measure in _AGAINST_CHANCE and value <= 100 * CHANCE
            cells.append(cell)
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


def _sources(paper: Published, tests: list[SuiteTest]) -> list[str]:
    wanted = {test.test for test in tests}
    return list(dict.fromkeys(row.source for row in paper.rows if row.test in wanted))


def _chart(data: ReportData, scores: ScoresByModel, test: SuiteTest, paper: Published | None) -> BarChart:
    bars = []
    for model, info in enumerate(data.models):
        estimate = score_estimate(scores.get(model, test, "acc_r"))
        if estimate is not None:
            bars.append(ChartBar(info.name, estimate, model))
    for system in () if paper is None else paper.systems:
        row = paper.row(test.test, system) if paper is not None else None
        # Chance is a line in the chart.
        if row is not None and row.kind != "chance" and "acc_r" in row.values:
            bars.append(ChartBar(system, Estimate(row.values["acc_r"] / 100)))
    pairs = max(
        (score.n for model in range(len(data.models)) if (score := scores.get(model, test, "acc_r"))), default=0
    )
    return BarChart(_title(test.test), bars, n=pairs, chance=CHANCE, measure="acc_r", group=Group(*test))
