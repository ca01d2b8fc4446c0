"""Pairs as the page shows them: texts, images and the replies of every run, read row by row from the files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from falter.apps.viewer.pair_index import FLAGS, OUTCOMES, PairIndex, RunColumn
from falter.apps.viewer.workbench import Comment
from falter.core.files import open_parquet
from falter.core.untrusted_text import escape_invisible
from falter.data.items import Item
from falter.data.suite import ITEM_SCHEMA, item_from_row
from falter.evaluation.reporting.word_diff import word_diff
from falter.evaluation.runs.failures import image_change

_LETTERS = 20_000
_MOST_CHOICES = 200
_REPLY_COLUMNS = ("text", "answer", "score", "error")
_JUDGED = ("correct", "incorrect", "off_list", "unparsed", "truncated")
_STATUS = {"correct": "ok", "incorrect": "ok", "rank_only": "ok"}


def build_cards(
    index: PairIndex, place: int, rows: Sequence[int], comments: Mapping[tuple[str, int], list[tuple[int, Comment]]]
) -> list[dict[str, Any]]:
    """The pairs of some rows; ``place`` is the number of the index, for the addresses of images."""
    pairs = [(int(index.original[row]), int(index.variant[row])) for row in rows]
    wanted = sorted({item for pair in pairs for item in pair})
    items = _read_items(index, wanted)
    replies = {column.model: _read_replies(column, wanted) for column in index.columns}
    return [_card(index, place, row, pair, items, replies, comments) for row, pair in zip(rows, pairs, strict=True)]


def read_item(index: PairIndex, item: int) -> Item | None:
    """One item; None where there is none of this number."""
    if not 0 <= item < len(index.file_row):
        return None
    return _read_items(index, [item])[item]


def _read_items(index: PairIndex, items: Sequence[int]) -> dict[int, Item]:
    rows = index.file_row[list(items)].tolist()
    found = _read_rows(index.items_path, rows, ITEM_SCHEMA.names)
    return {item: item_from_row(found[row]) for item, row in zip(items, rows, strict=True)}


def _read_replies(column: RunColumn, items: Sequence[int]) -> dict[int, dict[str, Any]]:
    """By item its reply, where it has one."""
    rows = {item: int(column.reply[item]) - 1 for item in items if column.reply[item]}
    if column.replies is not None:
        frame = column.replies
        return {item: frame.row(row, named=True) for item, row in rows.items() if row < len(frame)}
    found = _read_rows(column.run.folder / "replies.parquet", rows.values(), _REPLY_COLUMNS)
    return {item: found[row] for item, row in rows.items()}


def _read_rows(path: Path, rows: Iterable[int], columns: Sequence[str]) -> dict[int, dict[str, Any]]:
    """Some rows of a file by number; only the row groups that hold them are read."""
    wanted = np.unique(np.fromiter(rows, dtype=np.int64))
    if not len(wanted):
        return {}
    reader = open_parquet(path, list(columns), hint="make it anew")
    metadata = reader.file.metadata
    ends = np.cumsum([metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)])
    group = np.searchsorted(ends, wanted, side="right")
    found: dict[int, dict[str, Any]] = {}
    for number in np.unique(group).tolist():
        own = wanted[group == number]
        start = int(ends[number - 1]) if number else 0
        table = reader.read_row_group(number, list(columns)).take(pa.array(own - start))
        found |= dict(zip(own.tolist(), table.to_pylist(), strict=True))
    return found


def _card(
    index: PairIndex,
    place: int,
    row: int,
    pair: tuple[int, int],
    items: Mapping[int, Item],
    replies: Mapping[int, Mapping[int, dict[str, Any]]],
    comments: Mapping[tuple[str, int], list[tuple[int, Comment]]],
) -> dict[str, Any]:
    original, variant = (items[item] for item in pair)
    texts = word_diff(*(escape_invisible(item.text[:_LETTERS]) for item in (original, variant)))
    key = variant.probe_id, variant.variant
    card: dict[str, Any] = {
        "row": row,
        "suite": escape_invisible(variant.suite, one_line=True),
        "test": escape_invisible(variant.test, one_line=True),
        "probe": escape_invisible(variant.probe_id, one_line=True),
        "number": variant.variant,
        "expects": variant.expects,
        "facets": [
            [escape_invisible(name, one_line=True), escape_invisible(value, one_line=True)]
            for name, value in sorted({**original.facets, **variant.facets}.items())
        ],
        "sides": [
            _side(index, place, item, number, [[part.text, int(part.changed)] for part in text])
            for item, number, text in zip((original, variant), pair, texts, strict=True)
        ],
        "replies": [
            _pair_reply(column, row, pair, replies[column.model])
            for column in index.columns
            if column.flags[row] or column.reply[pair[0]] or column.reply[pair[1]]
        ],
        "comments": [
            {"model": model, "id": one.id, "text": escape_invisible(one.text), "written": one.written}
            for model, one in comments.get(key, ())
        ],
    }
    change = image_change(original, variant)
    if change:
        card["image_change"] = escape_invisible(change, one_line=True)
    return card


def _side(index: PairIndex, place: int, item: Item, number: int, text: list[list[Any]]) -> dict[str, Any]:
    side: dict[str, Any] = {"text": text}
    if len(item.text) > _LETTERS:
        side["length"] = len(item.text)
    if item.gold is not None:
        side["gold"] = escape_invisible(item.gold, one_line=True)
    if item.choices:
        side["choices"] = [escape_invisible(choice, one_line=True) for choice in item.choices[:_MOST_CHOICES]]
    if item.context:
        side["context"] = [
            [escape_invisible(turn.speaker, one_line=True), escape_invisible(turn.text[:_LETTERS])]
            for turn in item.context
        ]
    if index.suite.image_path(item) is not None:
        # Equal images have one address, so that a pair with one image shows it once.
        key = (item.image_sha256 or item.image or "")[:16]
        side["image"] = f"image/{place}/{number}?{key}" if key else f"image/{place}/{number}"
        side["large"] = f"image/{place}/{number}?large=1"
        side["image_key"] = key
    elif item.image is not None:
        side["image"] = None
    return side


def _pair_reply(
    column: RunColumn, row: int, pair: tuple[int, int], replies: Mapping[int, dict[str, Any]]
) -> dict[str, Any]:
    flags = int(column.flags[row])
    kinds = [name for name in OUTCOMES if flags >> FLAGS.index(name) & 1]
    return {
        "model": column.model,
        "failure_types": kinds if flags >> FLAGS.index("wrong") & 1 else [],
        "sides": [_reply(column, item, replies.get(item)) for item in pair],
    }


def _reply(column: RunColumn, item: int, reply: dict[str, Any] | None) -> dict[str, Any]:
    outcome = column.outcome(item)
    side: dict[str, Any] = {
        "status": _STATUS.get(outcome, outcome),
        "correct": outcome == "correct" if outcome in _JUDGED else None,
    }
    if reply is None:
        return side
    text = reply["text"] if reply["text"] is not None else reply["error"] if outcome == "failed" else None
    if text is None and reply["answer"] is None and reply["score"] is not None:
        text = f"{reply['score']:.4g}"
    if text is not None:
        side["text"] = escape_invisible(text[:_LETTERS])
        if len(text) > _LETTERS:
            side["length"] = len(text)
    if reply["answer"] is not None and outcome in ("correct", "incorrect", "off_list"):
        side["answer"] = escape_invisible(reply["answer"], one_line=True)
    return side
