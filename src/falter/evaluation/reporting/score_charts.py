"""Charts made of scores: bars by test, lines by facet, the drop from ACC to C-ACC, and consistency against chance.

What reads scores is imported where it is used: naming ``bars`` in a bundle's panel loads nothing heavy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from falter.evaluation.reporting.charts import (
    ArrowChart,
    ArrowRow,
    BarChart,
    ChartAxis,
    ChartBar,
    ChartLine,
    ChartPoint,
    HumanLevel,
    LineChart,
    line_values,
)

if TYPE_CHECKING:
    from falter.evaluation.measures import Estimate, Group
    from falter.evaluation.reporting.report_data import ModelInfo, ModelScore, ReportData
    from falter.evaluation.reporting.scores import ScoresByModel
    from falter.evaluation.runs.failure_records import SuiteTest


def accuracy_charts(data: ReportData, scores: ScoresByModel) -> tuple[list[ArrowChart], list[ArrowChart]]:
    """For every test of questions ACC against C-ACC, and consistency against chance where that is known."""
    from falter.evaluation.reporting.headline import question_tests

    drops, chances = [], []
    for test in question_tests(scores):
        drop = _arrows(data, scores, test, ("acc", "c_acc"))
        # Single questions have no C-ACC.
        if any(row.end is not None for row in drop.rows):
            drops.append(msgspec.structs.replace(drop, human=_human_level(data, test)))
        chance = _arrows(data, scores, test, ("cons_independent", "cons"))
        if any(row.start is not None for row in chance.rows):
            chances.append(chance)
    return drops, chances


def _arrows(data: ReportData, scores: ScoresByModel, test: SuiteTest, measures: tuple[str, str]) -> ArrowChart:
    from falter.evaluation.measures import Group
    from falter.evaluation.reporting.scores import score_estimate

    rows = [
        ArrowRow(info.name, model, *(score_estimate(scores.get(model, test, measure)) for measure in measures))
        for model, info in enumerate(data.models)
        if scores.get(model, test, "acc") is not None
    ]
    return ArrowChart(Group(*test), rows, measures=measures)


def _human_level(data: ReportData, test: SuiteTest) -> HumanLevel | None:
    paper = data.published.get(test.suite)
    row = None if paper is None else paper.human_row(test.test)
    if row is None or ("acc" not in row.values and "c_acc" not in row.values):
        return None
    acc, c_acc = row.values.get("acc"), row.values.get("c_acc")
    return HumanLevel("human", None if acc is None else acc / 100, None if c_acc is None else c_acc / 100)


def bars(
    scores: Sequence[ModelScore], models: Sequence[ModelInfo], *, chance: float | None = None
) -> tuple[BarChart, ...]:
    """Scores of one measure as bars: one chart per test, one bar per model."""
    from falter.evaluation.reporting.scores import measure_scale

    by_test: dict[Group, list[ModelScore]] = {}
    for entry in scores:
        if entry.score.group.facet is None and entry.score.value is not None:
            by_test.setdefault(entry.score.group, []).append(entry)
    return tuple(
        BarChart(
            title=group.test,
            bars=[ChartBar(models[entry.model].name, _estimate(entry), entry.model) for entry in entries],
            n=max(entry.score.n for entry in entries),
            chance=chance,
            scale=measure_scale(entries[0].score.measure),
            measure=entries[0].score.measure,
            group=group,
        )
        for group, entries in by_test.items()
    )


def lines(scores: Sequence[ModelScore], models: Sequence[ModelInfo]) -> tuple[LineChart, ...]:
    """Scores of one measure by the values of a facet as lines: one chart per test and facet, one line per model."""
    by_facet: dict[Group, dict[int, dict[str, ModelScore]]] = {}
    for entry in scores:
        group = entry.score.group
        if group.facet is not None and group.value is not None and entry.score.value is not None:
            by_model = by_facet.setdefault(msgspec.structs.replace(group, value=None), {})
            by_model.setdefault(entry.model, {})[group.value] = entry
    return tuple(_lines_by_facet(group, by_model, models) for group, by_model in by_facet.items())


def _lines_by_facet(
    group: Group, by_model: Mapping[int, Mapping[str, ModelScore]], models: Sequence[ModelInfo]
) -> LineChart:
    from falter.evaluation.reporting.scores import measure_scale, measure_title

    measure = next(entry.score.measure for by_value in by_model.values() for entry in by_value.values())
    names = sorted({name for by_value in by_model.values() for name in by_value}, key=_numbers_first)
    times, unit = (100.0, ", %") if measure_scale(measure) in ("share", "difference") else (1.0, "")
    drawn = [
        ChartLine(
            models[model].name,
            [_point(position, by_value[name], times) for position, name in enumerate(names) if name in by_value],
            model,
        )
        for model, by_value in by_model.items()
    ]
    values = [value for line in drawn for value in line_values(line)]
    y = ChartAxis.around(values, f"{measure_title(measure)}{unit}", least=10.0 if times == 100.0 else 1.0)
    x = ChartAxis.of_names(names, (group.facet or "").replace("_", " "))
    return LineChart(group.test, drawn, x, y, group)


def _numbers_first(name: str) -> tuple[float, str]:
    try:
        return float(name), name
    except ValueError:
        return math.inf, name


def _estimate(entry: ModelScore) -> Estimate:
    from falter.evaluation.reporting.scores import score_estimate

    estimate = score_estimate(entry.score)
    assert estimate is not None
    return estimate


def _point(position: int, entry: ModelScore, times: float) -> ChartPoint:
    value, low, high = entry.score.value, entry.score.low, entry.score.high
    assert value is not None
    if low is not None and high is not None:
        low, high = times * low, times * high
    title = f"{entry.score.group.value}: {times * value:.3g}"
    return ChartPoint(float(position), times * value, low, high, title)
