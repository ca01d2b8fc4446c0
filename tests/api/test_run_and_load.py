"""``falter.run`` with one or several models, prompts and image inputs, and ``falter.load`` of what a folder holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import falter
from falter.api.running import RunKeywords, RunsKeywords
from falter.core.errors import InputError, UsageError
from falter.data.model import BudgetExceededError
from falter.data.run_options import RunOptions
from falter.data.suite import Suite
from falter.evaluation.models import BACKENDS
from falter.evaluation.runs import Run
from tests.engine.prompted_models import load_prompted
from tests.engine.small_suite import Recorder, make_suite


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    return make_suite(tmp_path / "suite", probes=4)


def test_what_editors_know_is_what_the_struct_declares() -> None:
    fields = set(RunOptions.__struct_fields__)
    assert set(RunKeywords.__annotations__) == fields
    assert set(RunsKeywords.__annotations__) == fields


def test_one_of_everything_is_a_run_and_a_list_of_anything_is_a_list(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BACKENDS, "_added", {"prompted": load_prompted})
    one = falter.run(suite, "prompted:x", prompt="plain", out=tmp_path / "one")
    assert isinstance(one, Run) and one.folder == tmp_path / "one"
    (alone,) = falter.run(suite, ["prompted:x"], out=tmp_path / "alone")
    assert alone.folder == tmp_path / "alone"
    several = falter.run(
        suite,
        ["prompted:x", "prompted:y"],
        prompt=["plain", "tagged"],
        image_input=[None, "none"],
        out=tmp_path / "several",
    )
    assert [run.folder.parent for run in several] == [tmp_path / "several"] * 8
    settings = [(run.manifest.model.name, run.manifest.settings.get("image")) for run in several]
    assert settings[:2] == [("prompted (prompt: plain)", None), ("prompted (prompt: tagged)", None)]
    assert len(settings) == 8 and [image for _, image in settings] == [None] * 4 + ["none"] * 4


def test_a_dry_run_gives_plans_and_writes_nothing(suite: Suite, tmp_path: Path) -> None:
    model = Recorder()
    plan = falter.run(suite, model, out=tmp_path / "run", dry_run=True, cache=tmp_path / "cache")
    assert (plan.model, plan.to_ask, plan.out) == (model.name, plan.items, str(tmp_path / "run"))
    first, second = falter.run(suite, [model, "builtin:always-yes"], out=tmp_path / "runs", dry_run=True)
    assert (first.model, second.model) == (model.name, "always-yes")
    assert model.batches == [] and {one.name for one in tmp_path.iterdir()} == {"suite"}


def test_a_spent_budget_ends_one_run_and_not_the_next(suite: Suite, tmp_path: Path) -> None:
    def spend(requests: Any) -> list[str]:
        raise BudgetExceededError("nothing is left")

    with pytest.raises(BudgetExceededError, match="nothing is left"):
        falter.run(suite, spend, name="spend", version="1", out=tmp_path / "one")
    with pytest.raises(BudgetExceededError, match=r"before 1 of 2 runs were complete \(.*spend"):
        falter.run(suite, [spend, "builtin:always-yes"], out=tmp_path / "two", version="1")
    assert {run.manifest.model.name: run.manifest.complete for run in falter.load(tmp_path / "two")} == {
        "always-yes": True,
        "spend": False,
    }


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"image_input": "gray"}, "the image input is none, blank, shuffle or None, not 'gray'"),
        ({"image_input": []}, "no image input was given"),
        ({"prompt": "plain", "options": {"prompt": "tagged"}}, "name a prompt already"),
        ({"helpers": ["runs"], "until": "small.t.acc>=1%"}, "--helpers does not go with --until"),
    ],
)
def test_settings_that_cannot_be_are_refused(suite: Suite, tmp_path: Path, settings: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        falter.run(suite, "builtin:always-yes", out=tmp_path / "run", **settings)
    with pytest.raises(UsageError, match="no model was given"):
        falter.run(suite, [], out=tmp_path / "run")
    with pytest.raises(TypeError, match="limits"):
        falter.run(suite, "builtin:always-yes", limits=3)  # type: ignore[call-overload]


def test_load_opens_suites_runs_and_folders_of_runs(suite: Suite, tmp_path: Path) -> None:
    falter.run(suite, ["builtin:always-yes", Recorder()], out=tmp_path / "runs")
    assert falter.load(tmp_path / "suite").name == suite.name
    assert falter.load(str(tmp_path / "runs/recorder")).manifest.model.name == "recorder"
    assert [run.manifest.model.name for run in falter.load(tmp_path / "runs")] == ["always-yes", "recorder"]
    moved = (tmp_path / "suite").rename(tmp_path / "moved")
    assert [run.suite().folder for run in falter.load(tmp_path / "runs", suite=moved)] == [moved, moved]
    with pytest.raises(UsageError, match="is a suite; suite= says where the suite of a run is"):
        falter.load(moved, suite=moved)


def test_load_says_what_it_found_in_the_place_of_a_suite_or_a_run(suite: Suite, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/notes.txt").write_text("x")
    for path, said in (
        ("nowhere", "there is no such folder"),
        ("other/notes.txt", "it is a file"),
        ("empty", "it is empty"),
        ("other", "it has notes.txt and no suite.json or run.json"),
        (".", "its folders suite are suites; name one of them"),
    ):
        with pytest.raises(InputError, match=f"holds no suite and no run: {said}"):
            falter.load(tmp_path / path)
