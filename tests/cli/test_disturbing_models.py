"""Models that end the program or print, folders that lost their run, and a baseline that nothing refers to."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import falter
from falter.core.errors import InputError
from tests import program
from tests.cli.in_process import falter_here
from tests.engine.small_suite import make_suite

MODELS = """
import os, subprocess, sys

print("loading")

def leaves(requests):
    if any("thing 3?" in request.text for request in requests):
        sys.exit()
    return ["yes" for request in requests]

def leaves_at_once():
    sys.exit(0)

def unordered(requests, batch_size):
    from falter.evaluation.models import Reply
    for number, request in enumerate(requests):
        if number == 4:
            sys.exit(0)
        yield Reply(item_id=request.item_id, text="yes")

class Unordered:
    name = "unordered"
    reply_unordered = staticmethod(unordered)

def prints(requests):
    print("from python")
    sys.stdout.flush()
    os.write(1, b"from the descriptor\\n")
    subprocess.run([sys.executable, "-S", "-c", "print('from a process')"], check=True)
    return ["yes" for request in requests]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("disturbing")
    make_suite(folder / "suite", probes=6)
    (folder / "disturbing_models.py").write_text(MODELS)
    return folder


def test_a_model_that_ends_the_program_fails_that_item_alone(folder: Path) -> None:
    ended = program.falter(
        *("run", "suite", "--model", "python:disturbing_models:leaves", "--out", "runs/leaves"), cwd=folder
    )
    # Two of twelve items are about the third thing (it and there being none), and only these are lost.
    assert ended.returncode == 1, ended.stderr
    replies = falter.load(folder / "runs/leaves").replies()
    failed = replies.filter(status="failed")
    assert len(replies) == 12 and len(failed) == 2
    assert all("SystemExit" in error for error in failed["error"])


@pytest.mark.parametrize(("model", "kept"), [("leaves_at_once", None), ("Unordered", 4)])
def test_a_model_that_ends_the_program_is_an_error(folder: Path, model: str, kept: int | None) -> None:
    out = folder / f"runs-of-{model}"
    ended = program.falter(*("run", "suite", "--model", f"python:disturbing_models:{model}", "--out", out), cwd=folder)
    assert ended.returncode == 2
    assert "SystemExit" in ended.stderr and "Traceback" not in ended.stderr
    if kept is not None:
        assert len(falter.load(out).replies()) == kept


def test_what_a_model_prints_is_not_in_the_json(folder: Path) -> None:
    ended = program.falter(
        *("run", "suite", "--model", "python:disturbing_models:prints", "--out", "runs/prints", "--json"), cwd=folder
    )
    assert ended.returncode == 0, ended.stderr
    (result,) = json.loads(ended.stdout)
    assert result["counts"]["ok"] == 12
    for printed in ("loading", "from python", "from the descriptor", "from a process"):
        assert printed in ended.stderr


def test_standard_output_is_given_back(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shown = falter_here("score", folder / "suite", "--json")
    assert shown.code == 2
    print("afterwards")
    assert capfd.readouterr().out == "afterwards\n"


def test_a_folder_that_lost_its_run_is_not_passed_over(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=6)
    falter.run(suite, "builtin:always-yes", out=tmp_path / "runs/whole")
    shutil.copytree(tmp_path / "runs/whole", tmp_path / "runs/killed")
    (tmp_path / "runs/killed/run.json").unlink()
    required = ("check", tmp_path / "runs", "--require", "small.negation.acc>=10%")
    checked = falter_here(*required)
    assert checked.code == 2
    assert "killed" in checked.stderr and "no run.json" in checked.stderr
    with pytest.raises(InputError, match=r"killed: has replies.parquet and no run.json"):
        falter.score(tmp_path / "runs")
    # A folder that never held a run is named, and the rest is checked.
    shutil.rmtree(tmp_path / "runs/killed")
    (tmp_path / "runs/notes").mkdir()
    checked = falter_here(*required)
    assert checked.code == 0
    assert "runs/notes: no run there" in checked.stderr.replace("\n", " ")


def test_a_baseline_that_nothing_refers_to_is_refused(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=6)
    run = falter.run(suite, "builtin:always-yes", out=tmp_path / "run")
    base = ("--baseline", run.folder)
    checked = falter_here("check", run.folder, "--require", "small.negation.acc>=10%", *base)
    asked = falter_here(
        *("run", suite.folder, "--model", "builtin:always-yes", "--out", tmp_path / "until"),
        *("--until", "small.negation.acc>=10%", *base),
    )
    for one in (checked, asked):
        assert one.code == 2
        assert "refers to --baseline" in one.stderr
