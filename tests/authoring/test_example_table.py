"""The example of ``falter import example``: twenty questions become a scored report in three commands."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import falter
from falter.api.importing import write_example
from tests.cli.in_process import falter_here
from tests.docs.pages import DOCS, fences


def test_three_commands_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = [
        line.removeprefix("$ falter ").split()
        for fence in fences(DOCS / "how-to/bring-your-data.md")
        if fence.language == "console"
        for line in fence.lines
    ]
    assert [command[0] for command in commands] == ["import", "import", "run", "report"]
    for command in commands:
        done = falter_here(*command)
        assert done.code == 0, done.stderr
    scores = {one.measure: one for one in falter.score("runs-of-example") if one.facet is None}
    # Of twenty replies q3, q5, q10, q14 and q20 are wrong.
    assert (scores["acc"].value, scores["acc"].n, scores["questions"].value) == (0.75, 20, 20)
    assert scores["f1"].value is not None
    page = (tmp_path / "example.html").read_text()
    assert "20 questions" in page
    assert " 0 pairs" not in page


def test_the_example_is_the_same_every_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_example(tmp_path / name)
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert len(files) == 9
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    with (tmp_path / "one" / "questions.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 20
    assert {row["answer"] for row in rows if row["kind"] == "presence"} == {"yes", "no"}
    done = falter_here("import", "example", tmp_path / "one")
    assert (done.code, "--overwrite" in done.stderr) == (2, True)
