"""Work spread over workers, with results in the order of the work, whatever does it: here, or in processes.

Executors have names that are open to others: ``processes``, ``processes:8``, ``ray:ADDRESS``.
"""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

from falter.core.errors import FalterError, UsageError
from falter.core.registry import Registry

if TYPE_CHECKING:
    from concurrent.futures import Future
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")


class Executor(Protocol):
    """Applies a function to items, here or elsewhere."""

    def map(
        self, work: Callable[[S, T], R], items: Iterable[T], *, state: Callable[[], S], chunk: int = 16
    ) -> Iterator[R]:
        """Yield ``work(state, item)`` for every item, in the order of the items.

        ``state()`` is called once in each worker, before its first item: what is expensive to load or to send belongs
        there. ``chunk`` items travel together, and a bounded number of chunks is in flight, so that neither an endless
        input nor a slow reader fills the memory. An exception in a worker is raised here once, in the place of the
        result, after those before it; then no worker is left.
        """
        ...


class Inline:
    """Does the work in this process, an item at a time."""

    def map(
        self, work: Callable[[S, T], R], items: Iterable[T], *, state: Callable[[], S], chunk: int = 16
    ) -> Iterator[R]:
        """Yield the results as they are computed.

        >>> list(Inline().map(lambda unit, count: f"{count} {unit}", [1, 2], state=lambda: "km"))
        ['1 km', '2 km']
        """
        del chunk  # Nothing travels.
        source = iter(items)
        for first in source:
            made = state()
            yield work(made, first)
            for item in source:
                yield work(made, item)

    def __repr__(self) -> str:
        return "Inline()"


def stateless() -> None:
    """The state of work that needs none."""


_AHEAD = 3
"""Chunks in flight per worker: enough to keep it busy, few enough to bound memory."""

_SECONDS_TO_END = 30.0
"""How long a process that has closed its pipe may take to end: longer than a moment on a busy machine."""


class WorkerDiedError(FalterError):
    """A worker process ended without a result, as when the system runs out of memory."""


class Processes:
    """Does the work in up to ``workers`` processes, started when there is a chunk for them.

    The function, the items, the results and what makes the state are pickled: functions are those of a module.
    """

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise UsageError(f"at least one worker is needed, not {workers}")
        self.workers = workers

    def map(
        self, work: Callable[[S, T], R], items: Iterable[T], *, state: Callable[[], S], chunk: int = 16
    ) -> Iterator[R]:
        """Yield the results in the order of the items; when the reader stops, so do the processes."""
        from concurrent.futures import ThreadPoolExecutor

        if chunk < 1:
            raise UsageError(f"a chunk holds at least 1 item, not {chunk}")
        # A thread of this process waits for each worker, so that results are taken from it while the reader is busy.
        team = _Team(work, state)
        waiting: deque[Future[_Results]] = deque()
        threads = ThreadPoolExecutor(self.workers, thread_name_prefix="falter-worker")
        try:
            for some in _chunks(items, chunk):
                waiting.append(threads.submit(team.apply, some))
                if len(waiting) >= self.workers * _AHEAD:
                    yield from waiting.popleft().result().take()
            while waiting:
                yield from waiting.popleft().result().take()
        finally:
            team.stop()
            threads.shutdown(cancel_futures=True)
            team.close()

    def __repr__(self) -> str:
        return f"Processes({self.workers})"


class _Results(NamedTuple):
    """What came of a chunk: the results up to the first exception, and that."""

    values: list[Any]
    error: Exception | None = None
    trace: str = ""

    def take(self) -> Iterator[Any]:
        yield from self.values
        if self.error is not None:
            self.error.add_note(f"In a worker process:\n{self.trace}")
            raise self.error


class _Team:
    """The worker processes of one map; a thread that has a chunk takes an idle one, or starts another."""

    def __init__(self, work: Callable[[Any, Any], Any], state: Callable[[], Any]) -> None:
        self._work = work
        self._state = state
        self._idle: deque[_Worker] = deque()
        self._all: list[_Worker] = []
        self._stopped = False

    def apply(self, items: tuple[Any, ...]) -> _Results:
        """What comes of a chunk; there are never more threads here than workers wanted."""
        try:
            worker = self._idle.popleft()
        except IndexError:
            worker = _Worker(self._work, self._state)
            self._all.append(worker)
            if self._stopped:
                worker.stop()
        results = worker.apply(items)
        self._idle.append(worker)
        return results

    def stop(self) -> None:
        """End the processes, whatever they are doing; threads that wait for one are woken."""
        self._stopped = True
        for worker in list(self._all):
            worker.stop()

    def close(self) -> None:
        """Let go of the pipes, when no thread uses them any more."""
        for worker in self._all:
            worker.pipe.close()


