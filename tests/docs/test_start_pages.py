"""Commands and Python of the first pages run as written, in order, in one folder, and print what the pages say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.conftest import Workspace
from tests.docs.pages import DOCS, Fence, fences

ALONE = ("choose-between-models", "how-many-photos", "why-wrong")
"""In the order of reading: the later ones use runs of the first."""


def outputs(fence: Fence) -> list[tuple[str, list[str]]]:
    """The commands of a block with the lines of output below each."""
    found: list[tuple[str, list[str]]] = []
    for line in fence.lines:
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        else:
            found[-1][1].append(line)
    return found


def without_figures(line: str) -> str:
    """A line whose figures and runs of blanks do not count: other machines may add up in another order."""
    return " ".join(re.sub(r"\d[\d.,]*", "0", line).split())


def run_page(page: Path, workspace: Workspace) -> None:
    """Run the blocks of a page, and look for the lines of output that it shows."""
    for number, fence in enumerate(fences(page)):
        if fence.file or fence.language == "python":
            file = workspace.folder / (fence.file or f"{page.stem}_{number}.py")
            file.write_text(fence.text, encoding="utf-8")
            if not fence.file:
                workspace.python(file)
        elif fence.language == "console":
            for command, printed in outputs(fence):
                output = workspace.shell(command)
                lines = {without_figures(line) for line in output.splitlines()}
                assert [line for line in printed if without_figures(line) not in lines] == [], f"{command}\n{output}"


@pytest.mark.slow
def test_first_pages_run_as_written(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "reader")
    first, *others = (DOCS / "start" / f"{name}.md" for name in ALONE)
    run_page(first, workspace)
    workspace.shell("falter generate carets --from gqa:world/val --size 5 --out suite")
    for page in others:
        run_page(page, workspace)
