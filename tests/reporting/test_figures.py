"""Figures as data, and drawn: axes hold what they show, and drawings are well-formed whatever the names."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falter.evaluation.measures import Estimate, Group, Score
from falter.evaluation.reporting import (
    BarChart,
    ChartAxis,
    ChartBar,
    ChartLine,
    ChartPoint,
    LineChart,
    ModelInfo,
    ModelScore,
    bars,
    lines,
)
from falter.evaluation.reporting.charts import Scale
from falter.evaluation.reporting.svg_charts import draw_bars, draw_lines

MODELS = [ModelInfo(name="one"), ModelInfo(name="two")]


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20), st.booleans(), st.sampled_from([0.5, 10.0]))
def test_an_axis_holds_all_values(values: list[float], zero: bool, least: float) -> None:
    axis = ChartAxis.around(values, "accuracy", zero=zero, least=least)
    assert axis.low <= min(values) + 1e-9
    assert axis.high >= max(values) - 1e-9
    assert 2 <= len(axis.ticks) <= 9
    assert all(axis.low <= position <= axis.high for position, _ in axis.ticks)
    if zero:
        assert axis.low <= 0 <= axis.high


def test_lines_are_well_formed_whatever_the_names() -> None:
    line = ChartLine("<script>&", [ChartPoint(0, 1, 0.5, 1.5, "a<b"), ChartPoint(1, 2, 1, 3)], 0)
    chart = LineChart(
        "x", [line, ChartLine("empty", [])], ChartAxis.of_names(["<", "&"], "z"), ChartAxis.around([0, 3], "y")
    )
    drawing = ET.fromstring(draw_lines(chart))
    assert drawing.tag == "svg"
    assert len(drawing.findall("circle")) == 2
    assert len(drawing.findall("path")) == 2


number = st.floats(-50, 50)


@given(
    st.text(max_size=40),
    st.lists(st.tuples(st.text(max_size=30), number, number, number, st.none() | st.integers(0, 12)), max_size=5),
    st.sampled_from(["share", "difference", "number", "count"]),
    st.none() | st.floats(0, 1),
)
def test_bars_are_well_formed_and_inside_the_chart(
    title: str, rows: list[tuple[str, float, float, float, int | None]], scale: Scale, chance: float | None
) -> None:
    found = [ChartBar(name, Estimate(value, low, high), model) for name, value, low, high, model in rows]
    root = ET.fromstring(str(draw_bars(BarChart(title, found, chance=chance, scale=scale))))
    width = float(root.attrib["viewBox"].split()[2])
    for element in root.iter():
        for name in ("x", "x1", "x2"):
            assert 0 <= float(element.attrib.get(name, 0)) <= width
        assert float(element.attrib.get("width", 0)) <= width


def score(value: float | None, test: str = "swap", facet: str | None = None, by: str | None = None) -> Score:
    low, high = (None, None) if value is None else (value - 0.1, value + 0.1)
    return Score(measure="acc", group=Group("mine", test, facet, by), value=value, low=low, high=high, n=40)


def test_bars_have_a_chart_per_test_and_a_bar_per_model() -> None:
    scores = [ModelScore(0, score(0.5)), ModelScore(1, score(0.7)), ModelScore(0, score(0.9, "order"))]
    scores += [ModelScore(1, score(None, "order")), ModelScore(0, score(0.1, "swap", "size", "1"))]
    swap, order = bars(scores, MODELS)
    assert (swap.title, swap.n, swap.scale) == ("swap", 40, "share")
    assert [(bar.name, bar.estimate.value, bar.model) for bar in swap.bars] == [("one", 0.5, 0), ("two", 0.7, 1)]
    assert [bar.name for bar in order.bars] == ["one"]
    assert "two 70.0 (60.0 to 80.0)" in draw_bars(swap)


def test_lines_follow_the_values_of_a_facet_in_their_order() -> None:
    scores = [ModelScore(0, score(0.1 * size, "swap", "size", str(size))) for size in (10, 9, 2)]
    (chart,) = lines([*scores, ModelScore(0, score(0.5))], MODELS)
    assert [name for _, name in chart.x.ticks] == ["2", "9", "10"]
    assert [point.y for point in chart.lines[0].points] == pytest.approx([20, 90, 100])
    assert chart.x.label == "size"
    assert chart.y.label == "ACC, %"
