"""The tables below the headline: breakdowns by facet, habits of answering, further measures, signatures."""

from __future__ import annotations

import msgspec

from falter.measures.score import Score
from falter.reporting.charts import mark_width, percent, share_bar
from falter.reporting.control_runs import NOISE
from falter.reporting.data import ReportData, SuiteTest
from falter.reporting.foils import FOIL_MEASURES, is_foil_test
from falter.reporting.published_comparison import Beside, beside
from falter.reporting.reading import ANSWER_COUNTS, ANSWER_RATES, HEADLINE, name_of
from falter.reporting.scores import Cell, Scores, cell_of, colour

__all__ = ["Breakdown", "Signed", "behaviour", "breakdowns", "others", "signatures"]

VALUES_A_FACET = 40

_COUNTED = {("acc", "c_acc"): "c_acc", ("acc_r", "auroc"): "acc_r"}
"""By the measures shown, the one that is over pairs."""


class FacetTable(msgspec.Struct):
    """One facet of a test: rows are its values, columns are models that were asked, by their places."""

    facet: str
    models: list[int]
    rows: list[tuple[str, int, list[list[Cell]]]]
    left_out: int
    beside: Beside | None = None


class Breakdown(msgspec.Struct):
    """All facets of a test."""

    test: SuiteTest
    facets: list[FacetTable]


def breakdowns(data: ReportData, scores: Scores) -> list[Breakdown]:
    """ACC and C-ACC (of captions and foils: acc_r and AUROC) by every facet that was scored."""
    found = []
    for test in scores.tests:
        tables = []
        asked = scores.asked(test)
        width = mark_width(len(asked))
        shown = ("acc_r", "auroc") if is_foil_test(test, data, scores) else ("acc", "c_acc")
        for facet, values in sorted(scores.facets(test).items()):
            sized = sorted(
                ((pairs, value, by) for value, by in values.items() if (pairs := _pairs_in(by, _COUNTED[shown]))),
                key=lambda entry: (-entry[0], entry[1]),
            )
            rows = [
                (
                    value,
                    pairs,
                    [
                        [cell_of(by.get((model, measure)), model, f"{value},", width) for measure in shown]
                        for model in asked
                    ],
                )
                for pairs, value, by in sized[:VALUES_A_FACET]
            ]
            if rows:
                left_out = max(len(sized) - VALUES_A_FACET, 0)
                tables.append(FacetTable(facet, asked, rows, left_out, beside(data, scores, test, facet)))
        if tables:
            found.append(Breakdown(test, tables))
    return found


def _pairs_in(by: dict[tuple[int, str], Score], counted: str) -> int:
    return max((score.n for (_, measure), score in by.items() if measure == counted), default=0)


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
        if is_foil_test(test, data, scores) and not _anything_lost(scores, test, told):
            continue
        for model in told:
            name = data.models[model].name
            rates = [_rate(scores.get(model, test, measure), model, name) for measure in ANSWER_RATES]
            counts = [_count(scores.get(model, test, measure)) for measure in ANSWER_COUNTS]
            rows.append(BehaviourRow(test, name, colour(model), rates, counts, model == told[0], len(told)))
    return rows


def _anything_lost(scores: Scores, test: SuiteTest, models: list[int]) -> bool:
    """Whether some replies to a test of captions and foils, which has no habits to show, were none."""
    return any(scores.value(model, test, count) for model in models for count in ANSWER_COUNTS)


def _rate(score: Score | None, model: int, name: str) -> Cell:
    if score is None or score.value is None:
        return Cell()
    label = f"{name}, {name_of(score.measure)}"
    return Cell(value=percent(score.value), mark=share_bar(score.value, colour(model), label), n=score.n)


def _count(score: Score | None) -> str:
    return "–" if score is None or score.value is None else f"{score.value:,.0f}"


class OtherRow(msgspec.Struct):
    """A measure that has no place of its own on the page, over a test: a cell for each model."""

    test: SuiteTest
    measure: str
    cells: list[Cell]


def others(data: ReportData, scores: Scores) -> list[OtherRow]:
    """Every measure over a whole test that the other tables do not show."""
    known = {*HEADLINE, *ANSWER_RATES, *ANSWER_COUNTS, *NOISE, "pairs"}
    rows = []
    for test in scores.tests:
        on_foils = {*FOIL_MEASURES, "ties"} if is_foil_test(test, data, scores) else set()
        for measure in scores.measures:
            if measure in on_foils:
                continue
            found = [scores.get(model, test, measure) for model in range(len(data.models))]
            if measure not in known and any(score is not None and score.value is not None for score in found):
                cells = [_other_cell(score, model) for model, score in enumerate(found)]
                rows.append(OtherRow(test, name_of(measure), cells))
    return rows


def _other_cell(score: Score | None, model: int) -> Cell:
    if score is not None and score.value is not None and not 0 <= score.value <= 1:
        return Cell(value=f"{score.value:g}", n=score.n)
    return cell_of(score, model)


class Signed(msgspec.Struct):
    """A signature, and what bears it."""

    signature: str
    measures: list[str]
    models: list[str]


def signatures(data: ReportData, scores: Scores) -> list[Signed]:
    """Every signature once, with the measures and models whose scores bear it."""
    found: dict[str, Signed] = {}
    for model, _, measure, score in scores.all():
        if score.value is None or not score.signature:
            continue
        signed = found.setdefault(score.signature, Signed(score.signature, [], []))
        for names, name in ((signed.measures, name_of(measure)), (signed.models, data.models[model].name)):
            if name not in names:
                names.append(name)
    return list(found.values())
