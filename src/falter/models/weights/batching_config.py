"""Groups requests of similar length and the same image, over a window of several batches."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from falter.models.request import Request
from falter.models.request_image import load_image
from falter.models.weights.batch_size import BatchSize

__all__ = ["BatchingConfig", "LoadedRequest", "length_sorted_batches"]

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
