"""Published figures stand in the report under the scores of the same measures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from falter.core.bundle import BUNDLES
from falter.evaluation.measures import find_measure
from falter.evaluation.reporting.published import load_published
from tests.cli.commands import falter
from tests.suites.benchmarks.published import imported
from tests.suites.benchmarks.releases import RELEASES


@pytest.mark.parametrize("name", [name for name in RELEASES if BUNDLES.get(name).published])
def test_published_figures_are_of_known_measures(name: str) -> None:
    bundle = BUNDLES.get(name)
    paper = load_published(bundle.path(bundle.published))
    assert paper.suite == name
    for row in paper.rows:
        for measure, value in row.values.items():
            assert find_measure(measure) is not None
            assert 0 <= value <= 100


def test_the_report_says_what_the_figures_of_a_paper_belong_to(tmp_path: Path) -> None:
    imported("pope", RELEASES["pope"](tmp_path / "release"), tmp_path / "suite")
    falter("run", tmp_path / "suite", "--model", "builtin:always-yes", "--out", tmp_path / "run")
    falter("report", tmp_path / "run", "--out", tmp_path / "report.html")
    page = " ".join(re.sub(r"<[^>]+>", " ", (tmp_path / "report.html").read_text()).split())
    assert "1 model, 3 tests, 10 single questions." in page
    assert "InstructBLIP" not in page
    assert page.count("are not shown: they belong to the 3,000 questions of each test on COCO.") == 1
