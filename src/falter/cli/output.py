"""What commands print: tables and JSON on standard output, progress on a terminal's standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

__all__ = ["note", "out", "print_json", "progress", "stages", "track"]

T = TypeVar("T")

out = Console(soft_wrap=True, highlight=False, markup=False)
_err = Console(stderr=True, highlight=False, markup=False)


def note(message: str) -> None:
    """Tell the user something that is not the command's result."""
    print(message, file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    """Print a result as indented JSON."""
    print(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def progress() -> Progress:
    """A progress bar on standard error, silent when that is not a terminal."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=_err,
        disable=not sys.stderr.isatty(),
        transient=True,
    )


def stages(bar: Progress) -> Callable[[str, int | None], Callable[[int], None]]:
    """Adds a line to a progress bar for each stage of some work."""

    def begin(name: str, total: int | None) -> Callable[[int], None]:
        task = bar.add_task(name, total=total)
        return lambda done: bar.advance(task, done)

    return begin


def track(values: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Go through values with a progress bar."""
    with progress() as bar:
        task = bar.add_task(description, total=total)
        for value in values:
            yield value
            bar.advance(task)
