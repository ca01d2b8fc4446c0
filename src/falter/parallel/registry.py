"""Executors by name, open to others: ``processes``, ``processes:8``, ``ray:ADDRESS``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from falter.errors import UsageError
from falter.parallel.executor import Executor, Inline
from falter.parallel.processes import Processes
from falter.registry import Registry

__all__ = ["EXECUTORS", "ExecutorFactory", "executor_for"]

ExecutorFactory: TypeAlias = Callable[[str, int], Executor]
"""Makes an executor from what follows the name in a spec, and the number of workers."""

EXECUTORS: Registry[ExecutorFactory] = Registry(
    "executor",
    "falter.executors",
    {"inline": "falter.parallel.registry:make_inline", "processes": "falter.parallel.registry:make_processes"},
)


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
