"""The columns of ``replies.parquet``, and the way from replies to rows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from falter.files import atomic_file
from falter.runs.reply import Reply

__all__ = ["REPLY_SCHEMA", "replies_to_table", "write_replies"]

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

_ROWS_A_GROUP = 65_536


def replies_to_table(replies: Iterable[Reply]) -> pa.Table:
    """An Arrow table with one row a reply, in the order given."""
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
    return pa.table(
        {field.name: pa.array(columns[field.name], type=field.type) for field in REPLY_SCHEMA}, schema=REPLY_SCHEMA
    )


def write_replies(path: Path, replies: Iterable[Reply]) -> None:
    """Write replies sorted by item: equal replies give equal bytes, in whatever order they came."""
    table = replies_to_table(sorted(replies, key=lambda reply: reply.item_id))
    with atomic_file(path) as stream, pq.ParquetWriter(stream, REPLY_SCHEMA, compression="zstd") as writer:
        writer.write_table(table, row_group_size=_ROWS_A_GROUP)
