"""Images opened ahead of the model in threads, each once while it is still wanted, in bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any

from falter.models.request import Request

__all__ = ["ImagePrefetcher"]

MOST_BYTES = 512_000_000
"""Memory limit for opened images that are kept for further questions."""

MOST_IMAGES = 256

_Key = tuple[object, ...]


class ImagePrefetcher:
    """Opens images in threads and keeps the latest, so that questions about one image share one decoding."""

    def __init__(
        self,
        load: Callable[[Request], Any],
        *,
        threads: int,
        most_bytes: int = MOST_BYTES,
        most_images: int = MOST_IMAGES,
    ) -> None:
        self._load = load
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="image")
        self._kept: OrderedDict[_Key, Future[Any]] = OrderedDict()
        self._sizes: dict[_Key, int] = {}
        self._lock = Lock()
        self._most_bytes = most_bytes
        self._most_images = most_images

    def get(self, request: Request) -> Future[Any]:
        """The image of a request, as a future that may be done."""
        key = (request.image, request.image_sha256, request.image_id)
        with self._lock:
            future = self._kept.get(key)
            if future is not None:
                self._kept.move_to_end(key)
                return future
            future = self._kept[key] = self._pool.submit(self._load, request)
        future.add_done_callback(lambda done: self._weigh(key, done))
        return future

    def _weigh(self, key: _Key, done: Future[Any]) -> None:
        """Note the size of an opened image, and let go of the oldest where all together are too large."""
        opened = not done.cancelled() and done.exception() is None
        with self._lock:
            if self._kept.get(key) is done:
                self._sizes[key] = _size_in_bytes(done.result()) if opened else 0
            while len(self._kept) > 1 and (
                sum(self._sizes.values()) > self._most_bytes or len(self._kept) > self._most_images
            ):
                # A batch that waits for an image holds it by itself.
                oldest, _ = self._kept.popitem(last=False)
                self._sizes.pop(oldest, None)

    def close(self) -> None:
        """Stop opening images."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._kept.clear()


def _size_in_bytes(thing: Any) -> int:
    if isinstance(thing, tuple | list):
        return sum(map(_size_in_bytes, thing))
    if isinstance(thing, dict):
        return sum(map(_size_in_bytes, thing.values()))
    if hasattr(thing, "nbytes"):
        return int(thing.nbytes)
    if hasattr(thing, "width") and hasattr(thing, "height"):
        return 3 * int(thing.width) * int(thing.height)
    return 0
