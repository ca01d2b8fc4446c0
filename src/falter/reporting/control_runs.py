"""Models under other conditions: the same question again, without the picture, in other words."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from falter.measures.score import Score
from falter.measures.spread import Estimate
from falter.reporting.charts import percent
from falter.reporting.data import ReportData, SuiteTest
from falter.reporting.reading import name_of
from falter.reporting.scores import Cell, Scores, colour

__all__ = ["NOISE", "ConditionRow", "Conditions", "conditions"]

NOISE = ("cons_identical", "noise_floor", "order_noise")
"""Measures that have their table here."""


class ConditionRow(msgspec.Struct):
    """A test and a model, or a test and a measure, with its cells; ``first`` begins a test of ``span`` rows."""

    test: SuiteTest
    name: str
    css: str
    measure: str
    cells: list[Cell]
    first: bool = False
    span: int = 0


class PromptTable(msgspec.Struct):
    """One model under several prompts."""

    name: str
    prompts: list[str]
    rows: list[ConditionRow]


class Conditions(msgspec.Struct):
    """The tables that there are; each may be empty."""

    noise: list[ConditionRow]
    noise_names: list[str]
    blind: list[ConditionRow]
    prompts: list[PromptTable]

    def __bool__(self) -> bool:
        return bool(self.noise or self.blind or self.prompts)


def conditions(data: ReportData, scores: Scores) -> Conditions:
    """What the runs of a report tell about noise, blindness and wording."""
    measures = [name for name in NOISE if name in scores.measures]
    shown = ["cons", *measures] if "cons" in scores.measures and measures else measures
    return Conditions(_noise(data, scores, shown), [name_of(name) for name in shown], _blind(data), _prompts(data))


def _noise(data: ReportData, scores: Scores, shown: Sequence[str]) -> list[ConditionRow]:
    rows = []
    for test in scores.tests:
        for model, card in enumerate(data.models):
            if any(scores.get(model, test, name) for name in shown if name in NOISE):
                cells = [_cell(scores.get(model, test, name)) for name in shown]
                rows.append(ConditionRow(test, card.name, colour(model), "", cells))
    return _grouped(rows)


def _cell(score: Score | None) -> Cell:
    if score is None or score.value is None:
        return Cell()
    return _estimated(Estimate(score.value, score.low, score.high), score.n)


def _estimated(one: Estimate | None, n: int | None = None) -> Cell:
    if one is None:
        return Cell()
    interval = "" if one.low is None or one.high is None else f"{percent(one.low)} to {percent(one.high)}"
    return Cell(value=percent(one.value), interval=interval, n=n)


def _blind(data: ReportData) -> list[ConditionRow]:
    rows = []
    for one in data.blindness:
        score = one.score
        share = None if score.share is None else Estimate(score.share, score.low, score.high)
        cells = [_estimated(Estimate(score.normal)), _estimated(Estimate(score.blind)), _estimated(share, score.n)]
        test = SuiteTest(score.group.suite, score.group.test)
        rows.append(ConditionRow(test, data.models[one.blind].name, colour(one.blind), name_of(score.measure), cells))
    rows.sort(key=lambda row: row.test)
    return _grouped(rows)


def _prompts(data: ReportData) -> list[PromptTable]:
    tables: dict[tuple[int, ...], PromptTable] = {}
    for one in data.spreads:
        found = one.spread
        names = list(found.by_prompt)
        first = data.models[one.models[0]].name.partition(" (prompt: ")[0]
        table = tables.setdefault(tuple(one.models), PromptTable(first, names, []))
        cells = [_estimated(Estimate(value)) for value in found.by_prompt.values()]
        cells += [_estimated(each) for each in (found.worst, found.range, found.sd, found.every)]
        test = SuiteTest(found.group.suite, found.group.test)
        table.rows.append(ConditionRow(test, "", "", name_of(found.measure), cells))
    for table in tables.values():
        _grouped(table.rows)
    return list(tables.values())


def _grouped(rows: list[ConditionRow]) -> list[ConditionRow]:
    """Mark where each test begins, and how many rows it has."""
    for place, row in enumerate(rows):
        if place == 0 or rows[place - 1].test != row.test:
            row.first = True
            row.span = next(
                (number for number, other in enumerate(rows[place:]) if other.test != row.test), len(rows) - place
            )
    return rows
