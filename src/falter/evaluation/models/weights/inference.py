"""Feeding weights in batches: of like length, images opened ahead, on one device or several.

Adapters give a function that asks one batch; everything that can happen around it is dealt with here. A batch that does
not fit the memory is halved, one bad item does not spoil its neighbors, and the device works on while replies are
written down. Threads keep the devices busy: they open images, each once while it is still wanted and in bounded memory,
prepare batches, ask, and deal with what goes wrong.
"""

from __future__ import annotations

import os
import queue
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import Any, NamedTuple

from falter.core.errors import FalterError, UsageError
from falter.core.tables import format_count
from falter.data.model import Reply, Request, TransientError, failed_reply
from falter.evaluation.models.weights.batching import BatchingConfig, BatchSize, LoadedRequest, length_sorted_batches
from falter.evaluation.models.weights.devices import is_device_lost, is_out_of_memory, release_memory

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


AHEAD = 2
"""Batches that wait, prepared, for each device."""

MEMORY_REMEDY = "give -M dtype=bf16, a smaller --batch-size, another --device, or a smaller model"

InferBatch = Callable[[Any], Sequence[Reply]]
"""Replies to what ``collate`` made of a batch (without ``collate``: a list of :class:`LoadedRequest`), in its order."""


class _Batch(NamedTuple):
    loaded: list[LoadedRequest]
    failed: list[Reply]
    prepared: Any
    """What ``prepare`` made; an exception if it could not."""


