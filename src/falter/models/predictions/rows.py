"""The rows of a file of predictions, with scores as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from falter.errors import InputError, UsageError
from falter.files import TableRow, read_rows
from falter.models.predictions.inspect_logs import is_inspect_log, read_inspect_log

__all__ = ["ITEM_ID", "PUBLISHED_IDS", "REMEDY", "REPLIES", "ROLES", "PredictionRow", "read_predictions"]

REMEDY = "a predictions file has item_id or source_id, and answer or score, in JSONL, JSON, CSV, Parquet or Excel"

ROLES = ("item_id", "source_id", "answer", "text", "score", "score_kind")
"""What the columns of a file may be named for, where they are called otherwise."""

PredictionRow = TableRow

ITEM_ID = "item_id"
PUBLISHED_IDS = ("source_id", "question_id", "questionId", "ident", "id", "index")
"""Columns of published ids, the first that a row has counts."""
REPLIES = ("text", "reply", "response", "prediction", "output")
"""Columns of what a model replied, word for word; ``answer`` may be a reply, what was parsed of one, or the gold."""

_ID_COLUMNS = (ITEM_ID, *PUBLISHED_IDS, "doc_id", "doc")
_REPLY_COLUMNS = ("answer", *REPLIES, "score", "proba", "resps", "filtered_resps")
_REPLY_ROLES = ("answer", "text", "score")


def read_predictions(path: Path, columns: Mapping[str, str] | None = None) -> Iterator[PredictionRow]:
    """The rows of a file, by its ending; ``columns`` has by role the columns that are called otherwise."""
    if is_inspect_log(path):
        if columns:
            raise UsageError(
                f"{path} is a log of Inspect, which has no columns to name; leave {', '.join(columns)} out"
            )
        yield from read_inspect_log(path)
        return
    if columns:
        yield from _with_roles(path, columns)
        return
    is_text = path.suffix.lower() in (".csv", ".tsv")
    for row in read_rows(path, REMEDY):
        if row.problem:
            raise InputError(path, row.problem, record=row.record)
        yield _with_numbers(row, path) if is_text else row


def _with_roles(path: Path, columns: Mapping[str, str]) -> Iterator[PredictionRow]:
    """The rows with each named column under its role, and without the columns that could be taken instead of it.

    Where a column of ids is named, no other id counts; where one of what the model said is named, nothing else does.
    """
    replaced = {role for role in ROLES if role in columns}
    replaced |= set(_ID_COLUMNS) if {"item_id", "source_id"} & columns.keys() else set()
    replaced |= set(_REPLY_COLUMNS) if columns.keys() & _REPLY_ROLES else set()
    is_text = path.suffix.lower() in (".csv", ".tsv")
    for number, row in enumerate(read_rows(path, REMEDY)):
        if row.problem:
            raise InputError(path, row.problem, record=row.record)
        missing = [name for name in columns.values() if name not in row.values]
        if number == 0 and missing:
            there = ", ".join(map(str, row.values))
            raise InputError(path, f"has no column {missing[0]!r:.60}", hint=f"its columns are {there:.300}")
        kept = {name: value for name, value in row.values.items() if name not in replaced}
        named = {role: row.values[name] for role, name in columns.items() if name in row.values}
        named_row = PredictionRow(row.record, {**kept, **named})
        yield _with_numbers(named_row, path) if is_text else named_row


def _with_numbers(row: PredictionRow, path: Path) -> PredictionRow:
    """A row of CSV, where every value is a text."""
    cells = dict(row.values)
    for name in ("score", "proba"):
        if cells.get(name) is not None:
            cells[name] = _number(cells[name], path, row.record)
    # An empty cell is an empty reply, where the row has nothing else.
    said = ("answer", *REPLIES)
    if all(cells.get(name) is None for name in (*said, "score", "proba")):
        cells |= {name: "" for name in said if name in cells}
    return PredictionRow(row.record, cells)


def _number(value: str, path: Path, record: str) -> float:
    try:
        return float(value)
    except ValueError as error:
        raise InputError(path, f"a score is a number, not {value!r:.50}", record=record) from error
