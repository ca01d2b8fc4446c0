"""Control runs: repeated replies, replies without the image, and replies under other prompts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from falter.evaluation.measures import Estimate, Score
from falter.evaluation.reporting.report_data import ReportData
from falter.evaluation.reporting.scores import ScoreCell, ScoresByModel, measure_title
from falter.evaluation.reporting.svg import model_color, percent
from falter.evaluation.runs.failure_records import SuiteTest

__all__ = ["REPEATABILITY", "STABILITY", "ControlRow", "ControlRuns", "control_runs"]

REPEATABILITY = ("cons_identical", "noise_floor", "order_noise")
"""Measures of repeated replies; they have their table here."""

STABILITY = ("acc_expected", "acc_consensus", "repeat_sd", "repeat_agreement")
"""How accuracy holds over repetitions; they have theirs."""


class ControlRow(msgspec.Struct):
    """A test and a model, or a test and a measure, with its cells; ``first`` begins a test of ``span`` rows."""

    test: SuiteTest
    name: str
    css: str
    measure: str
    cells: list[ScoreCell]
    first: bool = False
    span: int = 0


class PromptTable(msgspec.Struct):
    """One model under several prompts."""

    name: str
    prompts: list[str]
    rows: list[ControlRow]


class ControlRuns(msgspec.Struct):
    """The tables that there are; each may be empty."""

    repeatability: list[ControlRow]
    repeatability_names: list[str]
    stability: list[ControlRow]
    stability_names: list[str]
    image_ablation: list[ControlRow]
    prompts: list[PromptTable]

    def __bool__(self) -> bool:
        return bool(self.repeatability or self.stability or self.image_ablation or self.prompts)


def control_runs(data: ReportData, scores: ScoresByModel) -> ControlRuns:
    """Repeatability, image ablation and prompt spread, where there are runs for them."""
    measures = [name for name in REPEATABILITY if name in scores.measures]
    shown = ["cons", *measures] if "cons" in scores.measures and measures else measures
    stable = [name for name in STABILITY if name in scores.measures]
    return ControlRuns(
        _of_repeats(data, scores, shown),
        [measure_title(name) for name in shown],
        _of_repeats(data, scores, stable),
        [measure_title(name) for name in stable],
        _image_ablation(data),
        _prompts(data),
    )


def _of_repeats(data: ReportData, scores: ScoresByModel, shown: Sequence[str]) -> list[ControlRow]:
    rows = []
    for test in scores.tests:
        for model, info in enumerate(data.models):
            if any(scores.get(model, test, name) for name in shown if name in (*REPEATABILITY, *STABILITY)):
                cells = [_cell(scores.get(model, test, name)) for name in shown]
                rows.append(ControlRow(test, info.name, model_color(model), "", cells))
    return _grouped(rows)


def _cell(score: Score | None) -> ScoreCell:
    if score is None or score.value is None:
        return ScoreCell()
    return _estimate_cell(Estimate(score.value, score.low, score.high), score.n)


def _estimate_cell(one: Estimate | None, n: int | None = None) -> ScoreCell:
    if one is None or one.value is None:
        return ScoreCell()
    interval = "" if one.low is None or one.high is None else f"{percent(one.low)} to {percent(one.high)}"
    return ScoreCell(value=percent(one.value), interval=interval, n=n)


def _image_ablation(data: ReportData) -> list[ControlRow]:
    rows = []
    for one in data.image_ablations:
        score = one.found
        share = None if score.retained is None else Estimate(score.retained, score.low, score.high)
        cells = [
            _estimate_cell(Estimate(score.with_image)),
            _estimate_cell(Estimate(score.ablated)),
            _estimate_cell(share, score.n),
        ]
        test = SuiteTest(score.group.suite, score.group.test)
        rows.append(
            ControlRow(
                test, data.models[one.ablated].name, model_color(one.ablated), measure_title(score.measure), cells
            )
        )
    rows.sort(key=lambda row: row.test)
    return _grouped(rows)


def _prompts(data: ReportData) -> list[PromptTable]:
    tables: dict[tuple[int, ...], PromptTable] = {}
    for one in data.prompt_spreads:
        found = one.found
        names = list(found.by_prompt)
        first = data.models[one.models[0]].name.partition(" (prompt: ")[0]
        table = tables.setdefault(tuple(one.models), PromptTable(first, names, []))
        cells = [_estimate_cell(Estimate(value)) for value in found.by_prompt.values()]
        cells += [_estimate_cell(each) for each in (found.worst, found.range, found.sd, found.all_prompts)]
        test = SuiteTest(found.group.suite, found.group.test)
        table.rows.append(ControlRow(test, "", "", measure_title(found.measure), cells))
    for table in tables.values():
        _grouped(table.rows)
    return list(tables.values())


def _grouped(rows: list[ControlRow]) -> list[ControlRow]:
    """Mark where each test begins, and how many rows it has."""
    for position, row in enumerate(rows):
        if position == 0 or rows[position - 1].test != row.test:
            row.first = True
            row.span = next(
                (number for number, other in enumerate(rows[position:]) if other.test != row.test), len(rows) - position
            )
    return rows