class InferenceThreads:
    """The threads of a stream: images, preparation, and one for each device."""

    def __init__(self, workers: Sequence[InferBatch], config: BatchingConfig, size: BatchSize) -> None:
        self._config = config
        self._size = size
        threads = config.threads or min(8, os.cpu_count() or 1)
        self._images = None if config.load_image is None else ImagePrefetcher(config.load_image, threads=threads)
        self._preparer = ThreadPoolExecutor(1, thread_name_prefix="prepare")
        self._work: queue.SimpleQueue[Future[_Batch] | None] = queue.SimpleQueue()
        self._done: queue.SimpleQueue[list[Reply] | BaseException] = queue.SimpleQueue()
        self._preparing = threading.Lock()
        self._in_flight = 0
        self._has_worked = False
        self._closing = False
        self._threads = [
            threading.Thread(target=self._run, args=(ask,), name=f"device-{number}", daemon=True)
            for number, ask in enumerate(workers)
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> InferenceThreads:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing = True
        for _thread in self._threads:
            self._work.put(None)
        self._preparer.shutdown(wait=True, cancel_futures=True)
        for thread in self._threads:
            thread.join()
        if self._images is not None:
            self._images.close()

    @property
    def is_full(self) -> bool:
        return self._in_flight >= len(self._threads) * (1 + AHEAD)

    @property
    def is_busy(self) -> bool:
        return self._in_flight > 0

    @property
    def has_replies(self) -> bool:
        return not self._done.empty()

    def take(self, batch: list[Request]) -> None:
        """Begin to open the images of a batch and put it in line."""
        images = [None if self._images is None else self._images.get(request) for request in batch]
        self._in_flight += 1
        self._work.put(self._preparer.submit(self._made_ready, batch, images))

    def collect(self) -> list[Reply]:
        """The replies to one batch, as soon as there is one."""
        done = self._done.get()
        self._in_flight -= 1
        if isinstance(done, BaseException):
            raise done
        return done

    def _made_ready(self, batch: list[Request], images: list[Future[Any] | None]) -> _Batch:
        loaded: list[LoadedRequest] = []
        failed: list[Reply] = []
        for request, image in zip(batch, images, strict=True):
            try:
                loaded.append(LoadedRequest(request, None if image is None else image.result()))
            except FalterError:
                raise
            except Exception as error:
                failed.append(failed_reply(request.item_id, error))
        return _Batch(loaded, failed, self._collate(loaded) if loaded else None)

    def _collate(self, loaded: list[LoadedRequest]) -> Any:
        prepare = self._config.collate
        if prepare is None:
            return loaded
        try:
            # Tokenizers cannot be used by two threads at once, and a batch in parts is prepared by the device's own.
            with self._preparing:
                return prepare(loaded)
        except FalterError:
            raise
        except Exception as error:
            return error

    def _run(self, ask: InferBatch) -> None:
        while (future := self._work.get()) is not None:
            if self._closing:
                continue
            try:
                batch = future.result()
                replies = self._infer(ask, batch.loaded, batch.prepared) if batch.loaded else []
                self._done.put(batch.failed + replies)
            except BaseException as error:
                self._done.put(error)

    def _infer(self, ask: InferBatch, loaded: list[LoadedRequest], prepared: Any) -> list[Reply]:
        """Replies to a batch: asked whole, or in halves where it is too large or where one item spoils it."""
        count = len(loaded)
        if count > self._size.size:
            return self._in_parts(ask, loaded, self._size.size)
        try:
            replies = _replies(ask, prepared, count)
        except FalterError:
            raise
        except Exception as error:
            if is_device_lost(error):
                raise _lost(error) from error
            # Only what is said is kept: the traceback would hold on to the memory of the batch.
            too_large, failure = is_out_of_memory(error), failed_reply(loaded[0].request.item_id, error)
        else:
            self._has_worked = True
            self._size.went_well(count)
            return replies
        if too_large:
            del prepared
            release_memory()
            self._size.did_not_fit(count)
        if count > 1:
            return self._in_parts(ask, loaded, (count + 1) // 2)
        return [self._too_large(loaded[0]) if too_large else failure]

    def _in_parts(self, ask: InferBatch, loaded: list[LoadedRequest], size: int) -> list[Reply]:
        replies: list[Reply] = []
        for start in range(0, len(loaded), size):
            part = loaded[start : start + size]
            replies += self._infer(ask, part, self._collate(part))
        return replies

    def _too_large(self, loaded: LoadedRequest) -> Reply:
        problem = f"a single item does not fit the memory: {MEMORY_REMEDY}"
        if not self._has_worked:
            raise UsageError(problem)
        # Another device or precision may take it, so that a later run should ask again.
        return failed_reply(loaded.request.item_id, TransientError(f"out of memory, {problem}"))


def _replies(ask: InferBatch, prepared: Any, count: int) -> list[Reply]:
    if isinstance(prepared, Exception):
        raise prepared
    replies = list(ask(prepared))
    if len(replies) != count:
        raise RuntimeError(
            f"the model gave {format_count(len(replies), 'replies')} to {format_count(count, 'requests')}"
        )
    return replies


def _lost(error: Exception) -> UsageError:
    first = str(error).strip().partition("\n")[0]
    return UsageError(
        f"the device stopped working ({first}): replies received are kept; rerun the command to resume, with "
        "--device cpu if it stops once more"
    )


def infer_unordered(
    requests: Iterator[Request],
    workers: Sequence[InferBatch],
    config: BatchingConfig,
    batch_size: int | None = None,
) -> Iterator[Reply]:
    """Replies to all requests, in any order; each worker (one for a device) runs in a thread of its own.

    Requests are drawn in the thread of the caller. A ``FalterError`` of a worker ends the stream;
    any other exception becomes the failure of the one item that causes it.
    """
    if batch_size is not None and batch_size < 1:
        raise UsageError(f"a batch holds at least 1 item, not {batch_size}")
    size = (
        BatchSize(config.default_size, most=config.largest_size, can_grow=config.can_grow)
        if batch_size is None
        else BatchSize(batch_size)
    )
    with InferenceThreads(workers, config, size) as crew:
        for batch in length_sorted_batches(requests, config, size):
            while crew.is_full:
                yield from crew.collect()
            crew.take(batch)
            while crew.has_replies:
                yield from crew.collect()
        while crew.is_busy:
            yield from crew.collect()


def replies_in_order(batch: Sequence[Request], replies: Iterator[Reply]) -> list[Reply]:
    """What a stream gives for a batch, in the batch's order."""
    by_id = {reply.item_id: reply for reply in replies}
    return [by_id[request.item_id] for request in batch]