class _Worker:
    """One process and the pipe to it."""

    def __init__(self, work: Callable[[Any, Any], Any], state: Callable[[], Any]) -> None:
        from multiprocessing import get_context

        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process: SpawnProcess = context.Process(
            target=_serve, args=(theirs, work, state), name="falter-worker", daemon=True
        )
        try:
            with _no_interrupts():
                self._process.start()
        finally:
            theirs.close()

    def apply(self, items: tuple[Any, ...]) -> _Results:
        try:
            self.pipe.send(items)
            return _Results(*self.pipe.recv())
        except (EOFError, OSError) as ended:
            self._process.join(_SECONDS_TO_END)
            raise WorkerDiedError(
                f"a worker process ended without a result (exit code {self._process.exitcode}); "
                "if memory ran out, use fewer workers"
            ) from ended

    def stop(self) -> None:
        self._process.terminate()
        self._process.join()


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """A process that is started here gets no interrupt from the keyboard: the one that starts it decides.

    The worker ignores them as well, but only once it has loaded this module.
    """
    import signal

    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        yield
        return
    from multiprocessing import resource_tracker

    # It is started with the first process otherwise, and unblocks the signal.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """End this process as soon as the one that started it has ended, whatever this one is doing."""
    import os
    from multiprocessing import connection, parent_process
    from threading import Thread

    parent = parent_process()
    if parent is None:
        return

    def watch(sentinel: int) -> None:
        connection.wait([sentinel])
        os._exit(1)

    Thread(target=watch, args=(parent.sentinel,), name="falter-parent", daemon=True).start()


def _serve(pipe: Connection, work: Callable[[Any, Any], Any], state: Callable[[], Any]) -> None:
    """What a worker process does: reply to chunks until the other end is gone."""
    import signal

    # An interrupt from the keyboard reaches the whole group of processes: the one that started this decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    made: Any = None
    ready = False
    while True:
        try:
            items = pipe.recv()
        except (EOFError, OSError):
            return
        values: list[Any] = []
        try:
            if not ready:
                made, ready = state(), True
            for item in items:
                values.append(work(made, item))  # noqa: PERF401 - those before an exception count
            reply = _Results(values)
        except Exception as error:
            reply = _Results(values, _sendable(error), traceback.format_exc())
        try:
            pipe.send(tuple(reply))
        except (BrokenPipeError, ConnectionResetError):
            return
        except Exception as error:
            pipe.send(([], _sendable(error), traceback.format_exc()))


def _sendable(error: Exception) -> Exception:
    """The exception itself where it survives pickling, else one that says the same."""
    import pickle

    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _chunks(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    source = iter(items)
    while chunk := tuple(islice(source, size)):
        yield chunk


ExecutorFactory: TypeAlias = Callable[[str, int], Executor]
"""Makes an executor from what follows the name in a spec, and the number of workers."""

EXECUTORS: Registry[ExecutorFactory] = Registry("executor", "falter.executors")


def executor_for(workers: int = 1, spec: str = "") -> Executor:
    """The executor that a spec ``NAME`` or ``NAME:ARGUMENT`` names; without one, as many processes as workers.

    >>> executor_for(1), executor_for(4), executor_for(spec="processes:2")
    (Inline(), Processes(4), Processes(2))
    """
    if workers < 1:
        raise UsageError(f"at least one worker is needed, not {workers}")
    if not spec:
        return Inline() if workers == 1 else Processes(workers)
    name, _, argument = spec.partition(":")
    return EXECUTORS.get(name)(argument, workers)


def make_inline(argument: str, workers: int) -> Executor:
    """One worker, in this process."""
    del workers
    if argument:
        raise UsageError(f"the executor inline takes no argument, not {argument!r}")
    return Inline()


def make_processes(argument: str, workers: int) -> Executor:
    """As many processes as the argument says, else as there are to be workers."""
    if argument and not argument.isdecimal():
        raise UsageError(f"the executor processes takes a number, such as processes:4, not {argument!r}")
    return Processes(int(argument) if argument else workers)
