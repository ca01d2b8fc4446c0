"""Work spread over processes, with results in the order of the work, whatever the number of workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from typing import Any, TypeVar

__all__ = ["ordered_map"]

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 3
"""Chunks in flight for each worker: enough to keep it busy, few enough to bound memory."""


def ordered_map(
    function: Callable[[T], R],
    items: Iterable[T],
    *,
    workers: int = 1,
    chunk: int = 16,
    initializer: Callable[..., None] | None = None,
    initargs: tuple[Any, ...] = (),
) -> Iterator[R]:
    """Apply a function to items in other processes and yield the results in the items' order.

    With one worker it runs here. A bounded number of chunks is in flight, so that neither an endless input nor a slow
    reader fills the memory.
    """
    if workers <= 1:
        if initializer is not None:
            initializer(*initargs)
        yield from map(function, items)
        return
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=initializer, initargs=initargs) as pool:
        waiting: deque[Future[list[R]]] = deque()
        for some in _chunks(items, chunk):
            waiting.append(pool.submit(_apply, function, some))
            if len(waiting) >= workers * _AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _apply(function: Callable[[T], R], items: tuple[T, ...]) -> list[R]:
    return [function(item) for item in items]


def _chunks(items: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    source = iter(items)
    while chunk := tuple(islice(source, size)):
        yield chunk
