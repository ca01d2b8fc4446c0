"""Exit codes of commands that make and audit: 0 done, 1 incomplete or not as it should be, 2 bad use or input."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from falter.cli.main import main
from falter.core.version import __version__
from falter.data.items import Probe
from falter.data.suite import SuiteManifest
from falter.data.suite_writing import create_suite
from tests.engine.small_suite import make_item, make_suite
from tests.suites.made import raw_graphs, write_graphs

MODELS = """
from falter.evaluation.models import BudgetExceededError, PermanentError, TransientError

seen = []

def _model(number, error):
    def reply(batch):
        for request in batch:
            if request.text not in seen:
                seen.append(request.text)
        if any(seen.index(request.text) in range(1, number + 1) for request in batch):
            raise error
        return ["yes"] * len(batch)
    return reply

def none(batch): return _model(0, None)(batch)
def one(batch): return _model(1, PermanentError("broken"))(batch)
def two(batch): return _model(2, PermanentError("broken"))(batch)
def most(batch): return _model(90, PermanentError("broken"))(batch)
def busy(batch): return _model(1, TransientError("busy", wait=0))(batch)
def spent(batch): return _model(3, BudgetExceededError("2 requests were made, as many as allowed"))(batch)
"""


def cli(*arguments: object) -> int:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr(sys, "argv", ["falter", *map(str, arguments)])
        main()
    return int(ended.value.code or 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of 103 distinct items, and models that fail on some of them."""
    folder = tmp_path_factory.mktemp("codes")
    make_suite(folder / "suite", probes=54, tests=("negation",))
    (folder / "exit_code_models.py").write_text(MODELS)
    return folder


@pytest.mark.parametrize(
    ("model", "code", "told"),
    [
        ("none", 0, ""),
        ("one", 0, "failed, for example: broken"),
        ("two", 1, "2 of 103 items failed, more than 1 %"),
        ("most", 1, "90 of 103 items failed, more than 1 %"),
        ("busy", 1, "the run is incomplete"),
        ("spent", 1, "rerun the command with a budget"),
    ],
)
def test_run(
    folder: Path,
    model: str,
    code: int,
    told: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    sys.modules.pop("exit_code_models", None)
    arguments = ("run", "suite", "--model", f"python:exit_code_models:{model}", "--out", f"runs/{model}")
    assert cli(*arguments, "--batch-size", "1") == code
    assert told in capsys.readouterr().err


def test_run_and_merge_of_parts(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for model, code in (("none", 0), ("most", 1)):
        for part in ("1", "2"):
            sys.modules.pop("exit_code_models", None)
            arguments = ("--batch-size", "1", "--shard", f"{part}/2", "--out", f"parts/{model}-{part}")
            cli("run", "suite", "--model", f"python:exit_code_models:{model}", *arguments)
        assert cli("merge", f"parts/{model}-1", f"parts/{model}-2", "--out", f"merged/{model}", "--json") == code


def test_run_of_predictions_of_another_suite(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "other.csv").write_text("question_id,answer\n1,yes\n")
    assert cli("run", folder / "suite", "--model", f"file:{folder / 'other.csv'}", "--out", folder / "other") == 2
    assert "has none of the 103 items of the suite" in capsys.readouterr().err
    assert not (folder / "other").exists()


def test_an_audit_of_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with create_suite(tmp_path / "suite", SuiteManifest(name="small")) as writer:
        writer.add(Probe((make_item(0, 0, "Glorp?"), make_item(0, 1, "No glorp?", gold="no"))))
    scenes = write_graphs(tmp_path / "graphs", raw_graphs(1))
    assert cli("audit", tmp_path / "suite", "--scenes", scenes) == 1
    assert "nothing was audited" in capsys.readouterr().err


def test_the_help_tells_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli("--help") == 0
    assert "Exit codes: 0: done, or all requirements met; 1: " in " ".join(capsys.readouterr().out.split())


def test_the_package_runs_as_the_program(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["falter", "--version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("falter", run_name="__main__")
    assert not ended.value.code
    assert capsys.readouterr().out == f"falter {__version__}\n"
