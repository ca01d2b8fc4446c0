"""The batch size: halved after a batch that did not fit in memory, doubled where there is room."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

__all__ = ["BatchSize"]

_STEADY = 4
"""Full batches that must succeed before a larger one is tried."""


class BatchSize:
    """The size of the next batch, shared by all devices.

    It halves when a batch did not fit. It doubles only where ``can_grow`` says that the device could take it, up to
    ``most``, and never again to a size that failed. A size that the user gave does not grow.
    """

    def __init__(self, size: int, *, most: int | None = None, can_grow: Callable[[], bool] | None = None) -> None:
        self._size = size
        self._most = size if most is None or can_grow is None else max(size, most)
        self._can_grow = can_grow
        self._steady = 0
        self._lock = Lock()

    @property
    def size(self) -> int:
        return self._size

    def did_not_fit(self, count: int) -> None:
        """A batch of this many items was too much."""
        with self._lock:
            self._most = max(1, min(self._most, count // 2))
            self._size = min(self._size, self._most)
            self._steady = 0

    def went_well(self, count: int) -> None:
        """A batch of this many items was done."""
        with self._lock:
            if count < self._size or self._size >= self._most:
                return
            self._steady += 1
            if self._steady >= _STEADY and self._can_grow is not None and self._can_grow():
                self._size = min(self._most, 2 * self._size)
                self._steady = 0
