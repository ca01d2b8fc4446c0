"""Captions against foils in a report: bars, the table with published figures, failed pairs; none without foils."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

import falter
from falter.data.items import ImageRef, Item, Probe
from falter.data.model import Capabilities, Reply, Request, ScoreKind
from falter.data.suite import Suite, SuiteManifest, open_suite
from falter.data.suite_writing import create_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.measures import Group, Score
from falter.evaluation.reporting import collect
from falter.evaluation.reporting.foils import foils
from falter.evaluation.reporting.headline import headlines
from falter.evaluation.reporting.page import render_report, summary
from falter.evaluation.reporting.published import load_published
from falter.evaluation.reporting.published_settings import SuiteFacts
from falter.evaluation.reporting.report_data import ModelScore, ReportData
from falter.evaluation.reporting.score_charts import accuracy_charts
from falter.evaluation.reporting.scores import ScoresByModel
from falter.evaluation.reporting.svg_arrows import draw_drop
from falter.evaluation.reporting.tables import breakdowns
from falter.evaluation.runs import Run, open_run
from falter.evaluation.score_options import ScoreOptions
from tests.browser import CHROMIUM

from .made_up import made_up

PAIRS = 6
FIGURES = Path(falter.__file__).parent / "suites/valse/published.yaml"
"""Published figures with the tests' names; read as a file, whether or not their bundle is registered."""


class Scoring:
    """A model that gives captions and foils of a test fixed scores, exchanged in the last pair of the test."""

    capabilities = Capabilities(tasks=frozenset({"match"}))

    def __init__(self, name: str, kind: ScoreKind, scores: dict[str, tuple[float, float]]) -> None:
        self.name = name
        self.fingerprint = f"{name}-1"
        self._kind = kind
        self._scores = scores

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return [self._one(request) for request in batch]

    def _one(self, request: Request) -> Reply:
        test, what, number = request.text.split()[1:4]
        pair = self._scores[test] if int(number) < PAIRS - 1 else self._scores[test][::-1]
        return Reply(item_id=request.item_id, score=pair[what != "caption"], score_kind=self._kind)


def made_suite(folder: Path) -> Suite:
    with create_suite(
        folder, SuiteManifest(name="captions", title="Captions and foils", licence="CC-BY-4.0")
    ) as writer:
        for test in ("existence", "counting-balanced"):
            for number in range(PAIRS):
                shared: dict[str, Any] = {
                    "suite": "captions",
                    "test": test,
                    "probe_id": f"{test}-{number}",
                    "task": "match",
                    "expects": "prefer",
                    "image": ImageRef(str(number)),
                    "facets": {"unanimous": "yes" if number % 2 else "no"},
                }
                caption = Item.make(text=f"a {test} caption {number}", gold="yes", **shared)
                foil = Item.make(text=f"a {test} <b>foil</b> {number}", gold="no", variant=1, **shared)
                writer.add(Probe((caption, foil)))
    return open_suite(folder)


def run_of(suite: Suite, folder: Path, model: Scoring) -> Run:
    run_suite(suite, model, folder / model.name, spec=f"python:{model.name}")
    return open_run(folder / model.name)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    folder = tmp_path_factory.mktemp("foils")
    suite = made_suite(folder / "suite")
    runs = [
        run_of(
            suite, folder, Scoring("good", "probability", {"existence": (0.9, 0.2), "counting-balanced": (0.8, 0.3)})
        ),
        run_of(
            suite, folder, Scoring("plain", "similarity", {"existence": (0.4, 0.4), "counting-balanced": (0.1, 0.3)})
        ),
    ]
    data = collect(runs, ScoreOptions(n_resamples=50))
    facts = SuiteFacts(suite.manifest, suite.items_path)
    data.published["captions"], _ = load_published(FIGURES).describing(
        facts, ["existence", "counting-balanced", "mean"]
    )
    return data


def test_the_table_has_every_measure_with_published_rows(data: ReportData) -> None:
    (suite,) = foils(data, ScoresByModel(data.scores))
    assert suite.tests == ["existence", "counting-balanced", "mean of tests", "all pairs"]
    assert suite.pairs == [PAIRS, PAIRS, 2 * PAIRS, 2 * PAIRS]
    assert suite.needs_probability == ["plain"]
    acc_r = suite.blocks[0]
    assert acc_r.measure == "acc_r"
    assert {row.name: [cell.value for cell in row.cells] for row in acc_r.rows} == {
        "good": ["83.3", "83.3", "83.3", "83.3"],
        "plain": ["0.0", "16.7", "8.3", "8.3"],
    }
    assert [cell.best for cell in acc_r.rows[0].cells] == [True] * 4
    clip = next(row for row in acc_r.published if row.name == "CLIP")
    assert [cell.value for cell in clip.cells] == ["66.9", "62.1", "–", "–"], "64.0 is the mean of eleven tests"
    assert [[cell.at_chance for cell in row.cells] for row in acc_r.rows] == [[False] * 4, [True] * 4]
    visual_bert = next(row for row in acc_r.published if row.name == "VisualBERT")
    assert [cell.at_chance for cell in visual_bert.cells] == [True, True, False, False], "39.7, 48.2, none, none"
    assert "<u>39.7</u>" in render_report(data)[0]
    recall = next(block for block in suite.blocks if block.measure == "p_c")
    assert [row.name for row in recall.rows] == ["good"]
    assert {row.name: [cell.value for cell in row.cells] for row in suite.ties}["plain"] == ["6", "0", "–", "6"]
    assert any("2.4" in note for note in suite.notes)


