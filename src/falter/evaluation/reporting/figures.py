"""Figures of a section as data: bars, lines and columns, which the report draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec

if TYPE_CHECKING:
    from falter.evaluation.measures import Estimate
    from falter.evaluation.reporting.report_data import ModelInfo, ModelScore

__all__ = [
    "BarChart",
    "ChartAxis",
    "ChartBar",
    "ChartLine",
    "ChartPoint",
    "ColumnChart",
    "ColumnSeries",
    "Figure",
    "LineChart",
    "bars",
    "lines",
]

Scale = Literal["share", "difference", "number", "count"]
LineStyle = Literal["plain", "control", "published", "function"]


class ChartBar(NamedTuple):
    """One bar; without a ``model`` (an index into the report's models) it is a published figure, in gray."""

    name: str
    estimate: Estimate
    model: int | None = None

    @property
    def estimate_ends(self) -> list[float]:
        """The value, and the ends of its interval where there is one."""
        one = self.estimate
        return [end for end in (one.value, one.low, one.high) if end is not None]


class BarChart(msgspec.Struct, frozen=True):
    """Bars from 0, those of the user's models first; shares are drawn from 0 to 100 %."""

    title: str
    bars: Sequence[ChartBar]
    n: int | None = None
    unit: str = "pairs"
    """What ``n`` counts."""
    chance: float | None = None
    """Where a line marks chance."""
    scale: Scale = "share"


class ChartPoint(NamedTuple):
    """A value at a position of the lower axis, with its interval; ``title`` is shown when it is pointed at."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    title: str = ""


class ChartLine(NamedTuple):
    """Points to be joined; ``model`` is an index into the report's models and gives the color."""

    name: str
    points: Sequence[ChartPoint]
    model: int | None = None
    style: LineStyle = "plain"
    dots: bool = True


class ChartAxis(NamedTuple):
    """An axis from ``low`` to ``high`` with its ticks and what they say."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    label: str

    @staticmethod
    def around(values: Sequence[float], label: str, *, least: float = 10.0, zero: bool = False) -> ChartAxis:
        """An axis of round numbers that holds all values and is at least ``least`` long."""
        known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        if zero:
            known.append(0.0)
        low, high = min(known), max(known)
        if zero and low == 0:
            high = max(high, least)
        elif high - low < least:
            middle = (low + high) / 2
            low, high = middle - least / 2, middle + least / 2
        step = 10.0 ** math.floor(math.log10((high - low) / 6))
        step = next(step * times for times in (1, 2, 5, 10, 20) if (high - low) / (step * times) <= 6)
        first, last = math.floor(low / step), math.ceil(high / step)
        ticks = [(number * step, f"{number * step:.10g}") for number in range(first, last + 1)]
        return ChartAxis(ticks[0][0], ticks[-1][0], ticks, label)

    @staticmethod
    def of_names(names: Sequence[str], label: str) -> ChartAxis:
        """An axis with a position for each name."""
        ticks = [(float(position), name) for position, name in enumerate(names)]
        return ChartAxis(-0.25, len(names) - 0.75, ticks, label)


class LineChart(msgspec.Struct, frozen=True):
    """Lines with bands over one pair of axes."""

    title: str
    lines: Sequence[ChartLine]
    x: ChartAxis
    y: ChartAxis


class ColumnSeries(NamedTuple):
    """One column for each name of the chart: the share of what is counted."""

    name: str
    values: Sequence[float]


class ColumnChart(msgspec.Struct, frozen=True):
    """Shares of several series side by side, a group of columns per name."""

    title: str
    names: Sequence[str]
    series: Sequence[ColumnSeries]
    count: str = ""
    """What is said beside the title, such as how many pairs there are."""


Figure: TypeAlias = BarChart | LineChart | ColumnChart


def bars(
    scores: Sequence[ModelScore], models: Sequence[ModelInfo], *, chance: float | None = None
) -> tuple[BarChart, ...]:
    """Scores of one measure as bars: one chart per test, one bar per model."""
    from falter.evaluation.reporting.scores import measure_scale

    by_test: dict[tuple[str, str], list[ModelScore]] = {}
    for one in scores:
        group = one.score.group
        if group.facet is None and one.score.value is not None:
            by_test.setdefault((group.suite, group.test), []).append(one)
    return tuple(
        BarChart(
            title=test,
            bars=[ChartBar(models[one.model].name, _estimate(one), one.model) for one in found],
            n=max(one.score.n for one in found),
            chance=chance,
            scale=measure_scale(found[0].score.measure),
        )
        for (_, test), found in by_test.items()
    )


def lines(scores: Sequence[ModelScore], models: Sequence[ModelInfo]) -> tuple[LineChart, ...]:
    """Scores of one measure by the values of a facet as lines: one chart per test and facet, one line per model."""
    from falter.evaluation.reporting.scores import measure_scale, measure_title

    by_chart: dict[tuple[str, str, str], dict[int, dict[str, ModelScore]]] = {}
    for one in scores:
        group = one.score.group
        if group.facet is not None and group.value is not None and one.score.value is not None:
            chart = by_chart.setdefault((group.suite, group.test, group.facet), {})
            chart.setdefault(one.model, {})[group.value] = one
    found = []
    for (_, test, facet), by_model in by_chart.items():
        measure = next(one.score.measure for by_value in by_model.values() for one in by_value.values())
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
        label = f"{measure_title(measure)}{unit}"
        least = 10.0 if times == 100.0 else 1.0
        y = ChartAxis.around(values, label, least=least)
        found.append(LineChart(test, drawn, ChartAxis.of_names(names, facet.replace("_", " ")), y))
    return tuple(found)


def line_values(line: ChartLine) -> list[float]:
    """Every value that an axis must hold to show a line with its band."""
    return [value for point in line.points for value in (point.y, point.low, point.high) if value is not None]


def _numbers_first(name: str) -> tuple[float, str]:
    try:
        return float(name), name
    except ValueError:
        return math.inf, name


def _estimate(one: ModelScore) -> Estimate:
    from falter.evaluation.reporting.scores import score_estimate

    estimate = score_estimate(one.score)
    assert estimate is not None
    return estimate


def _point(position: int, one: ModelScore, times: float) -> ChartPoint:
    value, low, high = one.score.value, one.score.low, one.score.high
    assert value is not None
    if low is not None and high is not None:
        low, high = times * low, times * high
    title = f"{one.score.group.value}: {times * value:.3g}"
    return ChartPoint(float(position), times * value, low, high, title)
