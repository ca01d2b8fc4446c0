"""Work spread over workers, with results in the order of the work, whatever does it."""

from falter.parallel.executor import Executor, Inline, stateless
from falter.parallel.processes import Processes, WorkerDiedError
from falter.parallel.registry import EXECUTORS, ExecutorFactory, executor_for

__all__ = [
    "EXECUTORS",
    "Executor",
    "ExecutorFactory",
    "Inline",
    "Processes",
    "WorkerDiedError",
    "executor_for",
    "stateless",
]
