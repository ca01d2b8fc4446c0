"""Feeding weights in batches: of like length, images opened ahead, on one device or several.

Adapters give a function that asks one batch; everything that can happen around it is dealt with here. A batch that does
not fit the memory is halved, one bad item does not spoil its neighbors, and the device works on while replies are
written down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from falter.errors import UsageError
from falter.models.request import Request
from falter.models.weights.batch_size import BatchSize
from falter.models.weights.batching_config import BatchingConfig, LoadedRequest, length_sorted_batches
from falter.models.weights.threads import InferBatch, InferenceThreads
from falter.runs.reply import Reply

__all__ = ["BatchingConfig", "InferBatch", "LoadedRequest", "infer_unordered", "replies_in_order"]


def infer_unordered(
    requests: Iterator[Request],
    workers: Sequence[InferBatch],
    config: BatchingConfig,
    batch_size: int | None = None,
) -> Iterator[Reply]:
    """Replies to all requests, in any order; each worker (one for a device) runs in a thread of its own.

    Requests are drawn in the thread of the caller. A :class:`~falter.errors.FalterError` of a worker ends the stream;
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
