"""The report's panel on the words of captions and foils: shares before and after validation, and their divergence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.reporting import ColumnChart
from falter.evaluation.reporting.charts import ColumnSeries
from falter.evaluation.reporting.svg_charts import draw_columns
from falter.suites.valse.panels import words_section

pytestmark = pytest.mark.bundle("valse")


def made(folder: Path, pairs: list[tuple[Any, Any, str]]) -> Suite:
    """Pairs with the word of the caption, that of the foil, and whether annotators confirmed them ("" for no votes)."""
    with create_suite(folder, SuiteManifest(name="valse")) as writer:
        for number, (word, foil_word, valid) in enumerate(pairs):
            shared: dict[str, Any] = {
                "suite": "valse",
                "test": "relations",
                "probe_id": str(number),
                "task": "match",
                "expects": "prefer",
                "image": ImageRef(str(number)),
                "facets": {"valid": valid} if valid else {},
                "extra": json.dumps({"classes": word, "classes_foil": foil_word}),
            }
            foil = Item.make(text=f"a cat {foil_word} it", gold="no", variant=1, **shared)
            writer.add(Probe((Item.make(text=f"a cat {word} it", gold="yes", **shared), foil)))
    return open_suite(folder)


def charts(suite: Suite) -> list[ColumnChart]:
    section = words_section(suite)
    assert section is not None
    (part,) = section.parts
    (group,) = part.figures
    assert not isinstance(group, ColumnChart)
    return [chart for chart in group if isinstance(chart, ColumnChart)]


def test_shares_before_and_after_validation(tmp_path: Path) -> None:
    pairs = [("on", "in", "yes"), ("on", "under", "yes"), ("in", "on", "no"), ("in", "on", "yes")]
    suite = made(tmp_path / "suite", pairs)
    everything, valid = charts(suite)
    assert everything.names == valid.names == ["on", "in", "under"], "by frequency, and the same in both"
    assert [one.name for one in everything.series] == ["captions", "foils"]
    assert [list(one.values) for one in everything.series] == [[0.5, 0.5, 0.0], [0.5, 0.25, 0.25]]
    assert valid.series[0].values == pytest.approx([2 / 3, 1 / 3, 0])
    assert (everything.count, valid.count) == ("4 pairs", "3 pairs")
    section = words_section(suite)
    assert section is not None
    (row,) = section.tables[0].rows
    assert list(row[:5]) == ["relations", 4, 3, 2, 3]
    assert row[6] == 3


def test_numbers_stand_in_their_order_and_pairs_without_votes_have_one_chart(tmp_path: Path) -> None:
    (chart,) = charts(made(tmp_path / "suite", [(10, 2, ""), (2, 10, ""), (2, 0, "")]))
    assert chart.names == ["0", "2", "10"]


def test_a_suite_that_names_no_words_has_no_panel(tmp_path: Path) -> None:
    assert words_section(made(tmp_path / "suite", [(None, None, "yes")])) is None


def test_columns_are_drawn_for_every_series_and_escaped() -> None:
    series = [ColumnSeries("captions", [0.5, 0.25]), ColumnSeries("foils", [0.0, 1.0])]
    drawn = str(draw_columns(ColumnChart("relations", ["on", "<b>"], series)))
    assert drawn.count("<rect") == 4
    assert "<b>" not in drawn and "&lt;b&gt;: foils 100.0 %" in drawn
    assert 'aria-label="relations: on captions 50.0, foils 0.0;' in drawn
