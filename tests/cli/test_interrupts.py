"""Ctrl-C ends a command at once with one line: what is kept and how to go on. Workers never outlive their command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

from falter.cli.main import main
from falter.evaluation.engine import run_suite
from tests.engine.killing import falter as start
from tests.engine.small_suite import Recorder, make_suite
from tests.goldens.releases import write_valse
from tests.suites.made import raw_graphs, write_graphs

PLUGIN = """
from functools import partial
from pathlib import Path

from falter.core.executors import EXECUTORS, Processes
from falter.core.plugins import register
from tests.parallel.work import sleep_long


class Sleepy(Processes):
    def map(self, work, items, *, state, chunk=16):
        folder = Path(__file__).parent / "workers"
        yield from super().map(sleep_long, range(4), state=partial(Path, folder), chunk=1)


@register(EXECUTORS, "sleepy")
def make(argument, workers):
    return Sleepy(2)
"""


def wait_for(path: Path, pattern: str, count: int, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 120
    while len(list(path.glob(pattern))) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_workers_of_a_stopped_generate_end_at_once(tmp_path: Path, sent: signal.Signals) -> None:
    source = write_graphs(tmp_path / "gqa", raw_graphs(6))
    (tmp_path / "plugin" / "workers").mkdir(parents=True)
    (tmp_path / "plugin" / "sleepy.py").write_text(PLUGIN)
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))}
    made = ("generate", "carets", "--from", source, "--size", "8", "--images", "none", "--test", "negation")
    more = ("--plugin-dir", tmp_path / "plugin", "--executor", "sleepy", "--out", tmp_path / "suite")
    process = subprocess.Popen(
        [sys.executable, "-c", "from falter.cli import main; main()", *map(str, (*made, *more))],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_for(tmp_path / "plugin" / "workers", "*", 2, process)
    if sent == signal.SIGINT:
        # As a terminal does, to the command and its workers.
        os.killpg(process.pid, sent)
    else:
        process.send_signal(sent)
    # The pipes are open as long as any worker lives.
    _, err = process.communicate(timeout=120)
    assert "Traceback" not in err
    if sent == signal.SIGINT:
        assert process.returncode == 130
        assert err.splitlines()[-1] == (
            f"falter: interrupted; {tmp_path / 'suite'} was not written; repeat the command to start again"
        )
        assert list(tmp_path.glob("*suite*")) == []


def test_an_interrupted_run_says_what_it_keeps(tmp_path: Path) -> None:
    make_suite(tmp_path / "suite")
    arguments = (
        "run",
        str(tmp_path / "suite"),
        "--model",
        "python:slow_models:slow",
        "--out",
        str(tmp_path / "run"),
        "--batch-size",
        "2",
    )
    process = start(*arguments, slow_seconds=1.5)
    wait_for(tmp_path / "run", "replies.jsonl", 1, process)
    while not (tmp_path / "run" / "replies.jsonl").stat().st_size:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    kept = len((tmp_path / "run" / "replies.jsonl").read_bytes().splitlines())
    assert 0 < kept < 57
    assert err.splitlines()[-1] == (
        f"falter: interrupted; {kept} of 58 replies are kept in {tmp_path / 'run'}; repeat the command to resume"
    )
    assert "Traceback" not in err


@pytest.mark.bundle("valse")
def test_other_commands_say_that_nothing_is_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_suite(make_suite(tmp_path / "suite"), Recorder(), tmp_path / "run")
    write_valse(tmp_path / "valse")
    run, out, valse = str(tmp_path / "run"), str(tmp_path / "out"), ("valse", str(tmp_path / "valse"))

    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    monkeypatch.setattr("falter.evaluation.runs.scoring.score_tables", interrupt)
    monkeypatch.setattr("falter.evaluation.reporting.collect", interrupt)
    monkeypatch.setattr("falter.data.suite_writing.SuiteWriter.add", interrupt)
    nothing = "nothing is half-written; repeat the command to start again"
    for arguments, kept in (
        (("score", run), nothing),
        (("report", run, "--out", out), nothing),
        (("import", *valse, "--out", out), f"{out} was not written; repeat the command to start again"),
        (
            ("import", *valse, "--out", str(tmp_path / "suite"), "--overwrite"),
            f"{tmp_path / 'suite'} is as it was before; repeat the command to start again",
        ),
    ):
        monkeypatch.setattr(sys, "argv", ["falter", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 130
        assert capsys.readouterr().err.splitlines()[-1] == f"falter: interrupted; {kept}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "suite", "valse"]


@pytest.mark.parametrize("words", [["plan", "power", "--detect", "5"], ["list", "models", "--json"]])
def test_whoever_reads_the_output_may_have_had_enough(words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "falter", *words]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")
