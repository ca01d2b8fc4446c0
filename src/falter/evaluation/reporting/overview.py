"""The overview: every model with its overall figure, its totals by what was expected, and its weakest test."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from falter.data.items import INVARIANCE, OVERALL, SENSITIVITY
from falter.evaluation.measures.counting import MICRO
from falter.evaluation.reporting.failure_viewer import failure_link
from falter.evaluation.reporting.ranking import MainFigure, main_figure, rank_models, read_ranking
from falter.evaluation.reporting.report_data import ReportData
from falter.evaluation.reporting.scores import ScoreCell, ScoresByModel, measure_title, score_cell
from falter.evaluation.reporting.svg_charts import model_color, percent
from falter.evaluation.runs.failure_records import SuiteTest

_MARK = 70.0
_TOTALS = {INVARIANCE: "answers must stay", SENSITIVITY: "answers must change"}
_TOTAL_MEASURES = ("cons", "c_acc")
_WEAKEST = ("c_acc", "acc_r", "group_score", "group_acc", "acc")


class WeakestTest(msgspec.Struct):
    """The test with a model's lowest score, and the address of what it fails there."""

    test: str
    measure: str
    value: str
    link: str


class OverviewRow(msgspec.Struct):
    """One model."""

    model: int
    name: str
    css: str
    rank: str
    main: ScoreCell
    totals: list[list[ScoreCell]]
    """By what was expected."""
    weakest: WeakestTest | None
    failed: int
    link: str


class ModelOverview(msgspec.Struct):
    """The table of one suite, its models in order, and how far the order is to be trusted."""

    suite: str
    heading: str
    groups: list[tuple[str, list[str]]]
    """What was expected, and the measures of its totals."""
    rows: list[OverviewRow]
    read: list[str]
    unit: str
    ranked: bool


def overviews(data: ReportData, scores: ScoresByModel) -> list[ModelOverview]:
    """A table for each suite whose models have scores."""
    found = (_overview(data, scores, suite) for suite in scores.suites)
    return [one for one in found if one.rows]


def _overview(data: ReportData, scores: ScoresByModel, suite: str) -> ModelOverview:
    models = [model for model in range(len(data.models)) if scores.ran(model, suite)]
    main = main_figure(scores, suite)
    columns = [
        (test, measure)
        for test in _TOTALS
        for measure in _TOTAL_MEASURES
        if any(scores.value(model, SuiteTest(suite, test), measure) is not None for model in models)
    ]
    several = len(scores.suites) > 1
    ranking = rank_models(data, scores, models, main)
    rows = [_row(data, scores, suite, model, main, columns, several, ranking.ranks[model]) for model in ranking.order]
    return ModelOverview(
        suite,
        "Score" if main is None else f"{measure_title(main.measure)}, {_over(main)}",
        [
            (title, own)
            for total, title in _TOTALS.items()
            if (own := [measure_title(measure) for test, measure in columns if test == total])
        ],
        rows,
        [*read_ranking(data, ranking, main), *_few_images(scores, suite, models)],
        "" if main is None else measure_title(main.measure),
        any(row.rank != "–" for row in rows),
    )


def _few_images(scores: ScoresByModel, suite: str, models: Sequence[int]) -> list[str]:
    """A word about scores that few images carry."""
    few = [
        test.test
        for test in scores.tests
        if test.suite == suite
        and any(
            (score := scores.get(model, test, measure)) is not None and score.interval in ("exact", "none")
            for model in models
            for measure in scores.headline(test)
        )
    ]
    if not few:
        return []
    return [
        f"Few images carry scores of {', '.join(few)}: their intervals are exact, and wide; where too few make a "
        "difference, there is none."
    ]


def _over(main: MainFigure) -> str:
    return "overall" if main.test.test in (OVERALL, MICRO) else main.test.test


def _row(
    data: ReportData,
    scores: ScoresByModel,
    suite: str,
    model: int,
    main: MainFigure | None,
    columns: Sequence[tuple[str, str]],
    several: bool,
    rank: str,
) -> OverviewRow:
    name = data.models[model].name
    score = None if main is None else scores.get(model, main.test, main.measure)
    failed = sum(one.failed for one in data.failure_counts if one.model == model and one.suite == suite)
    return OverviewRow(
        model,
        name,
        model_color(model),
        rank,
        score_cell(score, model, f"{name},", _MARK),
        [
            own
            for total in _TOTALS
            if (
                own := [
                    score_cell(scores.get(model, SuiteTest(suite, test), measure), model, width=0)
                    for test, measure in columns
                    if test == total
                ]
            )
        ],
        _weakest(scores, suite, model, name, several),
        failed,
        failure_link(suite=suite if several else "", wrong=name),
    )


def _weakest(scores: ScoresByModel, suite: str, model: int, name: str, several: bool) -> WeakestTest | None:
    """The test of the lowest share by the strictest measure that the model's tests have; all of them where all tie."""
    own = [test for test in scores.tests if test.suite == suite and test.test not in scores.averages(suite)]
    for measure in _WEAKEST:
        known = [(value, test) for test in own if (value := scores.value(model, test, measure)) is not None]
        if known:
            value, test = min(known, key=lambda entry: entry[0])
            alike = len(known) > 1 and all(other == value for other, _ in known)
            link = failure_link(suite=suite if several else "", test="" if alike else test.test, wrong=name)
            shown = "all tests alike" if alike else test.test
            return WeakestTest(shown, measure_title(measure), percent(value), link if value < 1 else "")
    return None
