"""The rows of a file of predictions, with scores as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from falter.errors import InputError
from falter.files import TableRow, read_rows
from falter.models.predictions.inspect_logs import is_inspect_log, read_inspect_log

__all__ = ["REMEDY", "ROLES", "PredictionRow", "read_predictions"]

REMEDY = "a predictions file has item_id or source_id, and answer or score, in JSONL, JSON, CSV, Parquet or Excel"

ROLES = ("item_id", "source_id", "answer", "text", "score", "score_kind")
"""What the columns of a file may be named for, where they are called otherwise."""

PredictionRow = TableRow

_SAID = ("prediction", "answer", "text", "response")
"""Columns of what a model said."""


def read_predictions(path: Path, columns: Mapping[str, str] | None = None) -> Iterator[PredictionRow]:
    """The rows of a file, by its ending; ``columns`` has by role the columns that are called otherwise."""
    if is_inspect_log(path):
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
    """The rows with nothing but the roles that columns are named for, and those of their own name."""
    by_id = {"item_id", "source_id"} & set(columns)
    own = [role for role in ROLES if role not in columns and not (by_id and role in ("item_id", "source_id"))]
    names = {**{role: role for role in own}, **columns}
    is_text = path.suffix.lower() in (".csv", ".tsv")
    for number, row in enumerate(read_rows(path, REMEDY)):
        if row.problem:
            raise InputError(path, row.problem, record=row.record)
        missing = [name for name in columns.values() if name not in row.values]
        if number == 0 and missing:
            there = ", ".join(map(str, row.values))
            raise InputError(path, f"has no column {missing[0]!r:.60}", hint=f"its columns are {there:.300}")
        found = {role: row.values[name] for role, name in names.items() if name in row.values}
        named = PredictionRow(row.record, found)
        yield _with_numbers(named, path) if is_text else named


def _with_numbers(row: PredictionRow, path: Path) -> PredictionRow:
    """A row of CSV, where every value is a text."""
    cells = dict(row.values)
    for name in ("score", "proba"):
        if cells.get(name) is not None:
            cells[name] = _number(cells[name], path, row.record)
    # An empty cell is an empty reply, where the row has nothing else.
    if all(cells.get(name) is None for name in (*_SAID, "score", "proba")):
        cells |= {name: "" for name in _SAID if name in cells}
    return PredictionRow(row.record, cells)


def _number(value: str, path: Path, record: str) -> float:
    try:
        return float(value)
    except ValueError as error:
        raise InputError(path, f"a score is a number, not {value!r:.50}", record=record) from error
