"""Charts as data: arrows, bars, lines, columns and matrices, each with its values, intervals, axes and labels.

A chart is described once. The report draws it as SVG, ``falter plot`` draws the same description for print and writes
its values as CSV.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec

if TYPE_CHECKING:
    from falter.evaluation.measures import Estimate, Group

Scale = Literal["share", "difference", "number", "count"]
LineStyle = Literal["plain", "control", "published", "function"]


class ChartValue(msgspec.Struct, frozen=True, kw_only=True):
    """One value of a chart with its 95 % interval: a row of a CSV file.

    ``at`` is the value of the facet, the noise level or the other model that it stands at. Shares are from 0 to 1.
    """

    suite: str
    test: str
    model: str
    measure: str
    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    facet: str = ""
    at: str = ""


def _value(group: Group | None, model: str, measure: str, estimate: Estimate, at: str = "") -> ChartValue:
    assert group is not None and estimate.value is not None
    return ChartValue(
        suite=group.suite,
        test=group.test,
        model=model,
        measure=measure,
        value=estimate.value,
        low=estimate.low,
        high=estimate.high,
        n=estimate.n,
        facet=group.facet or "",
        at=at or group.value or "",
    )


class ArrowRow(NamedTuple):
    """One model: where its arrow starts and where it ends."""

    name: str
    model: int
    start: Estimate | None
    end: Estimate | None


class HumanLevel(NamedTuple):
    """A published level to compare with, drawn in gray."""

    name: str
    acc: float | None
    c_acc: float | None


class ArrowChart(msgspec.Struct, frozen=True):
    """A test's arrows from one measure to another: ACC to C-ACC, or consistency by chance to the one measured."""

    group: Group
    rows: Sequence[ArrowRow]
    human: HumanLevel | None = None
    """Drawn on the page alone; a figure for print shows the models."""
    measures: tuple[str, str] = ("acc", "c_acc")

    def values(self) -> Iterator[ChartValue]:
        """Start and end of every arrow."""
        for row in self.rows:
            for measure, estimate in zip(self.measures, (row.start, row.end), strict=True):
                if estimate is not None:
                    yield _value(self.group, row.name, measure, estimate)


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
    measure: str = ""
    group: Group | None = None
    """What the bars are about: charts of several groups are set into one figure for print."""

    def values(self) -> Iterator[ChartValue]:
        """The value of every bar."""
        return (_value(self.group, bar.name, self.measure, bar.estimate) for bar in self.bars)


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
    group: Group | None = None

    def values(self) -> Iterator[ChartValue]:
        """Every point of every line, as it stands on the axes."""
        assert self.group is not None
        ticks = dict(self.x.ticks)
        for line in self.lines:
            for point in line.points:
                yield ChartValue(
                    suite=self.group.suite,
                    test=self.group.test,
                    model=line.name,
                    measure=self.y.label if line.style == "plain" else f"{self.y.label} ({line.style})",
                    value=point.y,
                    low=point.low,
                    high=point.high,
                    facet=self.x.label,
                    at=ticks.get(point.x, f"{point.x:g}"),
                )


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


class MatrixChart(msgspec.Struct, frozen=True):
    """A share for every two models, indices into the report's models: rows cover what columns get right.

    A cell is None where nothing was compared; an estimate without a value is one over nothing.
    """

    group: Group
    measure: str
    models: Sequence[int]
    names: Sequence[str]
    cells: Sequence[Sequence[Estimate | None]]

    def values(self) -> Iterator[ChartValue]:
        """Every cell that has a value."""
        for row, cells in zip(self.names, self.cells, strict=True):
            for column, cell in zip(self.names, cells, strict=True):
                if cell is not None and cell.value is not None:
                    yield _value(self.group, row, self.measure, cell, column)


Figure: TypeAlias = BarChart | LineChart | ColumnChart
"""What a panel may show."""


def line_values(line: ChartLine) -> list[float]:
    """Every value that an axis must hold to show a line with its band."""
    return [value for point in line.points for value in (point.y, point.low, point.high) if value is not None]
