"""VQA v2 itself: its questions, and result files as its server takes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from falter.core.errors import InputError
from falter.data.suite import Suite
from tests.suites.benchmarks.published import Scored, imported, json_file
from tests.suites.benchmarks.releases import write_vqa_release


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return imported("vqa", write_vqa_release(tmp_path / "release"), tmp_path / "suite")


def test_a_pair_of_files_is_a_test(suite: Suite) -> None:
    items = suite.to_polars()
    assert items["test"].to_list() == ["val2014"] * 3
    assert items["source_id"].to_list() == ["1", "2", "3"]
    assert items["gold"].to_list() == ["red", "no", "3"]


def test_results_have_the_official_accuracy(suite: Suite, tmp_path: Path) -> None:
    rows = [
        {"question_id": 1, "answer": "Dark red."},
        {"question_id": 2, "answer": "no"},
        {"question_id": 3, "answer": "two"},
    ]
    path = json_file(tmp_path / "results.json", rows)
    scored = Scored(suite, path, tmp_path / "run", by=("answer_type", "question_type"))
    assert scored.notes == []
    # One human said "dark red": nine subsets of nine have one of them (1/3), one has none; two said "2": 0.6.
    assert scored.value("acc_official", "val2014", "answer_type", "other") == pytest.approx(0.3)
    assert scored.value("acc_official", "val2014", "answer_type", "yes/no") == 1.0
    assert scored.value("acc_official", "val2014", "question_type", "how") == pytest.approx(0.6)
    assert scored.value("acc_official", "val2014") == pytest.approx((0.3 + 1.0 + 0.6) / 3)
    assert scored.value("vqa_accuracy", "val2014") == pytest.approx((0.3 + 1.0 + 0.6) / 3)


def test_an_answer_is_taken_as_it_is(suite: Suite, tmp_path: Path) -> None:
    rows = [{"question_id": 2, "answer": "The answer is no"}]
    scored = Scored(suite, json_file(tmp_path / "results.json", rows), tmp_path / "run")
    assert scored.value("acc_official", "val2014") == 0.0
    assert scored.value("vqa_accuracy", "val2014") == 0.0


def test_questions_without_annotations_cannot_be_scored(tmp_path: Path) -> None:
    folder = write_vqa_release(tmp_path / "release")
    (folder / "v2_mscoco_val2014_annotations.json").unlink()
    with pytest.raises(InputError, match="holds no questions of VQA with their annotations"):
        imported("vqa", folder, tmp_path / "suite")
