"""How far some work has come: a bar in a terminal or notebook, a line now and then elsewhere.

Work reports to a :data:`ProgressCallback`, and begins its stages with a :data:`StageCallback`; it never prints.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, TypeVar

from falter.core.untrusted_text import escape_invisible

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")

ProgressCallback = Callable[[int], None]
"""Is told how much more is done."""

StatusCallback = Callable[[], str]
"""Says more about a stage, in a few words; asked whenever it is shown."""

StageCallback = Callable[[str, int | None], ProgressCallback]
"""Begins a stage of some work, by its name and how much of it there is where that is known."""

StepProgress = bool | Callable[[], None] | None
"""What a caller may ask for: a bar, or a function that is called after each step."""

SECONDS_TO_BAR = 1.0
SECONDS_PER_LINE = 10.0


def no_progress(count: int) -> None:
    """A callback that shows nothing."""
    del count


def no_stages(name: str, total: int | None) -> ProgressCallback:
    """Stages that show nothing."""
    del name, total
    return no_progress


def _no_status() -> str:
    return ""


@dataclass
class _Stage:
    name: str
    total: int | None
    status: StatusCallback = _no_status
    done: int = 0
    told: tuple[int, str] | None = None

    def __str__(self) -> str:
        more = self.status()
        return (
            f"{self.name}: {self.done:,}"
            + ("" if self.total is None else f" of {self.total:,}")
            + (f" ({more})" if more else "")
        )

    @property
    def moved(self) -> bool:
        """Whether anything has changed since it was last shown."""
        return (self.done, self.status()) != (self.told or (0, ""))

    def advance(self, count: int) -> None:
        """Count what is done; a total that was too small is not one."""
        self.done += count
        if self.total is not None and self.done > self.total:
            self.total = None


class ProgressDisplay:
    """Shows stages of work on standard error, from the first second on in a terminal, every ten seconds elsewhere.

    Use :func:`show_progress`, which starts and stops it. Callbacks may be called from any thread.
    """

    def __init__(
        self,
        stream: IO[str] | None = None,
        *,
        seconds_to_bar: float = SECONDS_TO_BAR,
        seconds_per_line: float = SECONDS_PER_LINE,
    ) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._wait_for_bar = seconds_to_bar
        self._wait_for_line = seconds_per_line
        self._stages: list[_Stage] = []
        self._bar: Progress | None = None
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._watch, name="falter-progress", daemon=True)

    def start_stage(self, name: str, total: int | None = None, status: StatusCallback = _no_status) -> ProgressCallback:
        """Begin a stage; the callback is told how much more of it is done, and ``status`` says more."""
        task = self.add_task(name, total, status)
        return lambda count: self.advance(task, count)

    def add_task(self, name: str, total: int | None = None, status: StatusCallback = _no_status) -> int:
        """Begin a stage and give its number."""
        with self._lock:
            name = escape_invisible(name, one_line=True)
            self._stages.append(_Stage(name, total, status))
            if self._bar is not None:
                self._bar.add_task(name, total=total, status=status)
            return len(self._stages) - 1

    def advance(self, task: int, count: int = 1) -> None:
        """Tell how much more of a stage is done."""
        with self._lock:
            stage = self._stages[task]
            stage.advance(count)
            if self._bar is not None:
                self._bar.tasks[task].total = stage.total
                self._bar.update(self._bar.task_ids[task], completed=stage.done)

    def track(self, values: Iterable[T], name: str, total: int | None = None) -> Iterator[T]:
        """Go through values, each of which counts as done when the next is asked for."""
        progress = self.start_stage(name, total)
        for value in values:
            yield value
            progress(1)

    def start(self) -> None:
        """Begin to show what comes."""
        self._thread.start()

    def stop(self) -> None:
        """Show nothing more, and remove the bar."""
        self._ended.set()
        self._thread.join()
        if self._bar is not None:
            self._bar.stop()

    def _watch(self) -> None:
        if _is_interactive(self._stream):
            if not self._ended.wait(self._wait_for_bar):
                self._start_bar()
            return
        while not self._ended.wait(self._wait_for_line):
            with self._lock:
                moved = [stage for stage in self._stages if stage.moved]
                if not moved and self._stages and self._stages[-1].told is None:
                    # What takes long before it counts anything is named once.
                    moved = self._stages[-1:]
                for stage in moved:
                    stage.told = (stage.done, stage.status())
            for stage in moved:
                self._stream.write(f"{stage}\n")
            self._stream.flush()

    def _start_bar(self) -> None:
        bar = _make_bar(self._stream)
        with self._lock:
            for stage in self._stages:
                bar.add_task(stage.name, total=stage.total, completed=stage.done, status=stage.status)
            self._bar = bar
        bar.start()


@contextmanager
def show_progress(enabled: bool = True) -> Iterator[ProgressDisplay]:
    """A display that is shown while the block lasts; nothing is shown where it is not enabled."""
    display = ProgressDisplay()
    if not enabled:
        yield display
        return
    display.start()
    try:
        yield display
    finally:
        display.stop()


def open_steps(wanted: StepProgress, stack: ExitStack, name: str = "probes") -> Callable[[], None]:
    """What is called after each step: nothing, a bar that ends with the stack, or the caller's own function."""
    if wanted is None or wanted is False:
        return lambda: None
    if wanted is True:
        advance = stack.enter_context(show_progress()).start_stage(name)
        return lambda: advance(1)
    return wanted


def _is_interactive(stream: IO[str]) -> bool:
    """A terminal, or a notebook, which draws bars of its own."""
    return stream.isatty() or (stream is sys.stderr and "ipykernel" in sys.modules)


def _make_bar(stream: IO[str]) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        """How much is done per second."""

        def render(self, task: Any) -> Text:
            return Text("" if not task.speed else f"{task.speed:,.1f}/s")

    class Status(ProgressColumn):
        """What else there is to say."""

        def render(self, task: Any) -> Text:
            return Text(task.fields["status"]())

    columns = (
        *(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn()),
        Status(),
    )
    file = None if stream is sys.stderr else stream
    console = Console(file=file, stderr=file is None, markup=False, highlight=False)
    return Progress(*columns, console=console, transient=True)
