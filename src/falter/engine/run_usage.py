"""Keeps what a run takes of a server, on the disk within a second, and on top of what it took before."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, runtime_checkable

from falter.models.protocol import Model
from falter.models.usage import Usage
from falter.runs.usage import RunUsage, read_usage, sum_usage, write_usage

__all__ = ["UsageKeeper", "UsageObserver", "keep_usage"]

_SECONDS_TO_WRITE = 1.0


@runtime_checkable
class UsageObserver(Protocol):
    """An observer of a run that is also given the counter of a model that has one."""

    def on_usage(self, usage: Usage) -> None:
        """Called once, before the plan; the counter goes on while the model is called."""
        ...


@contextmanager
def keep_usage(out: Path, model: Model, observer: object) -> Iterator[UsageKeeper]:
    """Keep the record of a run while the block lasts, however it ends, and let an observer watch the counter."""
    counter = model.capabilities.usage
    if counter is not None and isinstance(observer, UsageObserver):
        observer.on_usage(counter)
    keeper = UsageKeeper(out, model)
    try:
        yield keeper
    finally:
        keeper.write()


class UsageKeeper:
    """Adds what a model counts from now on to the record of a run."""

    def __init__(self, out: Path, model: Model) -> None:
        self._out = out
        self._counter = model.capabilities.usage
        if self._counter is None:
            return
        self._before = read_usage(out) or RunUsage()
        self._began = self._counter.record()
        self._lock = threading.Lock()
        self._written_at = time.monotonic()
        self._written = self._before

    def update(self) -> None:
        """Write the record where the last one is old."""
        if self._counter is not None and time.monotonic() - self._written_at >= _SECONDS_TO_WRITE:
            self.write()

    def write(self) -> None:
        """Write the record, if anything was counted since."""
        if self._counter is None:
            return
        with self._lock:
            self._written_at = time.monotonic()
            now = sum_usage([self._before, self._counter.record().since(self._began)])
            if now != self._written:
                write_usage(self._out, now)
                self._written = now
