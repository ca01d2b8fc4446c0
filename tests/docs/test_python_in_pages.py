"""The Python of the pages runs: all blocks of a page, in order, as one program in a folder with small data."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.conftest import Workspace
from tests.docs.pages import DOCS, PAGES, Fence, fences, page_name

MAY_NOT_RUN = {
    "docs/how-to/load-a-suite.md": ["needs the package datasets"],
    "docs/how-to/plots.md": ["needs runs and the extra plot"],
}
"""Every block that is marked as not running, by page: a new one is stated here."""


def python_of(page: Path) -> list[Fence]:
    return [fence for fence in fences(page) if fence.language == "python"]


def program_of(page: Path) -> str:
    """The blocks of a page as one program, every line where the page has it, so that errors name the page's lines."""
    lines: list[str] = []
    for fence in python_of(page):
        if not fence.no_run:
            lines += [""] * (fence.first_line - 1 - len(lines))
            lines += fence.lines
    return "\n".join(lines) + "\n"


WITH_PYTHON = [page for page in PAGES if python_of(page)]


def test_blocks_that_do_not_run_are_few_and_stated() -> None:
    marked = {page_name(page): [fence.no_run for fence in python_of(page) if fence.no_run] for page in WITH_PYTHON}
    assert {name: reasons for name, reasons in marked.items() if reasons} == MAY_NOT_RUN


@pytest.mark.parametrize("page", WITH_PYTHON, ids=page_name)
def test_python_runs(page: Path, workspace: Workspace) -> None:
    for fence in python_of(page):
        compile(fence.text, page_name(page), "exec")
        if fence.file:
            (workspace.folder / fence.file).parent.mkdir(parents=True, exist_ok=True)
            (workspace.folder / fence.file).write_text(fence.text, encoding="utf-8")
    program = workspace.folder / f"{page_name(page).replace('/', '_')}.py"
    program.write_text(program_of(page), encoding="utf-8")
    workspace.python(program)


def test_a_broken_block_is_seen(workspace: Workspace) -> None:
    program = workspace.folder / "broken.py"
    program.write_text("import falter.no_such_module\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="no_such_module"):
        workspace.python(program)


def test_the_question_type_of_the_plugin_page_is_generated(workspace: Workspace) -> None:
    (block,) = [one for one in python_of(DOCS / "how-to/plugins.md") if one.file == "animals/animals.py"]
    plugin = workspace.folder / block.file
    plugin.parent.mkdir(exist_ok=True)
    plugin.write_text(block.text, encoding="utf-8")
    commands = [
        line.removeprefix("$ ")
        for fence in fences(DOCS / "how-to/plugins.md")
        if fence.language == "console"
        for line in fence.lines
        if "suites/animals" in line
    ]
    assert [command.split()[1] for command in commands] == ["generate", "audit"]
    made, audited = map(workspace.shell, commands)
    assert int(made.partition("pairs")[0].split()[-1]) >= 4
    assert " 0 disagree" in audited
