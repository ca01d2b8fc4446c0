"""The command line inside the tests' own process, where heavy packages are loaded already."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from falter.cli.main import main

__all__ = ["Done", "falter_here", "scores_in"]


class Done(NamedTuple):
    code: int
    out: str
    err: str


def falter_here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Done:
    """What ``falter ARGUMENTS`` prints and how it exits."""
    capsys.readouterr()
    with monkeypatch.context() as patched, pytest.raises(SystemExit) as ended:
        patched.setattr(sys, "argv", ["falter", *map(str, arguments)])
        main()
    printed = capsys.readouterr()
    return Done(int(ended.value.code or 0), printed.out, printed.err)


def scores_in(printed: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The scores of one run in the JSON of ``falter score``, by test and measure."""
    [run] = json.loads(printed)
    return {(one["group"]["test"], one["measure"]): one for one in run["scores"] if one["group"].get("facet") is None}
