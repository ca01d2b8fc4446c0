"""What commands print: the only module of the command line that writes to standard output and standard error.

Texts come from data, models and servers. Control characters, escape sequences and characters that change the direction
of writing are shown by name and never sent to the terminal; in JSON they are ``\\uXXXX``, so that values stay the same.
"""

from __future__ import annotations

import os
import shutil
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, TypeVar

from falter.core.progress import ProgressDisplay, StageCallback, show_progress
from falter.core.tables import Block, ResultTable, format_count, print_blocks, wrap_lines
from falter.core.untrusted_text import escape_invisible, escape_json

if TYPE_CHECKING:
    from falter.evaluation.engine import CostEstimate, Plan

T = TypeVar("T")

_LONGEST = 2000
"""An error may quote what a file holds, which has no end."""


class _Output:
    """Standard output, for what commands print."""

    def __init__(self) -> None:
        self._kept: TextIO | None = None

    @property
    def stream(self) -> TextIO:
        """Where it goes."""
        return sys.stdout if self._kept is None else self._kept

    @contextmanager
    def keep(self) -> Iterator[None]:
        """Keep it for what commands print: what models, libraries and their processes print goes to standard error.

        In the program itself it stays so to the end, for libraries may print while the interpreter shuts down.
        """
        shared = sys.stdout
        shared.flush()
        number = os.dup(1)
        is_program = shared is sys.__stdout__
        self._kept = os.fdopen(os.dup(1), "w", encoding=shared.encoding, errors=shared.errors) if is_program else shared
        os.dup2(2, 1)
        try:
            with redirect_stdout(sys.stderr):
                yield
        finally:
            kept, self._kept = self._kept, None
            try:
                kept.flush()
            except BrokenPipeError:
                # Who reads it has had enough: falter score run --json | head. What is left must not be tried again.
                os.dup2(os.open(os.devnull, os.O_WRONLY), kept.fileno())
                raise SystemExit(1) from None
            if not is_program:
                os.dup2(number, 1)
            os.close(number)

    def print(self, text: object, *, end: str = "\n") -> None:
        """Print a text; its lines stay lines, and on a terminal those that are too wide are broken at words."""
        self.stream.write(_fit(escape_invisible(str(text)), self.stream) + end)

    @property
    def is_terminal(self) -> bool:
        """Whether somebody looks at it, and not a file or a program."""
        return self.stream.isatty()


out = _Output()


def _fit(text: str, stream: TextIO) -> str:
    return wrap_lines(text, shutil.get_terminal_size().columns) if stream.isatty() else text


def prepare_streams() -> None:
    """What the encoding of a stream cannot express is printed as an escape, not an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def note(message: str) -> None:
    """Tell the user something that is not the command's result: one line, as wide as the terminal if it is one."""
    print(_fit(escape_invisible(message, one_line=True), sys.stderr), file=sys.stderr, flush=True)


def fail(message: str, code: int = 2) -> NoReturn:
    """Say in one line why the command ends, and end it."""
    line = " ".join(message.split())
    note(f"falter: {line if len(line) <= _LONGEST else line[:_LONGEST] + ' ...'}")
    sys.exit(code)


def print_traceback(error: BaseException) -> None:
    """Show where an error came from, for ``--debug``."""
    lines = "".join(traceback.format_exception(error))
    print(escape_invisible(lines), file=sys.stderr, end="", flush=True)


def print_json(value: Any) -> None:
    """Print a result as indented JSON."""
    print(escape_json(value), file=out.stream)


def print_result(result: ResultTable[Any], as_json: bool = False) -> None:
    """Print a table of results, or its JSON."""
    if as_json:
        print_json(result.json_value())
    else:
        print_table(result.blocks())


def print_table(blocks: Iterable[Block]) -> None:
    """Print tables and lines of text."""
    print_blocks(blocks, file=out.stream)


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


def show_plan(plan: Plan) -> None:
    """Show a plan on standard error."""
    limited = "" if plan.limit is None else f" (limited to {plan.limit})"
    repeated = "" if plan.repeat == 1 else f", each called {format_count(plan.repeat, 'times')}"
    note(f"{plan.model} on {plan.suite}: {format_count(plan.items, 'distinct items')}{repeated}")
    if plan.probes:
        note(
            f"  {format_count(plan.probes, 'probes')}{limited}, {format_count(plan.rows, 'rows')}, "
            f"{format_count(plan.images, 'images')}"
        )
    unknown = "; cost unknown" if plan.served and plan.estimate is None else ""
    note(
        f"  pending {plan.to_ask:,}, done {plan.answered:,}, unsupported {plan.unsupported:,}; "
        f"batches of {plan.batch_size}{unknown}"
    )
    if plan.estimate is not None:
        for line in _format_estimate(plan.estimate, served=plan.served):
            note(f"  {line}")
    for line in plan.notes:
        note(f"  {line}")


def _format_estimate(estimate: CostEstimate, *, served: bool) -> Iterator[str]:
    if estimate.cached:
        yield f"in the cache: {estimate.cached:,} of these; to call: {format_count(estimate.requests, 'requests')}"
    written = f", at most {estimate.output_tokens:,} written" if estimate.output_tokens else ""
    yield (
        f"about {format_count(estimate.input_tokens, 'tokens')} read{written}; "
        f"{format_count(estimate.images, 'images')} sent"
    )
    yield (
        f"texts: {format_count(estimate.input_tokens - (estimate.image_tokens or 0), 'tokens')} ({estimate.counted_by})"
    )
    if estimate.image_tokens is not None:
        yield f"images: {format_count(estimate.image_tokens, 'tokens')} ({estimate.images_counted_by})"
    elif estimate.images:
        yield f"images: tokens {estimate.images_counted_by or 'not counted: they have a price of their own'}"
    if estimate.seconds is None:
        yield "time unknown: runs with --cache remember how long a model takes"
    else:
        yield f"about {format_seconds(estimate.seconds)}, by {estimate.seconds_from}"
    if estimate.cost is not None:
        yield f"cost at most about {estimate.cost:.2f} {estimate.currency}"
    elif served:
        yield "cost unknown: give -M prices"


def format_seconds(seconds: float) -> str:
    """A time in seconds, minutes or hours.

    >>> format_seconds(42.3), format_seconds(75), format_seconds(7300)
    ('42 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
