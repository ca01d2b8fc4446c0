"""What commands print: tables and JSON on standard output, progress on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import msgspec
from rich.console import Console

from falter.progress import ProgressDisplay, StageCallback, show_progress
from falter.tables import ResultTable, print_blocks

__all__ = ["note", "out", "print_json", "print_result", "progress", "stages", "track"]

T = TypeVar("T")

out = Console(soft_wrap=True, highlight=False, markup=False)


def note(message: str) -> None:
    """Tell the user something that is not the command's result."""
    print(message, file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    """Print a result as indented JSON."""
    print(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def print_result(result: ResultTable[Any], as_json: bool = False) -> None:
    """Print a table of results, or its JSON."""
    if as_json:
        print(result.to_json())
    else:
        print_blocks(result.blocks())


def progress() -> AbstractContextManager[ProgressDisplay]:
    """Progress on standard error: a bar in a terminal past one second, else a line every ten seconds."""
    return show_progress()


def stages(display: ProgressDisplay) -> StageCallback:
    """Adds a line to the progress for each stage of some work."""
    return display.start_stage


def track(values: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Go through values with progress."""
    with progress() as display:
        yield from display.track(values, description, total)
