"""The whole way, as a newcomer takes it: world, suite, audit, models, scores, report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falter.data.suite import open_suite
from tests.cli.commands import falter

TESTS = {"antonym", "negation", "ontology", "order", "rephrase", "visual"}


@pytest.fixture(scope="module", params=["60", pytest.param("300", marks=pytest.mark.soak)])
def demo(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("newcomer") / "demo"
    done = falter("demo", "--out", folder, "--num-scenes", "64", "--pairs", request.param, "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert f"report: {folder}/report.html" in done.stdout
    return folder


def scores(demo: Path, model: str) -> dict[tuple[str, str], float]:
    done = falter("score", demo / "runs" / model, "--json")
    assert done.returncode == 0, done.stderr
    return {
        (score["group"]["test"], score["measure"]): score["value"] for score in json.loads(done.stdout)[0]["scores"]
    }


def test_the_oracle_is_always_right(demo: Path) -> None:
    found = scores(demo, "oracle")
    assert {test for test, _ in found} == {*TESTS, "rephrase-and-order", "overall", "same", "different"}
    for test in sorted(TESTS):
        assert [found[test, measure] for measure in ("acc", "cons", "c_acc")] == [1.0, 1.0, 1.0]


def test_a_model_that_always_says_yes_contradicts_every_negation(demo: Path) -> None:
    found = scores(demo, "always-yes")
    for test in ("negation", "antonym"):
        assert (found[test, "acc"], found[test, "cons"], found[test, "c_acc"]) == (0.5, 0.0, 0.0)
    for test in ("rephrase", "ontology", "order", "visual"):
        assert found[test, "cons"] == 1.0
    assert found["ontology", "acc"] == pytest.approx(0.5, abs=0.05)
    assert found["rephrase", "acc"] < 0.5, "yes is none of the choices"


def test_at_least_four_models_were_asked(demo: Path) -> None:
    assert len(list((demo / "runs").glob("*/run.json"))) >= 4


def test_the_report_stands_by_itself(demo: Path) -> None:
    page = (demo / "report.html").read_text()
    assert "noisy-oracle" in page
    assert "http://" not in page.replace("http://www.w3.org/", "")
    assert 'src="http' not in page
    # The mean over two tests is neither a test nor has it pairs of its own.
    pairs = sum(len(probe.items) - 1 for probe in open_suite(demo / "suite").probes())
    assert f"{len(TESTS)} tests, {pairs:,} pairs of questions" in page


def test_the_report_shows_how_far_one_gets_without_the_image(demo: Path) -> None:
    page = (demo / "report.html").read_text()
    section = page[page.index('<section id="blind"') :].split("</section>")[0]
    assert all(name in section for name in ("negation", "ontology", "common sense"))
    assert "given the words alone" in section


def test_the_demo_does_not_write_over_what_is_there(demo: Path) -> None:
    done = falter("demo", "--out", demo, "--num-scenes", "50")
    assert done.returncode == 2
    assert "already exists" in done.stderr


def test_inspect_shows_counts_and_samples(demo: Path) -> None:
    done = falter("inspect", demo / "suite", "--sample", "2", "--json")
    contents = json.loads(done.stdout)
    assert len(contents["sample"]) == 2
    assert set(contents["tests"]) == TESTS
    assert contents["items"] > 2 * contents["probes"], "a picture has several views"
    for test in ("negation", "antonym"):
        golds = contents["tests"][test]["golds"]
        assert golds["yes"] == golds["no"]


def test_the_blind_check_reads_only_text(demo: Path) -> None:
    done = falter("inspect", demo / "suite", "--blind", "--json")
    checks = json.loads(done.stdout)["blind"]
    assert checks
    assert all(check["low"] <= check["accuracy"] <= check["high"] for check in checks)
    assert all(check["chance"] == 0.5 for check in checks if check["questions"] == "yes/no")
    assert all(check["common_sense"]["knows"] == "words" for check in checks)


def test_lists_name_what_there_is() -> None:
    assert "gqa" in falter("list", "sources").stdout
    assert "negation" in falter("list", "suites").stdout
