"""The commands of README.md run as written, in order, in an empty folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.conftest import Workspace
from tests.docs.pages import ROOT, fences


@pytest.mark.slow
def test_the_commands_run_as_written(tmp_path: Path) -> None:
    after = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Commands\n")[0].count("\n")
    blocks = [fence for fence in fences(ROOT / "README.md") if fence.first_line > after and not fence.no_run]
    workspace = Workspace(tmp_path / "reader")
    commands = []
    for block in blocks:
        if block.file:
            (workspace.folder / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            commands += [line.removeprefix("$ ") for line in block.lines if line.startswith("$ ")]
    assert [command.split()[1] for command in commands] == [
        *("world", "generate", "inspect", "audit", "run", "run", "score", "compare", "check", "report")
    ]
    output = {command: workspace.shell(command) for command in commands}

    audited = next(text for command, text in output.items() if command.startswith("falter audit"))
    assert " 0 disagree" in audited
    assert sorted(path.name for path in (workspace.folder / "runs").iterdir()) == ["blind", "mine", "oracle"]
    report = (workspace.folder / "report.html").read_text(encoding="utf-8")
    assert "always_no" in report
