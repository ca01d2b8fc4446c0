"""VSR: statements of two splits, and predictions of one 0 or 1 per line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from falter.core.errors import InputError
from falter.data.suite import Suite
from tests.suites.benchmarks.published import Scored, imported, json_file, json_lines
from tests.suites.benchmarks.releases import write_vsr


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_vsr(tmp_path / "release")


@pytest.fixture
def suite(release: Path, tmp_path: Path) -> Suite:
    return imported("vsr", release, tmp_path / "suite")


def test_a_line_is_an_id_and_the_later_category_counts(suite: Suite) -> None:
    items = suite.to_polars()
    assert items["source_id"].to_list() == ["random:1", "random:2", "random:3", "zeroshot:1", "zeroshot:2"]
    assert items["gold"].to_list() == ["yes", "no", "yes", "yes", "no"]
    facets = [{one["name"]: one["value"] for one in row} for row in items["facets"].to_list()]
    assert [row["category"] for row in facets] == ["Topological", "Unallocated", "none", "Topological", "Unallocated"]
    assert suite.manifest.notes == [
        "rel_meta_category_dict.txt has a relation in two categories, the later counts: 'among' (Unallocated).",
        "No category has the relation fits: it is 'none'.",
    ]


def test_predictions_are_joined_by_their_line(suite: Suite, tmp_path: Path) -> None:
    path = tmp_path / "preds.txt"
    path.write_text("1\r\n1\r\n0\r\n\r\n")
    scored = Scored(suite, path, tmp_path / "run", by=("category", "relation"))
    assert scored.value("acc", "random") == 1 / 3
    assert scored.value("acc", "random", "category", "Topological") == 1.0
    assert scored.value("acc", "random", "category", "Unallocated") == 0.0
    assert scored.value("acc", "random", "relation", "fits") == 0.0


def test_a_split_can_be_imported_alone(release: Path, tmp_path: Path) -> None:
    suite = imported("vsr", release / "zeroshot", tmp_path / "suite")
    assert suite.to_polars()["test"].unique().to_list() == ["zeroshot"]
    path = tmp_path / "preds.txt"
    path.write_text("0\n0")
    scored = Scored(suite, path, tmp_path / "run")
    assert scored.value("acc", "zeroshot") == 1 / 2
    assert scored.notes == []


def test_a_line_that_is_neither_is_unparsed_and_named(suite: Suite, tmp_path: Path) -> None:
    path = tmp_path / "random.txt"
    path.write_text("1\nmaybe\n1\n")
    scored = Scored(suite, path, tmp_path / "run")
    assert scored.value("acc", "random") == 2 / 3
    assert (
        scored.notes[0] == "records of random.txt that are neither 0 nor 1, and are read as any other reply: 1 (line 2)"
    )


def test_another_number_of_lines_is_refused(suite: Suite, tmp_path: Path) -> None:
    path = tmp_path / "preds.txt"
    path.write_text("1\n" * 4)
    with pytest.raises(InputError, match="has 4 lines, and the suite has the statements 3 of random, 2 of zeroshot"):
        Scored(suite, path, tmp_path / "run")


def test_a_bad_statement_is_left_out_and_keeps_its_line(release: Path, tmp_path: Path) -> None:
    rows = [
        {"image": "1.jpg", "caption": "The cat is on the bed.", "label": label, "relation": "on"} for label in (1, 3, 0)
    ]
    json_lines(release / "random" / "test.jsonl", rows)
    suite = imported("vsr", release / "random", tmp_path / "suite")
    assert suite.to_polars()["source_id"].to_list() == ["random:1", "random:3"]
    assert suite.manifest.counts["left_out"] == 1


@pytest.mark.parametrize("rows", [[{"pred": 1}, {"pred": 0}, {"pred": True}], [1, 0, 1]])
def test_records_and_lists_are_in_the_same_order(suite: Suite, tmp_path: Path, rows: list[Any]) -> None:
    scored = Scored(suite, json_file(tmp_path / "preds.json", rows), tmp_path / "run")
    assert scored.value("acc", "random") == 1.0


def test_records_that_quote_their_statement_are_joined_by_it(suite: Suite, tmp_path: Path) -> None:
    first, _, last = suite.to_polars().filter(pl.col("test") == "random")["text"].to_list()
    rows = [
        {"prompt": f"{last} Answer yes or no.", "response": "No, it is not."},
        {"prompt": f'Is this true?\n"{first}"', "response": "Yes."},
        {"prompt": "The moon is on the cat.", "response": "Yes."},
    ]
    scored = Scored(suite, json_lines(tmp_path / "random.jsonl", rows), tmp_path / "run")
    assert scored.value("failed", "random") == 1
    assert scored.value("acc", "random") == 1 / 2
    assert (
        "records of random.jsonl that are about no statement of the suite, and are ignored: 1 (line 3)" in scored.notes
    )


def test_records_about_other_statements_are_refused(suite: Suite, tmp_path: Path) -> None:
    rows = [{"caption": "The moon is on the cat.", "prediction": 1}] * 3
    with pytest.raises(InputError, match=r"is about .'the moon is on the cat\..*no statement of the suite"):
        Scored(suite, json_lines(tmp_path / "preds.jsonl", rows), tmp_path / "run")


def test_fractions_are_probabilities(suite: Suite, tmp_path: Path) -> None:
    (tmp_path / "random.txt").write_text("0.9\n0.2\n0.51\n")
    scored = Scored(suite, tmp_path / "random.txt", tmp_path / "run")
    assert scored.value("acc", "random") == 1.0


def test_the_split_of_a_file_is_told_and_not_guessed(tmp_path: Path) -> None:
    """Only the random split has reference frames, and only the zero-shot one subjects and objects."""
    plain = {"image": "1.jpg", "caption": "The cat is on the bed.", "label": 1, "relation": "on"}
    own = {"random": {**plain, "reference_frame": None}, "zeroshot": {**plain, "subj": "cat", "obj": "bed"}}
    for split, row in own.items():
        file = json_lines(tmp_path / f"some-{split[0]}" / "test.jsonl", [row])
        suite = imported("vsr", file, tmp_path / f"suite-{split}")
        assert suite.to_polars()["test"].to_list() == [split]
    unsaid = json_lines(tmp_path / "data" / "test.jsonl", [plain])
    with pytest.raises(InputError, match="does not say of which split it is, random or zeroshot"):
        imported("vsr", unsaid, tmp_path / "unsaid")
    json_lines(tmp_path / "release" / "random" / "test.jsonl", [own["zeroshot"]])
    with pytest.raises(InputError, match="holds statements of the zeroshot split, in a folder 'random'"):
        imported("vsr", tmp_path / "release", tmp_path / "mixed")


def test_predictions_on_one_split_are_none_on_the_other(suite: Suite, tmp_path: Path) -> None:
    """The first statement is in both splits."""
    path = tmp_path / "zeroshot.txt"
    path.write_text("1\n0")
    scored = Scored(suite, path, tmp_path / "run")
    assert [scored.value("failed", split) for split in ("random", "zeroshot")] == [3, 0]
    assert scored.value("acc", "random") is None
