"""Executors: order, bounds, exceptions, state, and that no process outlives its map."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from falter.core.errors import InputError, UsageError
from falter.core.executors import EXECUTORS, Executor, Inline, Processes, WorkerDiedError, executor_for, stateless
from tests.parallel import work

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")

EVERY: tuple[Executor, ...] = (Inline(), Processes(1), Processes(2), Processes(3))


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    assert multiprocessing.active_children() == []
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("falter-worker")]


@pytest.mark.parametrize("executor", EVERY, ids=repr)
def test_results_come_in_the_order_of_the_items(executor: Executor) -> None:
    for size in (0, 1, 5, 50):
        assert list(executor.map(work.double, iter(range(size)), state=stateless, chunk=3)) == [
            2 * number for number in range(size)
        ]


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(), max_size=40), st.integers(1, 9), st.sampled_from(EVERY))
def test_every_executor_gives_what_a_loop_gives(numbers: list[int], chunk: int, executor: Executor) -> None:
    assert list(executor.map(work.double, numbers, state=stateless, chunk=chunk)) == [2 * one for one in numbers]


@pytest.mark.parametrize("executor", EVERY, ids=repr)
def test_state_is_made_once_in_each_worker(executor: Executor, tmp_path: Path) -> None:
    told = list(executor.map(work.tell_process, range(40), state=partial(work.count_state, tmp_path), chunk=2))
    assert [number for number, _, _ in told] == list(range(40))
    assert all(made_in == used_in for _, made_in, used_in in told)
    traces = [path.name.partition("-")[0] for path in tmp_path.iterdir()]
    assert len(traces) == len(set(traces)), "a worker made its state twice"
    assert {str(used_in) for _, _, used_in in told} <= set(traces)
    assert len(traces) <= getattr(executor, "workers", 1)


@pytest.mark.parametrize("executor", EVERY, ids=repr)
def test_no_state_is_made_for_no_items(executor: Executor, tmp_path: Path) -> None:
    assert list(executor.map(work.tell_process, [], state=partial(work.count_state, tmp_path))) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("executor", EVERY, ids=repr)
@pytest.mark.parametrize("chunk", [1, 4, 100])
def test_an_exception_reaches_the_caller_once_after_what_came_before_it(executor: Executor, chunk: int) -> None:
    results = executor.map(work.fail_at_seven, range(30), state=stateless, chunk=chunk)
    assert list(islice(results, 7)) == list(range(7))
    with pytest.raises(InputError, match="is seven") as raised:
        next(results)
    assert (raised.value.path, raised.value.record, raised.value.hint) == ("numbers.txt", "number 7", "use another")
    assert list(results) == [], "the map has ended"
    if isinstance(executor, Processes):
        assert "fail_at_seven" in raised.value.__notes__[0]


@pytest.mark.parametrize("executor", EVERY, ids=repr)
def test_an_exception_of_the_state_reaches_the_caller(executor: Executor) -> None:
    with pytest.raises(InputError, match="is damaged"):
        list(executor.map(work.tell_process, range(30), state=work.failing_state, chunk=1))


def test_what_cannot_be_pickled_is_told() -> None:
    results = Processes(2).map(work.fail_strangely, range(9), state=stateless, chunk=2)
    with pytest.raises(RuntimeError, match="UnpicklableError: one and another"):
        list(results)
    with pytest.raises(Exception, match=r"[Pp]ickle"):
        list(Processes(2).map(work.give_something_unpicklable, range(9), state=stateless, chunk=2))


def test_a_worker_that_dies_is_an_error() -> None:
    with pytest.raises(WorkerDiedError, match="exit code 9"):
        list(Processes(2).map(work.die_at_seven, range(30), state=stateless, chunk=2))


@pytest.mark.parametrize("executor", EVERY, ids=repr)
def test_an_endless_input_is_drawn_as_far_as_needed(executor: Executor) -> None:
    drawn = count()
    results = executor.map(work.double, (next(drawn) for _ in count()), state=stateless, chunk=5)
    assert list(islice(results, 20)) == [2 * number for number in range(20)]
    results.close()  # type: ignore[attr-defined]
    assert next(drawn) <= 20 + 5 * 4 * getattr(executor, "workers", 1)


def test_an_exception_of_the_input_ends_the_map() -> None:
    def numbers() -> Iterator[int]:
        yield from range(3)
        raise InputError("input.json", "is cut off")

    with pytest.raises(InputError, match="is cut off"):
        list(Processes(2).map(work.double, numbers(), state=stateless, chunk=1))


def test_a_reader_that_stops_does_not_wait_for_the_work() -> None:
    began = time.monotonic()
    results = Processes(2).map(work.wait_long, [0, 1, 1, 1], state=stateless, chunk=1)
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began < 300, "it takes 600 s"


def test_results_larger_than_a_pipe_pass() -> None:
    sizes = [len(one) for one in Processes(2).map(work.repeat_many_times, range(12), state=stateless, chunk=2)]
    assert sizes == [1_000_000] * 12


def test_an_interrupted_program_leaves_no_worker(tmp_path: Path) -> None:
    program = textwrap.dedent(
        """
        import multiprocessing, os, signal, sys
        from functools import partial
        from pathlib import Path
        from falter.core.executors import Processes
        from tests.parallel import work

        if __name__ == "__main__":
            state = partial(work.count_state, Path(sys.argv[1]))
            results = Processes(2).map(work.tell_process, iter(int, 1), state=state, chunk=1)
            next(results)
            # Whoever runs the tests in the background may have them ignore it.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            try:
                os.kill(os.getpid(), signal.SIGINT)
                for _ in results:
                    pass
            except KeyboardInterrupt:
                del results
                print(len(multiprocessing.active_children()))
        """
    )
    (tmp_path / "states").mkdir()
    script = tmp_path / "program.py"
    script.write_text(program)
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", f"import runpy, sys; sys.path.insert(0, {str(root)!r}); sys.argv = ['p', sys.argv[1]]; "
         f"runpy.run_path({str(script)!r}, run_name='__main__')", str(tmp_path / "states")],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "0", done.stderr


def test_a_worker_gets_no_interrupt_from_its_first_moment_on() -> None:
    """One that is interrupted while it starts would print a traceback."""
    (blocked,) = Processes(1).map(work.blocked_signals, [0], state=stateless)
    assert signal.SIGINT in blocked
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.parametrize("workers", [0, -2])
def test_there_is_at_least_one_worker(workers: int) -> None:
    for make in (Processes, executor_for):
        with pytest.raises(UsageError, match="at least one worker"):
            make(workers)
    with pytest.raises(UsageError, match="at least 1 item"):
        list(Processes(1).map(work.double, [1], state=stateless, chunk=0))


def test_a_spec_names_an_executor() -> None:
    assert repr(executor_for(3, "processes")) == "Processes(3)"
    assert repr(executor_for(spec="processes:5")) == "Processes(5)"
    assert repr(executor_for(9, "inline")) == "Inline()"
    for spec, problem in (("ray:10.0.0.1", "unknown executor"), ("processes:many", "a number"), ("inline:2", "no arg")):
        with pytest.raises(UsageError, match=problem):
            executor_for(spec=spec)


class Backwards:
    """An executor from outside, which does its work from the end."""

    def __init__(self, argument: str, workers: int) -> None:
        self.told = (argument, workers)

    def map(
        self, work: Callable[[S, T], R], items: Iterable[T], *, state: Callable[[], S], chunk: int = 16
    ) -> Iterator[R]:
        made = state()
        return reversed([work(made, item) for item in reversed(list(items))])


def test_an_executor_from_outside_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EXECUTORS, "_added", {})
    EXECUTORS.add("backwards", Backwards)
    executor = executor_for(2, "backwards:there")
    assert isinstance(executor, Backwards)
    assert executor.told == ("there", 2)
    assert list(executor.map(work.double, range(5), state=stateless)) == [0, 2, 4, 6, 8]
