"""A cache of image and text vectors: each is computed once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import TypeVar

from falter.models.clip.encoder import Vectors

__all__ = ["InMemoryEmbeddingCache"]

K = TypeVar("K", bound=Hashable)


class _NotMade(Exception):
    """The thread that was to compute a vector failed."""


class InMemoryEmbeddingCache:
    """The most recently used vectors, shared by all devices; others wait for a vector that one is computing."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Future[Vectors]] = OrderedDict()
        self._lock = Lock()
        self.made = 0
        """Number of vectors computed."""

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def get(self, keys: Sequence[K], make: Callable[[list[K]], Vectors]) -> dict[K, Vectors]:
        """The vectors of some keys; ``make`` is called once with those that nobody has worked out yet."""
        with self._lock:
            mine: dict[K, Future[Vectors]] = {}
            wanted: dict[K, Future[Vectors]] = {}
            for key in keys:
                if key not in self._kept:
                    mine[key] = self._kept[key] = Future()
                wanted[key] = self._kept[key]
                self._kept.move_to_end(key)
        if mine:
            self._make(mine, make)
        found: dict[K, Vectors] = {}
        for key, future in wanted.items():
            try:
                found[key] = future.result()
            except _NotMade:
                # Another device ran out of memory over it; this one may have room.
                found.update(self.get([key], make))
        return found

    def _make(self, mine: dict[K, Future[Vectors]], make: Callable[[list[K]], Vectors]) -> None:
        try:
            vectors = make(list(mine))
        except BaseException:
            with self._lock:
                for key in mine:
                    self._kept.pop(key, None)
            for future in mine.values():
                future.set_exception(_NotMade())
            raise
        for future, vector in zip(mine.values(), vectors, strict=True):
            future.set_result(vector)
        with self._lock:
            self.made += len(mine)
            while len(self._kept) > self._most and next(iter(self._kept.values())).done():
                self._kept.popitem(last=False)
