"""Batches of requests of similar length and the same image, drawn from a window of several batches.

The batch size is halved after a batch that did not fit in memory, and doubled where there is room.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import islice
from threading import Lock
from typing import Any, NamedTuple

from falter.data.model import Request, load_image

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


WINDOW = 16
"""Size of the window in batches."""


class LoadedRequest(NamedTuple):
    """A request with its image (or whatever the adapter's loader makes of it)."""

    request: Request
    image: Any = None


def _characters(request: Request) -> int:
    return len(request.text)


def _task(request: Request) -> Hashable:
    return request.task


@dataclass(frozen=True, kw_only=True)
class BatchingConfig:
    """How an adapter forms batches: what may share one, how long a request is, and what is prepared ahead."""

    default_size: int = 16
    largest_size: int = 256
    """Where an automatic size stops growing."""
    group_key: Callable[[Request], Hashable] = _task
    """Only requests with equal keys share a batch."""
    length: Callable[[Request], int] = _characters
    """Requests of similar length share a batch."""
    load_image: Callable[[Request], Any] | None = load_image
    """Called in threads, once for an image; None for models without images."""
    collate: Callable[[list[LoadedRequest]], Any] | None = None
    """Called in one thread ahead of the device: tokens and pixels of a batch."""
    can_grow: Callable[[], bool] | None = None
    """Says whether a batch may grow."""
    threads: int | None = None
    """Threads that open images."""


def length_sorted_batches(
    requests: Iterator[Request], config: BatchingConfig, size: BatchSize
) -> Iterator[list[Request]]:
    """Batches of one kind, of like length, and of the same image where lengths are equal."""
    while window := list(islice(requests, size.size * WINDOW)):
        groups: dict[Hashable, list[Request]] = {}
        for request in window:
            groups.setdefault(config.group_key(request), []).append(request)
        for group in groups.values():
            group.sort(key=lambda request: (config.length(request), request.image_id or "", request.item_id))
            # The longest first: if it does not fit, the size is known before the rest is prepared.
            group.reverse()
            start = 0
            while start < len(group):
                stop = start + size.size
                yield group[start:stop]
                start = stop
