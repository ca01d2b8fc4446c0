"""The released files of CARETS, beside the checkout, are imported without loss."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import polars as pl
import pytest
from tests.cli.commands import falter

from falter.data.suite import Suite, open_suite
from falter.evaluation.engine import run_suite
from falter.evaluation.measures import Score
from falter.evaluation.models import load_model
from falter.evaluation.runs import open_run
from falter.evaluation.runs.scoring import score_run
from falter.evaluation.score_options import ScoreOptions
from falter.generation.authoring.importer import import_suite, load_importer

FOLDER = Path(__file__).parents[2] / "../shared/data/carets"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="needs ../shared/data/carets beside the checkout"),
]

PAIRS = {"rephrase": 17_748, "order": 14_412, "negation": 10_000, "antonym": 5_000, "ontology": 1_763}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    folder = tmp_path_factory.mktemp("released") / "carets"
    import_suite(load_importer("carets"), FOLDER, folder)
    return open_suite(folder)


def test_every_pair_is_there(suite: Suite) -> None:
    tests = suite.manifest.counts["tests"]
    assert {name: counts["probes"] for name, counts in tests.items()} == PAIRS
    assert len(suite.manifest.counts["files"]) == 26
    assert suite.manifest.counts["skipped_files"] == []
    assert suite.item_count == 2 * sum(PAIRS.values())


def test_the_strata_are_those_of_the_paper(suite: Suite) -> None:
    strata: dict[tuple[str, str, str], int] = {}
    for item in suite.items():
        if item.role == "variant":
            key = (item.test, item.facets["type"], item.facets["form"])
            strata[key] = strata.get(key, 0) + 1
    for kind in ("object_verification", "conjunctive_verification", "disjunctive_verification"):
        assert strata["negation", kind, "single"] == 2_500
        assert strata["rephrase", kind, "single"] == 2_500
    assert strata["order", "action_choice", "single"] == 248
    assert strata["order", "action_choice", "related"] == 250
    assert strata["order", "attribute_choice", "single"] == 1_664
    assert strata["order", "attribute_choice", "related"] == 2_250
    assert strata["order", "object_choice", "single"] == strata["order", "object_choice", "related"] == 2_500
    assert strata["antonym", "attribute_verification", "single"] == 2_500


def test_the_published_text_is_kept_flaws_and_all(suite: Suite) -> None:
    texts = [item.text for item in suite.items()]
    assert sum(" ?" in text for text in texts) > 0
    assert sum("?" not in text for text in texts) > 0


def test_always_yes_scores_as_the_formulas_say(suite: Suite, tmp_path: Path) -> None:
    done = falter("run", suite.folder, "--model", "builtin:always-yes", "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    found: dict[tuple[str, str], Score] = {
        (score.group.test, score.measure): score
        for score in score_run(open_run(tmp_path / "run"), ScoreOptions(n_resamples=0))
    }
    for test, expected in {
        "negation": (0.5, 0.0, 0.0),
        "rephrase": (0.2814, 1.0, 0.2814),
        "order": (0.1707, 1.0, 0.1707),
    }.items():
        for measure, value in zip(("acc", "cons", "c_acc"), expected, strict=True):
            assert found[test, measure].value == pytest.approx(value, abs=0.00005), (test, measure)
        assert found[test, "c_acc"].n == PAIRS[test]


SOME_FILES = ("action_choice_template", "action_choice_rel_template", "action_choice_symmetric")


@pytest.fixture(scope="module")
def some(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three published files: some questions have several ids, and some ids several questions."""
    folder = tmp_path_factory.mktemp("some")
    (folder / "released").mkdir()
    for name in SOME_FILES:
        shutil.copy(FOLDER / f"{name}_test.json", folder / "released")
    import_suite(load_importer("carets"), folder / "released", folder / "carets")
    return folder


def predict(name: str, seed: int) -> tuple[dict[str, str], float]:
    """An answer drawn for each published id of a file, and its accuracy over all questions of the file."""
    draw = random.Random(f"{name} {seed}")
    answers: dict[str, str] = {}
    correct = 0
    questions = json.loads((FOLDER / f"{name}_test.json").read_text())
    for question in questions:
        given = question["assignment"]
        choices = next(given[key] for key in ("category-options1", "obj-category-options1") if key in given)
        answers[question["question_id"]] = draw.choice(choices)
        correct += answers[question["question_id"]] in question["label"]
    return answers, correct / len(questions)


def accuracy(run: Path, name: str) -> float:
    outcomes = open_run(run).outcomes().filter(pl.col("probe_id").str.starts_with(f"{name}-"))
    return float((outcomes["outcome"] == "correct").mean())  # type: ignore[arg-type]


def test_predictions_by_published_id_score_as_the_published_file_does(some: Path, tmp_path: Path) -> None:
    name = SOME_FILES[0]
    answers, expected = predict(name, seed=1)
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps([{"question_id": one, "answer": answer} for one, answer in answers.items()]))
    run_suite(open_suite(some / "carets"), load_model(f"file:{path}"), tmp_path / "run")
    assert accuracy(tmp_path / "run", name) == pytest.approx(expected, abs=1e-12)
