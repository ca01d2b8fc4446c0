"""Whether a complete run holds one reply to each item that it is about, and no other."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from falter.errors import InputError
from falter.files import open_parquet
from falter.probes import Suite
from falter.runs.published_ids import own_ids
from falter.runs.reply import split_own_id
from falter.runs.shard import Shard
from falter.tables import format_count

__all__ = ["check_count", "check_replies", "item_ids"]

_HINT = "run the model again with another --out"


def item_ids(suite: Suite, probes: Collection[str] | None = None, shard: Shard | None = None) -> pa.Array:
    """The ids of the distinct items of a suite, of some of its probes, or of a part of it."""
    columns = ["item_id", *(["probe_id"] if probes is not None else []), *(["image_id"] if shard is not None else [])]
    table = open_parquet(suite.items_path, columns).read(columns)
    if probes is not None:
        table = table.filter(pc.is_in(table["probe_id"], value_set=pa.array(sorted(probes), pa.string())))
    if shard is None:
        return pc.unique(table["item_id"])
    images: dict[str, str | None] = {}
    for item_id, image_id in zip(table["item_id"].to_pylist(), table["image_id"].to_pylist(), strict=True):
        images.setdefault(item_id, image_id)
    return pa.array([item_id for item_id, image_id in images.items() if shard.holds(item_id, image_id)], pa.string())


def check_count(path: Path, asked: int) -> None:
    """Refuse a file of replies that has fewer or more than were asked for; ``asked`` is 0 if that is unknown."""
    found = open_parquet(path, ["item_id"], hint=_HINT).num_rows
    if asked and found != asked:
        raise InputError(
            path,
            f"of a complete run holds {format_count(found, 'replies')} to {format_count(asked, 'items')}",
            hint=_HINT,
        )


def check_replies(path: Path, expected: pa.Array, asked: int) -> None:
    """Refuse a file of replies that lacks one, holds one twice, or holds one to an item that was not asked.

    ``expected`` are the ids of the items, ``asked`` is the number of requests (0 if unknown): a published id
    may have had its own.
    """
    found = open_parquet(path, ["item_id"], hint=_HINT).read(["item_id"])["item_id"]
    distinct = pc.unique(found)
    if len(distinct) != len(found):
        raise InputError(path, f"holds {format_count(len(found) - len(distinct), 'replies')} a second time", hint=_HINT)
    missing = pc.sum(pc.invert(pc.is_in(expected, value_set=distinct))).as_py() or 0
    if missing:
        raise InputError(
            path,
            f"of a complete run lacks the replies to {missing} of {format_count(len(expected), 'items')}",
            hint=_HINT,
        )
    bases = pa.array([split_own_id(one)[0] for one in own_ids(distinct)], pa.string())
    own = pc.sum(pc.is_in(bases, value_set=expected)).as_py() or 0
    asked = asked or len(distinct)
    if len(distinct) != len(expected) + own or len(distinct) > asked:
        others = max(len(distinct) - len(expected) - own, len(distinct) - asked)
        raise InputError(
            path, f"holds replies to {format_count(others, 'items')} that the run was not asked", hint=_HINT
        )
    if len(distinct) < asked:
        raise InputError(
            path, f"of a complete run lacks {asked - len(distinct)} of {format_count(asked, 'replies')}", hint=_HINT
        )
