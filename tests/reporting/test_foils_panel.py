"""Captions against foils in a report: bars, the table beside the paper's, failed pairs; none where there are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from falter.authoring.import_suite import bring_in
from falter.authoring.importer import IMPORTS
from falter.engine import run_suite
from falter.measures.score import Group, Score
from falter.models import load_model
from falter.probes import Suite, open_suite
from falter.reporting.collect import collect
from falter.reporting.data import ModelScore, ReportData
from falter.reporting.foils import foils
from falter.reporting.headline import headline, lede
from falter.reporting.page import render_report
from falter.reporting.panels import charts
from falter.reporting.scores import Scores
from falter.reporting.tables import breakdowns
from falter.runs import Run
from tests.suites.test_import_valse import entry, release

from .made_up import made_up

PAIRS = 6


def released(folder: Path) -> Path:
    files = {
        name: {
            f"{name}{number}": entry(
                f"a {name} caption {number}",
                f"a {name} <b>foil</b> {number}",
                2 + number % 2,
                image_file=f"v7w_{number}.jpg",
            )
            for number in range(PAIRS)
        }
        for name in ("existence", "counting-hard")
    }
    return release(folder, {f"{name}.json": entries for name, entries in files.items()})


def run_of(suite: Suite, folder: Path, name: str, kind: str, scores: dict[str, tuple[float, float]]) -> Run:
    """Scores of caption and foil by test; the last pair of a test is turned around."""
    rows = []
    for instrument, pair in scores.items():
        for number in range(PAIRS):
            caption, foil = pair if number < PAIRS - 1 else pair[::-1]
            rows.append({"instrument": instrument, "id": number, "type": "caption", "score": caption})
            rows.append({"instrument": instrument, "id": number, "type": "foil", "score": foil})
    path = folder / f"{name}.json"
    path.write_text(json.dumps(rows))
    return run_suite(suite, load_model(f"file:{path}#score_kind={kind},name={name}"), folder / name)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ReportData:
    folder = tmp_path_factory.mktemp("foils")
    bring_in(IMPORTS.get("valse"), released(folder / "in"), folder / "suite")
    suite = open_suite(folder / "suite")
    runs = [
        run_of(suite, folder, "good", "probability", {"existence": (0.9, 0.2), "counting-hard": (0.8, 0.3)}),
        run_of(suite, folder, "plain", "similarity", {"existence": (0.4, 0.4), "counting-hard": (0.1, 0.3)}),
    ]
    return collect(runs, draws=50)


def test_the_table_has_the_form_of_the_papers(data: ReportData) -> None:
    (suite,) = foils(data, Scores(data.scores))
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
    assert [cell.value for cell in clip.cells] == ["66.9", "62.1", "64.0", "–"]
    recall = next(block for block in suite.blocks if block.measure == "p_c")
    assert [row.name for row in recall.rows] == ["good"]
    assert {row.name: [cell.value for cell in row.cells] for row in suite.ties}["plain"] == ["6", "0", "–", "6"]
    assert any("2.4" in note for note in suite.notes)


def test_the_page_shows_bars_against_a_coin_and_the_published_models(data: ReportData) -> None:
    page, _ = render_report(data)
    assert page.count('class="chart foil-bars"') == 3
    assert "2 models, 2 tests, 12 pairs of a caption and a foil." in page
    assert "ViLBERT 12-in-1" in page
    assert 'href="#foils"' in page
    assert "Of the 5 captions that good ranks above their foils, plain ranks 0.0 % so" in page
    for absent in ('id="drop"', 'id="results"', 'id="behaviour"'):
        assert absent not in page
    assert "<b>foil</b>" not in page


def test_failed_pairs_are_those_whose_foil_is_not_below(data: ReportData) -> None:
    outcomes: dict[tuple[str, int], list[tuple[str, ...]]] = {}
    for failure in data.failures:
        assert failure.expects == "prefer"
        for reply in failure.replies:
            outcomes.setdefault((failure.test, reply.model), []).append(reply.outcomes)
    assert sorted(outcomes["existence", 0]) == [()] * (PAIRS - 1) + [("foil",)]
    assert outcomes["existence", 1] == [("tie",)] * PAIRS
    assert sorted(outcomes["counting-balanced", 1]) == [()] + [("foil",)] * (PAIRS - 1)
    shown = {(row.test, row.model): row.failed for row in data.shown}
    assert shown == {
        ("existence", 0): 1,
        ("existence", 1): PAIRS,
        ("counting-balanced", 0): 1,
        ("counting-balanced", 1): PAIRS - 1,
    }


def test_a_report_of_questions_has_no_foils(tmp_path: Path) -> None:
    plain = made_up(tmp_path / "pictures", pairs=2)
    assert foils(plain, Scores(plain.scores)) == []
    page, _ = render_report(plain)
    assert 'id="foils"' not in page
    assert 'id="results"' in page


def test_models_stand_only_in_the_tables_of_what_they_were_asked(data: ReportData, tmp_path: Path) -> None:
    plain = made_up(tmp_path / "pictures", pairs=2)
    shift = len(plain.models)
    moved = [ModelScore(one.model + shift, one.score) for one in data.scores]
    both = msgspec.structs.replace(plain, models=plain.models + data.models, scores=plain.scores + moved)
    scores = Scores(both.scores)
    results, matched = headline(both, scores), foils(both, scores)
    assert [row.name for row in results.rows] == [card.name for card in plain.models]
    assert [row.name for row in matched[0].blocks[0].rows] == ["good", "plain"]
    told = lede(both, results, matched)
    assert told.startswith("4 models, 6 tests")
    assert f"2 models, 2 tests, {2 * PAIRS} pairs of a caption and a foil" in told
    drops, _ = charts(both, scores)
    assert ">good<" not in str(drops[0].drawing)


def test_breakdowns_have_columns_of_the_models_that_were_asked(data: ReportData, tmp_path: Path) -> None:
    plain = made_up(tmp_path / "pictures", pairs=2)
    shift = len(plain.models)
    moved = [ModelScore(one.model + shift, one.score) for one in data.scores]
    both = msgspec.structs.replace(plain, models=plain.models + data.models, scores=plain.scores + moved)
    found = breakdowns(both, Scores(both.scores))
    by_suite = {each.test.suite: table for each in found for table in each.facets}
    assert by_suite["carets"].models == list(range(shift))
    assert by_suite["valse"].models == [shift, shift + 1]
    assert all(len(cells) == len(table.models) for table in by_suite.values() for _, _, cells in table.rows)
    besides = [table.beside for each in found for table in each.facets if table.beside is not None]
    assert [row.name for row in besides[0].rows] == [card.name for card in plain.models]
    page = render_report(both)[0]
    section = page[page.index('id="breakdowns"') :]
    heads = section[section.index('class="facets"') :].partition("</thead>")[0]
    assert heads.count("<th ") == 2 + shift
    assert ">good<" not in heads


def test_a_lean_to_a_letter_is_shown_and_nobody_wins_by_it(data: ReportData) -> None:
    existence = Group("valse", "existence")
    leans = [
        ModelScore(
            place,
            Score(measure="position_bias", group=existence, value=value, low=value, high=value, n=PAIRS, signature="x"),
        )
        for place, value in ((0, 0.4), (1, 0.1))
    ]
    (suite,) = foils(data, Scores(data.scores + leans))
    block = suite.blocks[-1]
    assert block.measure == "position_bias"
    assert [row.cells[0].value for row in block.rows] == ["40.0", "10.0"]
    assert not any(cell.best for row in block.rows for cell in row.cells)


@pytest.mark.browser
def test_in_a_browser_captions_and_foils_are_called_so(data: ReportData, tmp_path: Path) -> None:
    sync_api: Any = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    from .test_browser import CHROMIUM

    if CHROMIUM is None:
        pytest.skip("no Chromium")
    (tmp_path / "report.html").write_text(render_report(data)[0])
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
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
        browser.close()
