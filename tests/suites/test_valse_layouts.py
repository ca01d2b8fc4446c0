"""Released scores on VALSE, read as predictions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falter.core.bundle import BUNDLES
from falter.core.errors import InputError
from falter.data.model_loading import LoadContext, score_file_layouts
from falter.evaluation.engine import run_suite
from falter.evaluation.models import load_model
from tests.models.test_predictions_layouts import suite_of, texts

SCORES = [
    {"label": "0_c", "score": 0.9, "instrument": "existence", "piece": "existence", "type": "caption", "id": 0},
    {"label": "0_f", "score": 0.2, "instrument": "existence", "piece": "existence", "type": "foil", "id": 5634},
    {"score": -3.5, "instrument": "counting-hard", "type": "foil", "id": 3637},
    {"score": 4, "instrument": "counting-balanced", "type": "caption", "id": 3},
]


def context() -> LoadContext:
    return LoadContext(layouts=tuple(BUNDLES.get("valse").get("layouts")))


def test_scores_of_valse_go_by_the_place_in_the_file_or_in_the_release(tmp_path: Path) -> None:
    ids = ["existence:0:caption", "existence:0:foil", "counting-hard:3:foil", "counting-hard:3:caption"]
    suite = suite_of(tmp_path / "suite", *texts(*ids))
    path = tmp_path / "scores.jsonl"
    path.write_text("\n".join(map(json.dumps, SCORES)))
    run = run_suite(suite, load_model(f"file:{path}", context()), tmp_path / "run")
    scores = dict(run.replies().select("item_id", "score").iter_rows())
    assert [scores[f"m{one}"] for one in ids] == [0.9, 0.2, -3.5, 4.0]
    assert set(run.replies()["score_kind"]) == {"similarity"}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"instrument": "existence", "id": 1, "type": "lie", "score": 1}, "type is caption or foil"),
        ({"instrument": "existence", "id": "x", "type": "foil", "score": 1}, "its number from 0"),
        ({"instrument": ["existence"], "id": 1, "type": "foil", "score": 1}, "an instrument is a name"),
    ],
)
def test_rows_that_are_nearly_scores_of_valse_are_refused(tmp_path: Path, row: dict[str, object], said: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps(row))
    with pytest.raises(InputError, match=f"p.jsonl, line 1: .*{said}"):
        load_model(f"file:{path}", context())


def test_a_suite_gets_the_layouts_of_its_bundle_alone(tmp_path: Path) -> None:
    others = suite_of(tmp_path / "others", *texts("1"))
    own = suite_of(tmp_path / "own", *(item.change(suite="valse-choice") for item in texts("1")))
    assert score_file_layouts(others) == ()
    assert score_file_layouts(own) == tuple(BUNDLES.get("valse").get("layouts"))
    assert set(score_file_layouts(own)) <= set(score_file_layouts())
