"""The columns that scoring needs, read from Parquet with repeated strings kept as dictionary codes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from falter.errors import InputError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["asks_to_match", "read_items", "read_replies", "replies_of_frame", "tasks_of"]

ITEM_COLUMNS = (
    "probe_id",
    "variant",
    "item_id",
    "suite",
    "test",
    "expects",
    "task",
    "image_id",
    "gold",
    "answers",
    "choices",
)
REPLY_COLUMNS = ("item_id", "status", "answer")
SCORE_COLUMNS = ("score", "score_kind", "choice_scores")
"""What replies to matching items are ranked by."""

_REPEATED = (
    "suite",
    "test",
    "expects",
    "task",
    "image_id",
    "gold",
    "status",
    "answer",
    "score_kind",
    "choices.list.element",
    "answers.list.element",
    "facets.list.element.name",
    "facets.list.element.value",
)


def read_items(path: Path, *, facets: bool, probes: Collection[str] | None = None) -> pa.Table:
    """The items of a suite as far as scoring needs them, all or those of some probes."""
    items = _read(path, (*ITEM_COLUMNS, "facets") if facets else ITEM_COLUMNS)
    if probes is None:
        return items
    return items.filter(pc.is_in(items["probe_id"], value_set=pa.array(sorted(probes), pa.string())))


def asks_to_match(items: pa.Table) -> bool:
    """Whether any item is a text to be matched with a picture, so that scores of replies are needed."""
    return "match" in tasks_of(items)


def tasks_of(items: pa.Table) -> frozenset[str]:
    """What the items ask a model to do."""
    return frozenset(pc.unique(pc.cast(items["task"], pa.string())).to_pylist())


def read_replies(path: Path, *, scores: bool = False) -> pa.Table:
    """The replies of a complete run as far as scoring needs them; ``scores`` where items are to be matched."""
    return _read(path, (*REPLY_COLUMNS, *SCORE_COLUMNS) if scores else REPLY_COLUMNS)


def replies_of_frame(frame: pl.DataFrame) -> pa.Table:
    """The same from replies that are in memory already."""
    missing = [name for name in REPLY_COLUMNS if name not in frame.columns]
    if missing:
        raise InputError("replies", f"lack the columns {', '.join(missing)}")
    scores = [name for name in SCORE_COLUMNS if name in frame.columns]
    return frame.select(*REPLY_COLUMNS, *scores).to_arrow(compat_level=_oldest())


def _oldest() -> pl.CompatLevel:
    from polars import CompatLevel

    return CompatLevel.oldest()


def _read(path: Path, columns: Sequence[str]) -> pa.Table:
    try:
        return pq.read_table(path, columns=list(columns), read_dictionary=list(_REPEATED), memory_map=True)
    except (OSError, pa.ArrowException, KeyError) as error:
        raise InputError(path, f"cannot be read as Parquet: {error}", hint="make it anew") from error
