"""Replies to one published id of an item that was published under several.

Equal items have one id and one reply. A file of predictions may hold other predictions for each of the published ids:
the first is the reply to the item, and each that differs is a reply of its own, whose id is ``ITEM@@PUBLISHED``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from falter.files import open_parquet
from falter.runs.reply import own_id, split_own_id

__all__ = ["join_own_replies", "own_ids"]

_COLUMNS = ["probe_id", "variant", "item_id", "source_id"]


def own_ids(ids: pa.ChunkedArray | pa.Array) -> list[str]:
    """Those of some ids of replies that are about one published id alone."""
    found: list[str] = ids.filter(pc.match_substring(ids, own_id("", ""))).to_pylist()
    return found


def join_own_replies(path: Path, items: pa.Table, replies: Sequence[pa.Table]) -> tuple[pa.Table, list[pa.Table]]:
    """The items with the ids of their replies, and the replies of some runs with a reply for each of these ids."""
    own = sorted({one for table in replies for one in own_ids(table["item_id"])})
    if not own:
        return items, list(replies)
    return _with_own_ids(path, items, own), [_with_own_replies(table, own) for table in replies]


def _with_own_ids(path: Path, items: pa.Table, own: Sequence[str]) -> pa.Table:
    known, bases = set(own), pa.array(sorted({split_own_id(one)[0] for one in own}), pa.string())
    table = open_parquet(path, _COLUMNS).read(_COLUMNS)
    rows = table.filter(pc.is_in(table["item_id"], value_set=bases)).to_pylist()
    ids = {(row["probe_id"], row["variant"]): own_id(row["item_id"], row["source_id"] or "") for row in rows}
    changed = {row: one for row, one in ids.items() if one in known}
    probes = pa.array(sorted({probe_id for probe_id, _ in changed}), pa.string())
    item_id = items["item_id"].to_pylist()
    for index in np.flatnonzero(pc.is_in(items["probe_id"], value_set=probes).to_numpy()):
        row = (items["probe_id"][index].as_py(), items["variant"][index].as_py())
        item_id[index] = changed.get(row, item_id[index])
    return items.set_column(items.schema.names.index("item_id"), "item_id", pa.array(item_id, pa.string()))


def _with_own_replies(replies: pa.Table, own: Sequence[str]) -> pa.Table:
    """Where a run has one reply to an item, it is the reply to each of its published ids."""
    ids = replies["item_id"].cast(pa.string())
    lacking = [one for one in own if not pc.any(pc.equal(ids, one)).as_py()]
    places = pc.index_in(pa.array([split_own_id(one)[0] for one in lacking], pa.string()), value_set=ids)
    found = [(one, place) for one, place in zip(lacking, places.to_pylist(), strict=True) if place is not None]
    if not found:
        return replies
    column = replies.schema.names.index("item_id")
    added = replies.take(pa.array([place for _, place in found]))
    added = added.set_column(column, replies.schema.field(column), pa.array([one for one, _ in found], pa.string()))
    return pa.concat_tables([replies, added]).unify_dictionaries()
