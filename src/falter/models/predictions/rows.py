"""The rows of a file of predictions, with scores as numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from falter.errors import InputError
from falter.files import TableRow, read_rows
from falter.models.predictions.inspect_logs import is_inspect_log, read_inspect_log

__all__ = ["REMEDY", "PredictionRow", "read_predictions"]

REMEDY = "a predictions file has item_id or source_id, and answer or score, in JSONL, JSON, CSV or Parquet"

PredictionRow = TableRow


def read_predictions(path: Path) -> Iterator[PredictionRow]:
    """The rows of a file, by its ending."""
    if is_inspect_log(path):
        yield from read_inspect_log(path)
        return
    is_text = path.suffix.lower() in (".csv", ".tsv")
    for row in read_rows(path, REMEDY):
        if row.problem:
            raise InputError(path, row.problem, record=row.record)
        yield _with_numbers(row, path) if is_text else row


def _with_numbers(row: PredictionRow, path: Path) -> PredictionRow:
    """A row of CSV, where every value is a text."""
    cells = dict(row.values)
    for name in ("score", "proba"):
        if cells.get(name) is not None:
            cells[name] = _number(cells[name], path, row.record)
    return PredictionRow(row.record, cells)


def _number(value: str, path: Path, record: str) -> float:
    try:
        return float(value)
    except ValueError as error:
        raise InputError(path, f"a score is a number, not {value!r:.50}", record=record) from error
