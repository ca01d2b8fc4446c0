"""Feeding weights in batches: of like length, pictures opened ahead, on one device or several.

Adapters give a function that asks one batch; everything that can happen around it is dealt with here. A batch that does
not fit the memory is halved, one bad item does not spoil its neighbours, and the device works on while replies are
written down.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from falter.errors import UsageError
from falter.models.request import Request
from falter.models.weights.batch_size import BatchSize
from falter.models.weights.batching_config import Arrangement, Loaded, arranged
from falter.models.weights.threads import Ask, Crew
from falter.runs.reply import Reply

__all__ = ["Arrangement", "Ask", "Loaded", "replies_in_order", "stream_batches"]


def stream_batches(
    requests: Iterator[Request],
    workers: Sequence[Ask],
    arrangement: Arrangement,
    batch_size: int | None = None,
) -> Iterator[Reply]:
    """Replies to all requests, in any order; each worker (one for a device) runs in a thread of its own.

    Requests are drawn in the thread of the caller. A :class:`~falter.errors.FalterError` of a worker ends the stream;
    any other exception becomes the failure of the one item that causes it.
    """
    if batch_size is not None and batch_size < 1:
        raise UsageError(f"a batch holds at least 1 item, not {batch_size}")
    size = (
        BatchSize(arrangement.default_size, most=arrangement.largest_size, has_room=arrangement.has_room)
        if batch_size is None
        else BatchSize(batch_size)
    )
    with Crew(workers, arrangement, size) as crew:
        for batch in arranged(requests, arrangement, size):
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
