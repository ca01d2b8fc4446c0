"""The distinct requests of a suite, read from the columns that a model may see and from no other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from falter.core.files import open_parquet
from falter.data.items import Turn
from falter.data.model import Model, PublishedItem, Request, own_id
from falter.data.suite import ITEM_SCHEMA, Suite
from falter.evaluation.runs.manifest import Shard

__all__ = [
    "CONTEXT_VERSION",
    "OrderedRequests",
    "distinct_requests",
    "flatten_context",
    "item_and_source_ids",
    "own_requests",
    "published_items",
]

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
_PROBES = 256


def distinct_requests(
    suite: Suite,
    probes: Collection[str] | None = None,
    shard: Shard | None = None,
    own: Collection[tuple[str, str]] = (),
) -> Iterator[Request]:
    """Each distinct item of a suite (or of some of its probes, or of a part) once, in the suite's order.

    ``own`` holds the item id and the published id of rows that have a request of their own besides.
    """
    seen: set[str] = set()
    for row in _rows(suite):
        probe_id, item_id, image_id, source_id = row[0], row[1], row[5], row[9]
        asked = own_id(item_id, source_id) if (item_id, source_id) in own else item_id
        if asked in seen or (probes is not None and probe_id not in probes):
            continue
        seen.add(asked)
        if shard is not None and not shard.holds(item_id, image_id):
            continue
        yield _request(suite, asked, row)


def _request(suite: Suite, asked: str, row: tuple[Any, ...]) -> Request:
    _, _, task, text, image, image_id, image_sha256, context, choices, source_id = row
    return Request(
        item_id=asked,
        task=task,
        text=text,
        image=None if image is None else suite.image_folders.find(image),
        image_id=image_id,
        image_sha256=image_sha256,
        context=None if context is None else tuple(Turn(turn["speaker"], turn["text"]) for turn in context),
        choices=None if choices is None else tuple(choices),
        source_id=source_id,
    )


class OrderedRequests:
    """The distinct requests of a suite, probe by probe in any order; an item is asked with the first of its probes.

    ``given`` gets the ids of all requests that were given out.
    """

    def __init__(self, suite: Suite, own: Collection[tuple[str, str]], given: set[str]) -> None:
        self._suite, self._own = suite, own
        self._table = open_parquet(suite.items_path, ITEM_SCHEMA).read(_COLUMNS)
        self._places: dict[str, list[int]] = {}
        for place, probe_id in enumerate(self._table["probe_id"].to_pylist()):
            self._places.setdefault(probe_id, []).append(place)
        self._given = given

    def of(self, probes: Sequence[str]) -> Iterator[Request]:
        """The requests of some probes that were not given before."""
        for start in range(0, len(probes), _PROBES):
            places = [place for probe_id in probes[start : start + _PROBES] for place in self._places[probe_id]]
            part = self._table.take(pa.array(places, pa.int64()))
            for row in zip(*(part[name].to_pylist() for name in _COLUMNS), strict=True):
                item_id, source_id = row[1], row[9]
                asked = own_id(item_id, source_id) if (item_id, source_id) in self._own else item_id
                if asked not in self._given:
                    self._given.add(asked)
                    yield _request(self._suite, asked, row)


def item_and_source_ids(suite: Suite, probes: Collection[str] | None = None) -> Iterator[tuple[str, str | None]]:
    """Of every row the id of its item and its published id: an item may be published under several."""
    for batch in open_parquet(suite.items_path, ITEM_SCHEMA).iter_batches(["probe_id", "item_id", "source_id"]):
        for probe_id, item_id, source_id in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            if probes is None or probe_id in probes:
                yield item_id, source_id


def own_requests(suite: Suite, model: Model, probes: Collection[str] | None) -> frozenset[tuple[str, str]]:
    """The item id and the published id of rows for which a model has a reply of their own."""
    join = model.capabilities.join_ids
    return frozenset() if join is None else frozenset(join(lambda: published_items(suite, probes)))


def published_items(suite: Suite, probes: Collection[str] | None = None) -> Iterator[PublishedItem]:
    """All rows with their published ids; the file is what the ids of probes have before the published id."""
    file = ""
    columns = ["probe_id", "variant", "item_id", "source_id", "test"]
    for batch in open_parquet(suite.items_path, ITEM_SCHEMA).iter_batches(columns):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            probe_id, variant, item_id, source_id, test = row
            if variant == 0:
                file = probe_id.removesuffix(source_id or "")
            if probes is None or probe_id in probes:
                yield PublishedItem(item_id, source_id, file, test)


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
