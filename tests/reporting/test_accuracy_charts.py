"""Charts are well-formed, say their figures in words, and keep to their frame."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from falter.evaluation.measures import Estimate, Group
from falter.evaluation.reporting.charts import ArrowChart, ArrowRow, HumanLevel
from falter.evaluation.reporting.svg_arrows import draw_consistency, draw_drop
from falter.evaluation.reporting.svg_charts import interval_mark, percent, share_bar

share = st.floats(0, 1)
estimate = st.none() | share.map(Estimate) | st.tuples(share, share, share).map(lambda three: Estimate(*three))
rows = st.lists(st.builds(ArrowRow, st.text(max_size=60), st.just(0), estimate, estimate), max_size=5)


@given(st.text(max_size=40), rows, st.none() | st.builds(HumanLevel, st.just("human"), share, share))
def test_charts_are_well_formed_whatever_the_names(
    test: str, entries: list[ArrowRow], human: HumanLevel | None
) -> None:
    chart = ArrowChart(Group("suite", test), entries, human)
    for drawing in (draw_drop(chart), draw_consistency(chart)):
        root = ET.fromstring(str(drawing))
        assert root.tag == "svg"
        width = float(root.attrib["viewBox"].split()[2])
        for element in root.iter():
            assert "style" not in element.attrib
            assert not any(name.startswith("on") for name in element.attrib)
            for name in ("x", "x1", "x2", "cx"):
                assert -10 <= float(element.attrib.get(name, 0)) <= width + 10


@given(estimate, st.text(max_size=30))
def test_marks_are_well_formed(each: Estimate | None, label: str) -> None:
    if each is not None:
        ET.fromstring(str(interval_mark(each, "m1", label)))
        ET.fromstring(str(share_bar(each.value, "m1", label)))


def test_the_arrow_falls_from_acc_to_c_acc() -> None:
    root = ET.fromstring(
        str(draw_drop(ArrowChart(Group("suite", "negation"), [ArrowRow("bag", 1, Estimate(0.75), Estimate(0.25))])))
    )
    dot = next(element for element in root.iter("circle"))
    tip = next(element for element in root.iter("path"))
    assert float(dot.attrib["cx"]) == pytest.approx(8 + 0.75 * 220)
    assert tip.attrib["d"].startswith("M63.00 ")
    figures = next(element for element in root.iter("text") if element.attrib["class"] == "figures")
    assert float(figures.attrib["x"]) - 12 * len(figures.text or "") / 2 > 8 + 220, "no line runs into the figures"
    assert root.attrib["aria-label"] == "negation. bag: ACC 75.0, C-ACC 25.0"


def test_a_row_without_scores_says_so() -> None:
    drawing = str(draw_drop(ArrowChart(Group("suite", "order"), [ArrowRow("bag", 1, None, None)])))
    assert "not measured" in drawing


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0.0"), (1, "100.0"), (0.99999, "99.9"), (0.00001, "0.1"), (0.5004, "50.0")]
)
def test_per_cent_is_full_or_empty_only_when_it_is(value: float, shown: str) -> None:
    assert percent(value) == shown
