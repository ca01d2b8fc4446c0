"""The threads that keep devices busy: they open images, prepare batches, ask, and deal with what goes wrong."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

from falter.errors import FalterError, UsageError
from falter.models.failures import TransientError, failed_reply
from falter.models.request import Request
from falter.models.weights.batch_size import BatchSize
from falter.models.weights.batching_config import BatchingConfig, LoadedRequest
from falter.models.weights.devices import is_device_lost, is_out_of_memory, release_memory
from falter.models.weights.image_prefetch import ImagePrefetcher
from falter.runs.reply import Reply
from falter.tables import format_count

__all__ = ["InferBatch", "InferenceThreads"]

AHEAD = 2
"""Batches that wait, prepared, for each device."""

MEMORY_REMEDY = "give --dtype bf16, a smaller --batch-size, another --device, or a smaller model"

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
