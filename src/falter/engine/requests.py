"""The distinct requests of a suite, read from the columns that a model may see and from no other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import msgspec

from falter.files import open_parquet
from falter.models.request import Request
from falter.probes import Suite, Turn
from falter.probes.schema import ITEM_SCHEMA
from falter.runs.shard import Shard

__all__ = ["CONTEXT_VERSION", "distinct_requests", "flatten_context", "item_and_source_ids"]

CONTEXT_VERSION = 1
"""Changes whenever earlier turns would be put differently to a model that reads none."""

_COLUMNS = (
    "probe_id",
    "item_id",
    "task",
    "text",
    "image",
    "image_id",
    "image_sha256",
    "context",
    "choices",
    "source_id",
)
_ROWS = 4096


def distinct_requests(
    suite: Suite, probes: Collection[str] | None = None, shard: Shard | None = None
) -> Iterator[Request]:
    """Each distinct item of a suite (or of some of its probes, or of a part) once, in the suite's order."""
    seen: set[str] = set()
    images = suite.image_folders
    for probe_id, item_id, task, text, image, image_id, image_sha256, context, choices, source_id in _rows(suite):
        if item_id in seen or (probes is not None and probe_id not in probes):
            continue
        seen.add(item_id)
        if shard is not None and not shard.holds(item_id, image_id):
            continue
        yield Request(
            item_id=item_id,
            task=task,
            text=text,
            image=None if image is None else images.find(image),
            image_id=image_id,
            image_sha256=image_sha256,
            context=None if context is None else tuple(Turn(turn["speaker"], turn["text"]) for turn in context),
            choices=None if choices is None else tuple(choices),
            source_id=source_id,
        )


def item_and_source_ids(suite: Suite, probes: Collection[str] | None = None) -> Iterator[tuple[str, str | None]]:
    """Of every row the id of its item and its published id: an item may be published under several."""
    for batch in open_parquet(suite.items_path, ITEM_SCHEMA).iter_batches(["probe_id", "item_id", "source_id"]):
        for probe_id, item_id, source_id in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if probes is None or probe_id in probes:
                yield item_id, source_id


def _rows(suite: Suite) -> Iterator[tuple[Any, ...]]:
    for batch in open_parquet(suite.items_path, ITEM_SCHEMA).iter_batches(_COLUMNS, batch_size=_ROWS):
        values: list[Callable[[], list[Any]]] = [batch.column(name).to_pylist for name in _COLUMNS]
        yield from zip(*(column() for column in values), strict=True)


def flatten_context(request: Request) -> Request:
    """Put the earlier turns before the text, for a model that reads no context."""
    if not request.context:
        return request
    turns = [f"{turn.speaker}: {turn.text}" for turn in request.context]
    return msgspec.structs.replace(request, text="\n".join([*turns, request.text]), context=None)
