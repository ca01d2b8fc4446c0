"""Running the real program in this process, which takes a hundredth of the time of a new one."""

from __future__ import annotations

import io
import sys
import warnings
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from falter.cli.main import main

__all__ = ["Finished", "falter_here"]


class Finished(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    stdout: str
    stderr: str


def falter_here(*arguments: str | Path) -> Finished:
    """What ``falter ARGUMENTS`` prints and how it exits; both streams are UTF-8, and refuse what is no text."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2)]
    argv = ["falter", *map(str, arguments)]
    code = 0
    with mock.patch.multiple(sys, argv=argv, stdout=streams[0], stderr=streams[1]), warnings.catch_warnings():
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    for stream in streams:
        stream.flush()
    shown = [stream.buffer.getvalue().decode() for stream in streams]  # type: ignore[attr-defined]
    return Finished(code, *shown)
