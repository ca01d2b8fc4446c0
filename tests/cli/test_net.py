"""An error that nobody foresaw is one line and exit code 2; its traceback is shown with --debug alone."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

import pytest

from tests.cli.in_process import falter_here


class Panic(BaseException):
    """What an extension module may raise; no Exception."""


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("a\x1b[31m\nb"), RecursionError("deep"), Panic("rust"), MemoryError()]
)
def test_an_unforeseen_error_is_one_line(error: BaseException) -> None:
    with mock.patch("falter.api.listing.available", side_effect=error):
        done = falter_here("list", "sources")
        told = falter_here("list", "sources", "--debug")
    assert done.code == told.code == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"falter: internal error: {type(error).__name__}: ")
    assert done.stderr.count("\n") == 1
    assert "--debug" in done.stderr
    assert "\x1b" not in done.stderr + told.stderr
    assert told.stderr.startswith("Traceback (most recent call last):")
    assert told.stderr.endswith(done.stderr)


def test_debug_shows_the_traceback_of_foreseen_errors_too(tmp_path: Path) -> None:
    plain, told = falter_here("score", tmp_path), falter_here("--debug", "score", tmp_path)
    assert (plain.code, told.code) == (2, 2)
    assert "Traceback" not in plain.stderr
    assert told.stderr.endswith(plain.stderr)
    assert "Traceback" in told.stderr
    assert "--debug" in falter_here("--help").stdout


def test_a_line_has_an_end(tmp_path: Path) -> None:
    (tmp_path / "prompt.yaml").write_text(f"{'x' * 50_000}: 1")
    done = falter_here("list", "model", "builtin:always-yes", "--prompt", tmp_path / "prompt.yaml")
    assert done.code == 2
    assert len(done.stderr) < 3000


@pytest.mark.parametrize("name", ["plugin.py", "kinds.yaml", "templates/a.yaml"])
def test_a_pipe_among_plugins_is_refused_at_once(tmp_path: Path, name: str) -> None:
    (tmp_path / "templates").mkdir()
    os.mkfifo(tmp_path / name)
    done = falter_here(
        "generate", "carets", "--from", f"gqa:{tmp_path}", "--out", tmp_path / "out", "--plugin-dir", tmp_path
    )
    assert done.code == 2
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["list", "model", "builtin:always-yes", "--prompt", "PIPE.yaml"],
        ["list", "model", "builtin:always-yes", "-M", "few_shot=PIPE.yaml"],
        ["list", "model", "builtin:always-yes", "-M", "system=PIPE.txt"],
        ["list", "model", "file:PIPE.jsonl"],
        ["list", "model", "file:PIPE.csv"],
        ["list", "model", "file:PIPE.parquet"],
        ["generate", "carets", "--from", "gqa:graphs=PIPE.json", "--out", "OUT"],
        ["generate", "carets", "--from", "coco:instances=PIPE.json", "--out", "OUT"],
        ["generate", "basic-questions", "--from", "vqa:questions=PIPE.json", "--out", "OUT"],
        [
            "basic-questions",
            "rank",
            "--query",
            "a",
            "--pool",
            "vqa:questions=PIPE.json",
            "--encoder",
            "vectors:PIPE.npy",
        ],
    ],
    ids=" ".join,
)
def test_a_pipe_in_the_place_of_a_file_is_refused_at_once(arguments: list[str], tmp_path: Path) -> None:
    for end in ("yaml", "txt", "jsonl", "csv", "parquet", "json", "npy"):
        os.mkfifo(tmp_path / f"PIPE.{end}")
    given = [one.replace("PIPE", str(tmp_path / "PIPE")).replace("OUT", str(tmp_path / "out")) for one in arguments]
    done = falter_here(*given)
    assert done.code == 2
    assert "PIPE" in done.stderr
