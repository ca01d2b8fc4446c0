"""A command that cannot be read is told so in one line, as every other error is, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.in_process import falter_here
from tests.engine.small_suite import make_suite


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["score"], "missing argument 'RUN' (# score -h shows what it takes)"),
        (["scor", "runs"], "no such command 'scor'"),
        (["--nope"], "no such option: --nope (# -h shows what it takes)"),
        (["run", "suite"], "missing option '--model' (# run -h shows what it takes)"),
        (["people", "plan"], "missing argument 'SUITE' (# people plan -h shows what it takes)"),
        (
            ["run", "suite", "--image-input", "grey"],
            "invalid value for '--image-input': 'grey' is not one of 'none', 'blank', 'shuffle'",
        ),
        (
            ["run", "suite", "--model", "x", "--limit", "many"],
            "invalid value for '--limit': it should be a whole number (# run -h shows what it takes)",
        ),
        (["view", "runs", "--port", "99999"], "invalid value for '--port': it should be less than or equal to 65535"),
        (["generate", "nosuite", "--from", "x", "--out", "y"], "unknown suite 'nosuite': there are "),
        (["score", "no/such/folder"], "no/such/folder: does not exist (give the folder of a run, or a folder of runs)"),
    ],
)
def test_wrong_words_are_one_line(words: list[str], told: str) -> None:
    code, printed, errors = falter_here(*words)
    assert (code, printed, errors.count("\n")) == (2, "", 1)
    start, _, end = told.partition("#")
    assert errors.startswith(f"falter: {start}") and errors.endswith(f"{end}\n" if end else "\n")


def test_a_file_where_a_folder_goes_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine", "utf-8")
    code, _, errors = falter_here("import", "example", tmp_path / "taken")
    assert (code, errors) == (2, f"falter: {tmp_path}/taken is a file, not a folder; choose another folder\n")
    (tmp_path / "taken").unlink()
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine").touch()
    code, _, errors = falter_here("import", "example", tmp_path / "taken")
    assert code == 2 and errors.endswith("is not empty; choose another folder or pass --overwrite\n")


def test_an_unknown_suite_to_generate_names_those_that_can_be() -> None:
    errors = falter_here("generate", "nosuite", "--from", "x", "--out", "y").stderr
    assert "pope" not in errors


def test_a_measure_that_no_run_has_is_refused(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite", probes=2).folder
    assert falter_here("run", suite, "--model", "builtin:always-yes", "--out", tmp_path / "run").code == 0
    code, printed, errors = falter_here("score", tmp_path / "run", "--measure", "nope")
    assert (code, printed) == (2, "")
    assert errors.startswith("falter: no run has the measure 'nope'; there are acc, acc_original, ")
    assert errors.count("\n") == 1
