"""Scores of tables in memory are those of the same items and replies on disk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import falter
from falter.core.errors import InputError, UsageError
from falter.data.items import Probe
from falter.data.suite import open_suite
from tests.measures.tables import probe, write

ITEMS: list[dict[str, Any]] = [
    {"item_id": "a0", "probe_id": "a", "variant": 0, "expects": "same", "gold": "yes", "choices": ["yes", "no"]},
    {"item_id": "a1", "probe_id": "a", "variant": 1, "expects": "same", "gold": "yes", "choices": ["yes", "no"]},
    {"item_id": "b0", "probe_id": "b", "variant": 0, "expects": "different", "gold": "no", "choices": ["yes", "no"]},
    {"item_id": "b1", "probe_id": "b", "variant": 1, "expects": "different", "gold": "yes", "choices": ["yes", "no"]},
]
REPLIES = [{"item_id": one, "answer": answer} for one, answer in zip(("a0", "a1", "b0", "b1"), "yynn", strict=True)]
for _reply in REPLIES:
    _reply["answer"] = {"y": "yes", "n": "no"}[_reply["answer"]]


def _probes() -> Iterator[Probe]:
    for number in range(12):
        yield probe(
            f"p{number}",
            ("same", "different")[number % 2],
            [("yes", "yes"), ("yes", "no")][number % 2],
            test=f"t{number % 3}",
            image_id=f"i{number // 2}",
            facets=[{"form": ("odd", "even")[number % 2]}] * 2,
        )
    for number in range(4):
        yield probe(f"q{number}", "same", ["a dog"], test="open", image_id=f"i{number}", choices=None)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "suite"
    write(folder, *_probes())
    return folder


def _values(scores: Any) -> list[dict[str, Any]]:
    """The rows without the names of run and model, which tables have none of."""
    return [{**row, "run": "", "model": ""} for row in scores.to_polars().to_dicts()]


@settings(max_examples=6, deadline=None)
@given(st.lists(st.sampled_from(["yes", "no", "perhaps", "a dog", "dogs", ""]), min_size=28, max_size=28))
def test_tables_have_the_scores_of_the_run_on_disk(
    suite: Path, tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("run")
    items = open_suite(suite).to_polars()
    rows = [{"item_id": item_id, "text": text} for item_id, text in zip(items["item_id"], texts, strict=True)]
    (folder / "replies.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run = falter.run(suite, f"file:{folder / 'replies.jsonl'}", out=folder / "run")
    options: dict[str, Any] = {"by": "form", "n_resamples": 50, "seed": 3}
    on_disk = _values(run.scores(**options))
    assert _values(falter.score(items, run.replies(), **options)) == on_disk
    columns = ["item_id", "probe_id", "variant", "suite", "test", "expects", "image_id", "gold", "choices", "facets"]
    needed = items.select(*columns, "text").to_dicts()
    assert _values(falter.score(needed, rows, **options)) == on_disk


def test_few_columns_are_enough() -> None:
    items = [{"item_id": f"i{number}", "gold": gold} for number, gold in enumerate(("red", "blue", "green", "red"))]
    replies = [
        {"item_id": "i0", "answer": "red"},
        {"item_id": "i1", "answer": "red"},
        {"item_id": "i2", "answer": "green"},
    ]
    scores = falter.score(items, replies)
    (accuracy,) = (one for one in scores if one.measure == "acc_official")
    assert (accuracy.value, accuracy.n, accuracy.test) == (2 / 3, 3, "items")
    assert any("missing" in line for line in scores.runs[0].notes())


def test_pairs_are_compared_as_on_disk() -> None:
    scores = falter.score(pl.DataFrame(ITEMS), pl.DataFrame(REPLIES))
    by_measure = {one.measure: one.value for one in scores if one.test == "items"}
    assert (by_measure["acc"], by_measure["c_acc"], by_measure["cons"]) == (0.75, 0.5, 0.5)


@pytest.mark.parametrize(
    ("items", "replies", "message"),
    [
        ([{"gold": "yes"}], REPLIES, "items: lack the column item_id"),
        ([{"item_id": "a0"}], REPLIES, "items: lack the column gold"),
        ([*ITEMS, {"item_id": "c", "probe_id": "c"}], REPLIES, "items, row 5: lack gold"),
        ([{"item_id": "a0", "gold": "yes", "variant": 1}], REPLIES, "items: lack the column probe_id"),
        ([*ITEMS, ITEMS[0]], REPLIES, "items: have a probe 'a' with the variants 0, 0, 1"),
        ([{**ITEMS[0], "variant": "first"}], REPLIES, r"items, row 1: Expected `int`, got `str` - at `\$.variant`"),
        ([], REPLIES, "items: have no rows"),
        (ITEMS, [{"answer": "yes"}], "replies: lack the column item_id"),
        (ITEMS, [{"item_id": "a0"}], "replies: have no column answer, text or score"),
        (ITEMS, [*REPLIES, REPLIES[0]], "replies: have two rows for the item 'a0'"),
        (ITEMS, [{"item_id": "z", "answer": "yes"}], "replies: have 1 id that no item has, such as 'z'"),
    ],
)
def test_what_cannot_be_scored_is_named(items: list[Any], replies: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        falter.score(items, replies)


def test_options_of_runs_have_no_effect_on_tables() -> None:
    with pytest.raises(UsageError, match="no suite folder and no helpers"):
        falter.score(ITEMS, REPLIES, suite="suites/mine")
    with pytest.raises(UsageError, match="no item has the measure 'nope'"):
        falter.score(ITEMS, REPLIES, measures="nope")
    with pytest.raises(UsageError, match="a data frame of polars or pandas"):
        falter.score([1, 2], REPLIES)


def test_one_call_from_suite_and_model_to_scores(suite: Path, tmp_path: Path) -> None:
    run = falter.evaluate(suite, "builtin:always-yes")
    folder = run.folder
    kept = falter.evaluate(suite, "builtin:always-yes", out=tmp_path / "kept")
    assert _values(run.scores()) == _values(kept.scores())
    assert folder.exists() and kept.folder == tmp_path / "kept"
    del run
    assert not folder.exists()
