"""Putting requests of like length and like picture together, over a window of several batches."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from falter.models.request import Request
from falter.models.request_image import load_image
from falter.models.weights.batch_size import BatchSize

__all__ = ["Arrangement", "Loaded", "arranged"]

WINDOW = 16
"""Batches' worth of requests that are looked over at once to put like with like."""


class Loaded(NamedTuple):
    """A request with its picture (or whatever the adapter's loader makes of it)."""

    request: Request
    picture: Any = None


def _characters(request: Request) -> int:
    return len(request.text)


def _task(request: Request) -> Hashable:
    return request.task


@dataclass(frozen=True, kw_only=True)
class Arrangement:
    """How an adapter wants its requests: what may share a batch, how long each is, and what is made ready before."""

    default_size: int = 16
    largest_size: int = 256
    """Where an automatic size stops growing."""
    kind: Callable[[Request], Hashable] = _task
    """Only requests of one kind share a batch."""
    length: Callable[[Request], int] = _characters
    """Requests of like length share a batch."""
    load: Callable[[Request], Any] | None = load_image
    """Called in threads, once for a picture; None for models without pictures."""
    prepare: Callable[[list[Loaded]], Any] | None = None
    """Called in one thread ahead of the device: tokens and pixels of a batch."""
    has_room: Callable[[], bool] | None = None
    """Says whether a batch may grow."""
    threads: int | None = None
    """Threads that open pictures."""


def arranged(requests: Iterator[Request], arrangement: Arrangement, size: BatchSize) -> Iterator[list[Request]]:
    """Batches of one kind, of like length, and of the same picture where lengths are equal."""
    while window := list(islice(requests, size.size * WINDOW)):
        kinds: dict[Hashable, list[Request]] = {}
        for request in window:
            kinds.setdefault(arrangement.kind(request), []).append(request)
        for group in kinds.values():
            group.sort(key=lambda request: (arrangement.length(request), request.image_id or "", request.item_id))
            # The longest first: if it does not fit, the size is known before the rest is prepared.
            group.reverse()
            start = 0
            while start < len(group):
                stop = start + size.size
                yield group[start:stop]
                start = stop
