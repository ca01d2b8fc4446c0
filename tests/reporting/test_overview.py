"""The first table and the differences of models: totals stand under what was expected, and verdicts are honest."""

from __future__ import annotations

import re

import pytest

import falter
from falter.evaluation.reporting import collect, render_report
from falter.evaluation.reporting.differences import differences
from falter.evaluation.reporting.overview import overviews
from falter.evaluation.reporting.report_data import ReportData
from falter.evaluation.reporting.scores import ScoresByModel
from falter.evaluation.score_options import ScoreOptions
from tests.viewer.small import Replies, make_suite


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    folder = tmp_path_factory.mktemp("overview")
    suite = make_suite(folder, probes=60)
    runs = [
        falter.run(suite, lambda asked: ["yes"] * len(asked), name="always-yes", out=folder / "a" / "run"),
        falter.run(suite, Replies("mixed", 1), out=folder / "b" / "run"),
        falter.run(suite, Replies("mixed", 2), out=folder / "c" / "run"),
    ]
    return collect(runs, ScoreOptions(n_resamples=200))


def test_totals_stand_under_what_was_expected(data: ReportData) -> None:
    (table,) = overviews(data, ScoresByModel(data.scores))
    assert [expected for expected, _ in table.groups] == ["answers must stay", "answers must change"]
    row = next(row for row in table.rows if row.name == "always-yes")
    stay, change = ({cell.measure: cell.value for cell in cells} for cells in row.totals)
    assert (stay["cons"], change["cons"]) == ("100.0", "0.0"), "one answer to everything"
    assert (stay["c_acc"], change["c_acc"]) == ("100.0", "0.0")
    assert table.heading == "ACC, overall"
    page, _ = render_report(data)
    head = re.search(r'<tr class="over">(.*?)</tr>', page, re.DOTALL)
    assert head and re.findall(r">([a-z ]+)</th>", head[1]) == ["answers must stay", "answers must change"]


def test_two_models_of_one_name_and_folder_never_look_alike(data: ReportData) -> None:
    names = [model.name for model in data.models]
    assert names == ["always-yes", "mixed (b/run)", "mixed (c/run)"]
    assert len({model.fingerprint for model in data.models}) == 3


def test_an_order_that_is_not_decided_is_said_to_be_so(data: ReportData) -> None:
    scores = ScoresByModel(data.scores)
    (table,), (compared,) = overviews(data, scores), differences(data, scores)
    places = {row.name: row.rank for row in table.rows}
    undecided = [row for row in compared.rows if not row.decided]
    assert len(compared.rows) == 3 and undecided
    for row in undecided:
        assert row.verdict.startswith("Not decided") and row.difference.startswith(("+", "−", "0"))
    tied = [name for name, place in places.items() if "–" in place]
    assert len(tied) >= 2 and any("is not decisive" in sentence for sentence in table.read)
    assert any("Few images carry" in sentence for sentence in table.read)
    assert "right=mixed+%28b%2Frun%29" in " ".join(f"{row.only_first} {row.only_second}" for row in compared.rows)


def test_a_breakdown_of_one_value_is_left_out(data: ReportData) -> None:
    page, _ = render_report(data)
    shown = page[page.index('id="breakdowns"') :].split("</section>")[0]
    assert "obfuscation" not in shown, "every visual pair has the same value"
    assert "animal" in shown
