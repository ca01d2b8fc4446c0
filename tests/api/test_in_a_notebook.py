"""What errors show in IPython."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(colors="nocolor")
    shell.history_manager.enabled = False
    yield shell
    InteractiveShell.clear_instance()


def test_an_error_is_one_line(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell("import falter\nfalter.load('no-such\\x1bfolder')")
    shown = capsys.readouterr()
    expected = "InputError: no-such␛folder: holds no suite and no run: there is no such folder (load opens both)"
    assert (shown.out + shown.err).splitlines() == [expected]


def test_the_traceback_can_still_be_printed(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell("import falter\nfalter.load('no-such-folder')")
    capsys.readouterr()
    shell.run_cell("import traceback\ntraceback.print_last()")
    printed = capsys.readouterr().err
    assert printed.startswith("Traceback")
    assert "in load" in printed


def test_other_errors_keep_their_traceback(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_cell("1 / 0")
    shown = capsys.readouterr()
    assert "Traceback" in shown.out + shown.err
