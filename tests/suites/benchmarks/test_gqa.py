"""GQA itself: its questions, result files as its server takes them, and its own scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from falter.core.errors import InputError
from falter.data.suite import Suite
from falter.suites.benchmarks.gqa.official import OfficialScores, official_scores
from tests.cli.commands import falter
from tests.suites.benchmarks.published import Scored, imported, json_file
from tests.suites.benchmarks.releases import GQA, write_gqa

ANSWERS = {"01": "sofa", "02": "yes", "03": "sofa", "04": "yes", "05": "shape"}


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return imported("gqa", write_gqa(tmp_path / "release"), tmp_path / "suite")


def results(path: Path, answers: dict[str, str]) -> Path:
    return json_file(path, [{"questionId": key, "prediction": said} for key, said in answers.items()])


@pytest.fixture
def scored(suite: Suite, tmp_path: Path) -> Scored:
    return Scored(suite, results(tmp_path / "results.json", ANSWERS), tmp_path / "run", by=("structural", "form"))


def test_questions_that_are_not_balanced_are_a_test_of_their_own(suite: Suite) -> None:
    items = suite.to_polars()
    assert items["test"].to_list() == ["val_all", "val_all", "val_all", "val_all-unbalanced", "val_all"]
    assert items["source_id"].to_list() == list(GQA)
    facets = {one["name"]: one["value"] for one in items["facets"].to_list()[0]}
    # "query: name" is no step of its own.
    assert (facets["structural"], facets["form"], facets["words"], facets["steps"]) == ("query", "open", "5", "1")


def test_results_are_compared_exactly(scored: Scored) -> None:
    assert scored.notes == []
    assert scored.value("acc_official", "val_all") == 2 / 4
    assert scored.value("acc_official", "val_all", "structural", "query") == pytest.approx(1 / 3)
    assert scored.value("acc_official", "val_all", "form", "binary") == 1.0


def score(scored: Scored, **options: Any) -> OfficialScores:
    return official_scores(scored.run, **options)


def test_official_scores_are_over_balanced_questions(scored: Scored) -> None:
    found = score(scored)
    assert (found.accuracy, found.binary, found.open) == (50.0, 100.0, pytest.approx(100 / 3))
    assert found.by["structural"] == {"query": (pytest.approx(100 / 3), 3), "verify": (100.0, 1)}
    # 01 and 02 are right; 01 entails 02 (right) and 04 (wrong, not balanced), 02 entails nothing.
    assert found.consistency == 50.0
    # In the group furniture: gold sofa 1, bed 1; predicted sofa 2, bed 0: (1 + 1) over 100.
    assert found.distribution == pytest.approx(0.02)
    assert (found.validity, found.plausibility) == (None, None)
    assert found.notes == ()


def test_valid_and_plausible_answers_come_from_the_choices(scored: Scored, tmp_path: Path) -> None:
    choices = {key: {"valid": ["sofa", "bed", "yes"], "plausible": ["bed", "yes"]} for key in GQA}
    path = json_file(tmp_path / "val_choices.json", choices)
    found = score(scored, choices=path)
    # What things have in common is a color, a material or a shape.
    assert (found.validity, found.plausibility) == (100.0, 50.0)
    del choices["03"]
    with pytest.raises(InputError, match="no choices for the question 03"):
        score(scored, choices=json_file(path, choices))


def test_entailed_questions_that_are_not_there_are_told(suite: Suite, tmp_path: Path) -> None:
    answers = {**ANSWERS, "03": "Bed"}
    del answers["05"]
    run = Scored(suite, results(tmp_path / "results.json", answers), tmp_path / "run")
    found = score(run)
    assert found.notes == (
        "1 balanced question without an answer: in no score",
        "1 answer correct but for capital letters, which GQA's own program takes for wrong",
        "1 entailed question not in the run: consistency is over the others",
    )
    # 03 entails 02, which is right, and 99, which is nowhere.
    assert found.consistency == 75.0


def test_the_command_prints_the_same(scored: Scored, tmp_path: Path) -> None:
    (told,) = json.loads(falter("gqa", "scores", tmp_path / "run", "--json").stdout)
    assert told["accuracy"] == 50.0
    assert told["distribution"] == pytest.approx(0.02)
    shown = falter("gqa", "scores", tmp_path / "run").stdout
    assert "consistency" in shown and "50.00" in shown and "33.33 (3)" in shown


def test_records_without_an_answer_are_named(tmp_path: Path) -> None:
    records = {"01": GQA["01"], "02": {**GQA["02"], "answer": None}, "03": {"question": 5}}
    path = json_file(tmp_path / "testdev_balanced_questions.json", records)
    manifest = imported("gqa", path, tmp_path / "suite").manifest
    assert manifest.notes == [
        "1 record is left out: it has no answer (testdev_balanced_questions.json, 02).",
        "1 record is left out: the record is malformed (testdev_balanced_questions.json, 03).",
    ]
