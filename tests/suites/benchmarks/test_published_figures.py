"""Published figures stand in the report under the scores of the same measures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from falter.bundle import BUNDLES
from falter.measures import find_measure
from falter.reporting.published import load_published
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


def test_the_report_shows_what_a_paper_prints(tmp_path: Path) -> None:
    imported("pope", RELEASES["pope"](tmp_path / "release"), tmp_path / "suite")
    falter("run", tmp_path / "suite", "--model", "builtin:always-yes", "--out", tmp_path / "run")
    falter("report", tmp_path / "run", "--out", tmp_path / "report.html")
    page = " ".join(re.sub(r"<[^>]+>", " ", (tmp_path / "report.html").read_text()).split())
    assert "1 model, 3 tests, 10 single questions." in page
    assert "Published, as ACC · precision · recall · F1 · yes rate" in page
    # InstructBLIP on adversarial questions.
    assert "ACC 72.1 precision 65.1 recall 95.1 F1 77.3 yes rate 73.0" in page
