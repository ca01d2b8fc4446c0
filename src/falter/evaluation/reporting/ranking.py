"""The ranking of models, and which runs compete and which are controls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from falter.data.items import OVERALL
from falter.evaluation.measures import Estimate, Score
from falter.evaluation.measures.counting import MICRO
from falter.evaluation.reporting.report_data import ModelDifference, ReportData, SuiteRanking
from falter.evaluation.reporting.scores import ScoreCell, ScoresByModel, measure_title, score_estimate
from falter.evaluation.reporting.svg_charts import model_color, percent
from falter.evaluation.runs.failure_records import SuiteTest
from falter.evaluation.runs.rankings import rank_values

if TYPE_CHECKING:
    from falter.evaluation.measures import Comparison

_MAIN = ((OVERALL, "acc"), (MICRO, "acc_r"), (MICRO, "group_score"), (MICRO, "group_acc"), (MICRO, "acc"))
_ALONE = ("acc_r", "group_score", "group_acc", "acc")
"""What is the main figure of a suite with one test, the first that it has."""
_MOST_NAMED = 4
"""How many pairs of neighbors that cannot be ordered are named. Chosen by hand, not measured."""


class MainFigure(NamedTuple):
    """The one figure by which the models of a suite are ordered."""

    test: SuiteTest
    measure: str


class ModelOrder(NamedTuple):
    """Models from the best to the worst; ``undecided`` are neighbors whose order the data does not decide."""

    order: list[int]
    ranks: dict[int, str]
    undecided: list[tuple[int, int]]
    paired: bool
    """Whether all neighbors were compared on the same pairs."""


def main_figure(scores: ScoresByModel, suite: str) -> MainFigure | None:
    """The overall figure of a suite: over all tests, or of its only test."""
    for test, measure in _MAIN:
        key = SuiteTest(suite, test)
        if any(scores.value(model, key, measure) is not None for model in scores.models(key)):
            return MainFigure(key, measure)
    own = [test for test in scores.tests if test.suite == suite]
    if len(own) != 1:
        return None
    known = (
        name for name in _ALONE if any(scores.value(model, own[0], name) is not None for model in scores.models(own[0]))
    )
    return next((MainFigure(own[0], name) for name in known), None)


def main_comparison(difference: ModelDifference, main: MainFigure) -> Comparison | None:
    """The comparison of two models by the main figure."""
    return next(
        (
            one
            for one in difference.comparisons
            if one.measure == main.measure
            and one.group.facet is None
            and (one.group.suite, one.group.test) == (main.test.suite, main.test.test)
        ),
        None,
    )


def find_difference(data: ReportData, first: int, second: int, suite: str) -> tuple[ModelDifference, bool] | None:
    """The comparison of two models on a suite, and whether the second is the first of it."""
    for one in data.differences:
        if one.suite == suite and {one.first, one.second} == {first, second}:
            return one, one.first == second
    return None


def rank_models(data: ReportData, scores: ScoresByModel, models: Sequence[int], main: MainFigure | None) -> ModelOrder:
    """Models by their main figure, each with the places that it may have."""
    if main is None:
        return ModelOrder(list(models), dict.fromkeys(models, "–"), [], False)
    known = next((one for one in data.rankings if (one.test, one.measure) == (main.test, main.measure)), None)
    if known is not None:
        return _order_by_pairs(known, models)
    values = {model: scores.value(model, main.test, main.measure) for model in models}
    out = {one.model for one in data.lacking if (one.answered.group.suite) == main.test.suite} | _controls(data, models)
    order = sorted(models, key=lambda model: (values[model] is None, model in out, -(values[model] or 0.0), model))
    ranked = [model for model in order if values[model] is not None and model not in out]
    better, paired = np.zeros((len(ranked), len(ranked)), dtype=bool), True
    for (first, one), (second, other) in combinations(enumerate(ranked), 2):
        better[first, second], by_pairs = _is_decided(data, scores, main, one, other)
        paired = paired and by_pairs
    places = rank_values([values[model] or 0.0 for model in ranked], better)
    ranks = dict.fromkeys(order, "–") | ({ranked[one.run]: one.places for one in places} if len(ranked) > 1 else {})
    undecided = [(ranked[one], ranked[one + 1]) for one in range(len(ranked) - 1) if not better[one, one + 1]]
    return ModelOrder(order, ranks, undecided, paired)


def _controls(data: ReportData, models: Sequence[int]) -> set[int]:
    """The models that did not get their images, where others did."""
    found = {model for model in models if "image" in data.models[model].settings}
    return found if len(found) < len(models) else set()


def _order_by_pairs(known: SuiteRanking, models: Sequence[int]) -> ModelOrder:
    """The order over the same pairs, with the places that each model may have; models that lack answers come last."""
    ranked = [known.models[one.run] for one in known.ranking.runs]
    order = [*ranked, *(model for model in models if model not in ranked)]
    ranks = dict.fromkeys(order, "–") | {known.models[one.run]: one.places for one in known.ranking.runs}
    tied = {known.models[one.run]: {known.models[other] for other in one.tied} for one in known.ranking.runs}
    undecided = [(one, other) for one, other in pairwise(ranked) if other in tied[one]]
    return ModelOrder(order, ranks, undecided, paired=True)


def _is_decided(data: ReportData, scores: ScoresByModel, main: MainFigure, one: int, other: int) -> tuple[bool, bool]:
    """Whether the data orders two models, and whether they were compared on the same pairs."""
    found = find_difference(data, one, other, main.test.suite)
    comparison = None if found is None else main_comparison(found[0], main)
    if comparison is not None:
        return comparison.better is not None, True
    ends = [score_estimate(scores.get(model, main.test, main.measure)) for model in (one, other)]
    known = [each for each in ends if each is not None and each.low is not None and each.high is not None]
    if len(known) < 2:
        return False, False
    (a, b) = known
    assert a.low is not None and b.high is not None and a.high is not None and b.low is not None
    return a.low > b.high or b.low > a.high, False


def signed(value: float) -> str:
    """A difference in points with its sign."""
    points = value * 100
    return f"{'+' if points > 0 else '−' if points < 0 else ''}{abs(points):.1f}"


def read_ranking(data: ReportData, ranking: ModelOrder, main: MainFigure | None) -> list[str]:
    """What a reader may conclude from the order, in sentences."""
    ranked = [model for model in ranking.order if ranking.ranks[model] != "–"]
    if main is None or len(ranking.order) < 2:
        return []
    return [*_read_order(data, ranking, main, len(ranked)), *_name_unranked(data, ranking, main, len(ranked))]


def _name_unranked(data: ReportData, ranking: ModelOrder, main: MainFigure, ranked: int) -> list[str]:
    """Which models have no rank, and why."""
    lacking = {one.model for one in data.lacking if one.answered.group.suite == main.test.suite}
    controls = _controls(data, ranking.order)
    reasons: dict[str, list[str]] = {}
    for model in ranking.order:
        if ranking.ranks[model] == "–":
            if model in controls:
                why = "a control run"
            elif model in lacking:
                why = "more than 1 % of its answers are missing"
            elif ranked > 1:
                why = "it was asked a part of the suite"
            else:
                continue
            reasons.setdefault(why, []).append(data.models[model].name)
    return [f"Without a rank: {', '.join(names)} ({_of_each(why, names)})." for why, names in reasons.items()]


def _of_each(why: str, names: Sequence[str]) -> str:
    """A reason, of one model or of several."""
    if len(names) == 1:
        return why
    return why.replace("its", "their").replace("it was", "they were").replace("a control run", "control runs")


def _read_order(data: ReportData, ranking: ModelOrder, main: MainFigure, ranked: int) -> list[str]:
    if ranked < 2:
        return []
    if not ranking.undecided:
        how = (
            "on the same pairs, every model differs from the next"
            if ranking.paired
            else "no neighboring intervals overlap"
        )
        return [f"The order is decisive: {how}."]
    said = []
    for one, other in ranking.undecided[:_MOST_NAMED]:
        names = f"{data.models[one].name} and {data.models[other].name}"
        found = find_difference(data, one, other, main.test.suite)
        comparison = None if found is None else main_comparison(found[0], main)
        if comparison is None or comparison.difference is None or comparison.low is None or comparison.high is None:
            said.append(f"The intervals of {names} overlap: their order is not decisive.")
            continue
        why = "includes 0" if comparison.low <= 0 <= comparison.high else "is not enough, corrected for several tests"
        said.append(
            f"The order of {names} is not decisive: on the same pairs they differ by "
            f"{abs(comparison.difference) * 100:.1f} points, and the interval "
            f"({signed(comparison.low)} to {signed(comparison.high)}) {why}."
        )
    more = len(ranking.undecided) - _MOST_NAMED
    if more > 0:
        said.append(f"{more} further {'neighbors' if more > 1 else 'neighbor'} cannot be ordered either.")
    return [*said, "A rank such as 2–4 is the places that a model may have."]


def overlap_note(estimates: Sequence[tuple[str, float, float, float]], better: int = 1) -> str:
    """Of the best of several estimates (name, value, low, high), which ones it cannot be told from by its interval.

    >>> overlap_note([("A", 0.8, 0.7, 0.9), ("B", 0.75, 0.65, 0.85), ("C", 0.2, 0.1, 0.3)])
    'B'
    """
    if len(estimates) < 2:
        return ""
    best = max(estimates, key=lambda one: better * one[1])
    near = [one[0] for one in estimates if one is not best and one[2] <= best[3] and best[2] <= one[3]]
    return ", ".join(near[:3]) + (f" and {len(near) - 3} more" if len(near) > 3 else "")


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
