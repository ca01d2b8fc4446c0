"""Progress: lines where there is no terminal, a bar where there is, nothing for what is quick."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable

import pytest

from falter.core.progress import ProgressDisplay, no_stages, show_progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def until(found: Callable[[], bool]) -> None:
    ends = time.monotonic() + 120
    while not found():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_without_a_terminal_a_line_is_written_now_and_then() -> None:
    stream = io.StringIO()
    display = ProgressDisplay(stream, seconds_per_line=0.02)
    # Before the clock runs: a stage that has counted nothing is told as well.
    scoring = display.start_stage("scoring", 2000)
    scoring(1200)
    display.start()
    reading = display.start_stage("reading")
    until(lambda: "scoring: 1,200 of 2,000\n" in stream.getvalue())
    reading(3)
    until(lambda: "reading: 3\n" in stream.getvalue())
    display.stop()
    assert stream.getvalue().count("scoring") == 1, "what has not moved is not told again"
    assert not display._thread.is_alive()


def test_a_stage_that_has_not_counted_anything_yet_is_named_once_and_a_total_that_was_too_small_goes() -> None:
    stream = io.StringIO()
    display = ProgressDisplay(stream, seconds_per_line=0.02)
    display.start()
    ranking = display.start_stage("ranking", 10)
    until(lambda: "ranking: 0 of 10\n" in stream.getvalue())
    time.sleep(0.1)
    ranking(11)
    until(lambda: "ranking: 11\n" in stream.getvalue())
    display.stop()
    assert stream.getvalue() == "ranking: 0 of 10\nranking: 11\n"


def test_what_is_quick_shows_nothing() -> None:
    for stream in (io.StringIO(), Terminal()):
        display = ProgressDisplay(stream, seconds_to_bar=3600, seconds_per_line=3600)
        display.start()
        assert list(display.track([1, 2], "counting", 2)) == [1, 2]
        display.stop()
        assert stream.getvalue() == ""


def test_a_terminal_shows_a_bar_and_leaves_nothing_behind() -> None:
    stream = Terminal()
    display = ProgressDisplay(stream, seconds_to_bar=0.01)
    display.start()
    first = display.start_stage("asking", 10)
    first(4)
    until(lambda: "4/10" in stream.getvalue())
    second = display.start_stage("scoring [1]", 5)
    second(5)
    until(lambda: "5/5" in stream.getvalue())
    assert "scoring [1]" in stream.getvalue()
    display.stop()
    assert stream.getvalue().rstrip().endswith("\x1b[2K"), "the bar is erased"


def test_threads_may_report_at_once() -> None:
    display = ProgressDisplay(io.StringIO())
    progress = display.start_stage("counting", 4000)
    threads = [threading.Thread(target=lambda: [progress(1) for _ in range(1000)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert str(display._stages[0]) == "counting: 4,000 of 4,000"


def test_a_display_that_is_not_enabled_starts_no_thread() -> None:
    before = set(threading.enumerate())
    with show_progress(enabled=False) as display:
        display.start_stage("asking", 3)(2)
        assert set(threading.enumerate()) <= before
    no_stages("asking", 3)(2)


def test_an_error_ends_the_display() -> None:
    with pytest.raises(ValueError, match="stop"), show_progress() as display:
        assert display._thread.is_alive()
        raise ValueError("stop")
    assert not display._thread.is_alive()


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()], ids=["lines", "bar"])
def test_what_else_there_is_to_say_is_shown(stream: io.StringIO) -> None:
    said = [""]
    display = ProgressDisplay(stream, seconds_per_line=0.02, seconds_to_bar=0.0)
    display.start()
    display.start_stage("asking", 10, lambda: said[0])
    until(lambda: "asking" in stream.getvalue())
    # Also where nothing comes back: that is when one wants to know.
    said[0] = "429: 7"
    until(lambda: "429: 7" in stream.getvalue())
    display.stop()
