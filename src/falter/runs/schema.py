"""The columns of ``replies.parquet``, and the way from replies to rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from falter.files import atomic_file, open_parquet
from falter.runs.reply import Reply

__all__ = ["REPLY_SCHEMA", "read_replies", "replies_from_table", "replies_to_table", "write_replies"]

REPLY_SCHEMA = pa.schema(
    [
        pa.field("item_id", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("text", pa.string()),
        pa.field("answer", pa.string()),
        pa.field("score", pa.float64()),
        pa.field("score_kind", pa.string()),
        pa.field("choice_scores", pa.list_(pa.struct([("choice", pa.string()), ("score", pa.float64())]))),
        pa.field("error", pa.string()),
    ]
)

GIVEN = pa.field("given", pa.bool_())
"""A column more, where a model gave answers itself beside its texts."""

_ROWS_PER_GROUP = 65_536


def replies_to_table(replies: Iterable[Reply]) -> pa.Table:
    """An Arrow table with one row per reply, in the order given."""
    replies = list(replies)
    columns: dict[str, list[Any]] = {
        name: [getattr(reply, name) for reply in replies] for name in REPLY_SCHEMA.names if name != "choice_scores"
    }
    columns["choice_scores"] = [
        None
        if reply.choice_scores is None
        else [{"choice": choice, "score": score} for choice, score in sorted(reply.choice_scores.items())]
        for reply in replies
    ]
    schema = REPLY_SCHEMA
    if any(reply.given for reply in replies):
        schema = schema.append(GIVEN)
        columns[GIVEN.name] = [reply.given for reply in replies]
    return pa.table({field.name: pa.array(columns[field.name], type=field.type) for field in schema}, schema=schema)


def replies_from_table(table: pa.Table) -> Iterator[Reply]:
    """The replies in the rows of a table."""
    for batch in table.to_batches(max_chunksize=_ROWS_PER_GROUP):
        for row in batch.to_pylist():
            if row["choice_scores"] is not None:
                row["choice_scores"] = {one["choice"]: one["score"] for one in row["choice_scores"]}
            # Written again, a default is left out only if it is the very object that the class declares.
            if row["status"] == "ok":
                del row["status"]
            if not row.get("given"):
                row.pop("given", None)
            yield Reply(**row)


def write_replies(path: Path, replies: Iterable[Reply] | pa.Table) -> None:
    """Write replies sorted by item: equal replies give equal bytes, in whatever order they came."""
    if isinstance(replies, pa.Table):
        table = _without_nulls(replies).combine_chunks().sort_by("item_id").combine_chunks()
    else:
        table = replies_to_table(sorted(replies, key=lambda reply: reply.item_id))
    with atomic_file(path) as stream, pq.ParquetWriter(stream, table.schema, compression="zstd") as writer:
        writer.write_table(table, row_group_size=_ROWS_PER_GROUP)


def _without_nulls(table: pa.Table) -> pa.Table:
    """Tables with and without answers that the model gave, put together: the others were not given."""
    if GIVEN.name not in table.column_names:
        return table
    index = table.column_names.index(GIVEN.name)
    return table.set_column(index, GIVEN, pc.fill_null(table[GIVEN.name], fill_value=False))


def read_replies(path: Path) -> pa.Table:
    """The table that :func:`write_replies` wrote, checked for its columns."""
    file = open_parquet(path, REPLY_SCHEMA, hint="run the model again")
    schema = REPLY_SCHEMA.append(GIVEN) if GIVEN.name in file.names else REPLY_SCHEMA
    return file.read(schema.names).cast(schema)