def test_the_published_mean_stands_beside_a_mean_over_the_same_tests_of_the_release() -> None:
    paper = load_published(FIGURES)
    released = dict(paper.settings["mean"].released)
    sizes = {test: {"probes": size} for test, (size,) in released.items()}
    few = {test: sizes[test] for test in ("existence", "counting-balanced")}
    for made_by, tests, shown in (
        ("falter import valse", sizes, True),
        ("falter import valse", few, False),
        ("falter import valse", {**sizes, "existence": {"probes": 533}}, False),
        ("falter generate valse", sizes, False),
    ):
        facts = SuiteFacts(SuiteManifest(name="captions", made_by=made_by, counts={"tests": tests}))
        described, _ = paper.describing(facts, [*tests, "mean"])
        assert (described.row("mean", "CLIP") is not None) == shown


def test_the_page_shows_bars_against_chance_and_the_published_models(data: ReportData) -> None:
    page, _ = render_report(data)
    assert page.count('class="chart foil-bars"') == 3
    assert "2 models, 2 tests, 12 pairs of a caption and a foil." in page
    assert "ViLBERT 12-in-1" in page
    assert 'href="#foils"' in page
    assert "Of the 5 captions that good ranks above their foils, plain ranks 0.0 % so" in page
    for absent in ('id="drop"', 'id="results"', 'id="response-bias"'):
        assert absent not in page
    assert "<b>foil</b>" not in page


def test_failed_pairs_are_those_whose_foil_is_not_below(data: ReportData) -> None:
    found: dict[tuple[str, int], list[tuple[str, ...]]] = {}
    for failure in data.failures:
        assert failure.expects == "prefer"
        for reply in failure.replies:
            found.setdefault((failure.test, reply.model), []).append(reply.failure_types)
    assert sorted(found["existence", 0]) == [()] * (PAIRS - 1) + [("foil",)]
    assert found["existence", 1] == [("tie",)] * PAIRS
    assert sorted(found["counting-balanced", 1]) == [()] + [("foil",)] * (PAIRS - 1)
    shown = {(row.test, row.model): row.failed for row in data.failure_counts}
    assert shown == {
        ("existence", 0): 1,
        ("existence", 1): PAIRS,
        ("counting-balanced", 0): 1,
        ("counting-balanced", 1): PAIRS - 1,
    }


def test_a_report_of_questions_has_no_foils(tmp_path: Path) -> None:
    plain = made_up(tmp_path / "images", pairs=2)
    assert foils(plain, ScoresByModel(plain.scores)) == []
    page, _ = render_report(plain)
    assert 'id="foils"' not in page
    assert 'id="results"' in page


def test_models_are_only_in_the_tables_of_suites_they_ran_on(data: ReportData, tmp_path: Path) -> None:
    plain = made_up(tmp_path / "images", pairs=2)
    shift = len(plain.models)
    moved = [ModelScore(one.model + shift, one.score) for one in data.scores]
    both = msgspec.structs.replace(plain, models=plain.models + data.models, scores=plain.scores + moved)
    scores = ScoresByModel(both.scores)
    results, foil_suites = headlines(both, scores), foils(both, scores)
    assert [row.name for table in results for row in table.rows] == [info.name for info in plain.models]
    assert [row.name for row in foil_suites[0].blocks[0].rows] == ["good", "plain"]
    told = summary(both, results, foil_suites)
    assert told.startswith("4 models, 6 tests")
    assert f"2 models, 2 tests, {2 * PAIRS} pairs of a caption and a foil" in told
    drops, _ = accuracy_charts(both, scores)
    assert ">good<" not in draw_drop(drops[0])


def test_breakdowns_have_columns_of_the_models_that_ran(data: ReportData, tmp_path: Path) -> None:
    plain = made_up(tmp_path / "images", pairs=2)
    shift = len(plain.models)
    moved = [ModelScore(one.model + shift, one.score) for one in data.scores]
    both = msgspec.structs.replace(plain, models=plain.models + data.models, scores=plain.scores + moved)
    found = breakdowns(both, ScoresByModel(both.scores))
    by_suite = {each.test.suite: table for each in found for table in each.facets}
    assert by_suite["carets"].models == list(range(shift))
    assert by_suite["captions"].models == [shift, shift + 1]
    assert all(len(cells) == len(table.models) for table in by_suite.values() for _, _, cells in table.rows)
    compared = [table.comparison for each in found for table in each.facets if table.comparison is not None]
    assert [row.name for row in compared[0].rows] == [info.name for info in plain.models]
    page = render_report(both)[0]
    section = page[page.index('id="breakdowns"') :]
    heads = section[section.index('class="facets"') :].partition("</thead>")[0]
    assert heads.count("<th ") == 2 + shift
    assert ">good<" not in heads


def test_position_bias_is_shown_and_no_model_is_best_in_it(data: ReportData) -> None:
    existence = Group("captions", "existence")
    leans = [
        ModelScore(
            place,
            Score(measure="position_bias", group=existence, value=value, low=value, high=value, n=PAIRS, signature="x"),
        )
        for place, value in ((0, 0.4), (1, 0.1))
    ]
    (suite,) = foils(data, ScoresByModel(data.scores + leans))
    block = suite.blocks[-1]
    assert block.measure == "position_bias"
    assert [row.cells[0].value for row in block.rows] == ["40.0", "10.0"]
    assert not any(cell.best for row in block.rows for cell in row.cells)


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_in_a_browser_captions_and_foils_are_called_so(chromium: Any, data: ReportData, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text(render_report(data)[0])
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto((tmp_path / "report.html").as_uri())
    page.select_option("#by-outcome", "tie")
    card = page.locator("article.pair").first
    assert card.locator("h4").all_inner_texts() == ["Caption", "Foil"]
    assert "caption scored higher" in card.inner_text()
    assert page.locator("#count").inner_text().startswith(f"1–{PAIRS} of {PAIRS}")
    assert troubles == []
    page.close()
