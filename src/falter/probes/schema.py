"""The columns of ``items.parquet``, and the way between rows and items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any

import pyarrow as pa

from falter.probes.item import Item, Turn

__all__ = ["ITEM_SCHEMA", "item_from_row", "items_to_table"]

ITEM_SCHEMA = pa.schema(
    [
        pa.field("probe_id", pa.string(), nullable=False),
        pa.field("variant", pa.int32(), nullable=False),
        pa.field("item_id", pa.string(), nullable=False),
        pa.field("suite", pa.string(), nullable=False),
        pa.field("test", pa.string(), nullable=False),
        pa.field("role", pa.string(), nullable=False),
        pa.field("expects", pa.string(), nullable=False),
        pa.field("task", pa.string(), nullable=False),
        pa.field("image", pa.string()),
        pa.field("image_id", pa.string()),
        pa.field("image_sha256", pa.string()),
        pa.field("text", pa.string(), nullable=False),
        pa.field("context", pa.list_(pa.struct([("speaker", pa.string()), ("text", pa.string())]))),
        pa.field("gold", pa.string()),
        pa.field("answers", pa.list_(pa.string())),
        pa.field("choices", pa.list_(pa.string())),
        pa.field("meaning", pa.string()),
        pa.field("source_id", pa.string()),
        pa.field("facets", pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))),
        pa.field("extra", pa.string()),
    ]
)

_PLAIN = [field.name for field in ITEM_SCHEMA if field.name not in ("context", "answers", "choices", "facets")]


def items_to_table(items: Iterable[Item]) -> pa.Table:
    """An Arrow table with one row an item."""
    items = list(items)
    columns: dict[str, list[Any]] = {name: [getattr(item, name) for item in items] for name in _PLAIN}
    columns["context"] = [
        None if item.context is None else [{"speaker": turn.speaker, "text": turn.text} for turn in item.context]
        for item in items
    ]
    columns["answers"] = [item.answers for item in items]
    columns["choices"] = [item.choices for item in items]
    arrays = {name: pa.array(values, type=ITEM_SCHEMA.field(name).type) for name, values in columns.items()}
    arrays["facets"] = _facets_array(items)
    return pa.table({field.name: arrays[field.name] for field in ITEM_SCHEMA}, schema=ITEM_SCHEMA)


def _facets_array(items: list[Item]) -> pa.Array:
    """The facets of items by name, from flat lists: a dictionary per facet would take many times as long."""
    facets = [sorted(item.facets.items()) if len(item.facets) > 1 else tuple(item.facets.items()) for item in items]
    offsets = [0, *accumulate(map(len, facets))]
    flat = [pair for own in facets for pair in own]
    kind = ITEM_SCHEMA.field("facets").type
    pairs = pa.StructArray.from_arrays(
        [pa.array([pair[column] for pair in flat], pa.string()) for column in (0, 1)], fields=list(kind.value_type)
    )
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pairs, type=kind)


def item_from_row(row: Mapping[str, Any]) -> Item:
    """The item in one row (a dictionary, as Arrow's ``to_pylist`` gives it)."""
    context = row["context"]
    answers = row["answers"]
    choices = row["choices"]
    return Item(
        **{name: row[name] for name in _PLAIN},
        context=None if context is None else tuple(Turn(turn["speaker"], turn["text"]) for turn in context),
        answers=None if answers is None else tuple(answers),
        choices=None if choices is None else tuple(choices),
        facets={facet["name"]: facet["value"] for facet in row["facets"] or ()},
    )
