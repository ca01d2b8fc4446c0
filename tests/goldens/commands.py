"""The program that goldens are made with; names on its command line that may change stand here alone."""

from __future__ import annotations

import io
import json
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

__all__ = [
    "BOW_IMAGE",
    "IMAGE_DIR",
    "IMAGE_INPUT",
    "ITEM_FORMAT",
    "OVERLAP",
    "RANK",
    "ROBUSTNESS",
    "VISUAL_SIZE",
    "VQA_RULE",
    "Program",
]

OVERLAP = ("compare", "--what", "overlap")
ROBUSTNESS = ("basic-questions", "robustness")
RANK = ("basic-questions", "rank")
IMAGE_INPUT = "--image-input"
IMAGE_DIR = "--image-dir"
VISUAL_SIZE = "--visual-size"
ITEM_FORMAT = "--item-format"
VQA_RULE = "--vqa-rule"
BOW_IMAGE = "builtin:bow-image"


class Program(NamedTuple):
    """The program, run in one folder, so that no path outside it is in what it prints.

    Commands share this process: loading what they need anew for each would take longer than all they do.
    """

    folder: Path

    def __call__(self, *arguments: str | Path, statuses: tuple[int, ...] = (0,)) -> str:
        """What a command prints; it must exit with one of ``statuses``."""
        from falter.cli.main import main

        line = ["falter", *map(str, arguments)]
        printed, noted = io.StringIO(), io.StringIO()
        with chdir(self.folder), patch.object(sys, "argv", line), redirect_stdout(printed), redirect_stderr(noted):
            try:
                main()
                exited: object = 0
            except SystemExit as end:
                exited = end.code or 0
        assert exited in statuses, f"{' '.join(line)}: exit {exited}: {noted.getvalue()}"
        return printed.getvalue()

    def json(self, *arguments: str | Path, statuses: tuple[int, ...] = (0,)) -> Any:
        """What a command prints with ``--json``."""
        return json.loads(self(*arguments, "--json", statuses=statuses))
