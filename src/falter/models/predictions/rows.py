"""The rows of a file of predictions, whatever it is written as: JSON lines, a JSON list, CSV or Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.errors import InputError
from falter.files import open_parquet, open_regular, read_json, read_json_lines

__all__ = ["REMEDY", "PredictionRow", "read_rows"]

_LONGEST_LINE = 16 << 20

REMEDY = "a predictions file has item_id or source_id, and answer or score, in JSONL, JSON, CSV or Parquet"


class PredictionRow(NamedTuple):
    """The fields of one row, and its name in messages."""

    record: str
    values: Mapping[str, Any]


def read_rows(path: Path) -> Iterator[PredictionRow]:
    """The rows of a file, by its ending."""
    match path.suffix.lower():
        case ".jsonl" | ".ndjson":
            yield from _json_lines(path)
        case ".json":
            yield from _json_list(path)
        case ".csv" | ".tsv":
            yield from _csv(path)
        case ".parquet":
            yield from _parquet(path)
        case _:
            raise InputError(path, "has none of the endings .jsonl, .json, .csv, .tsv, .parquet", hint=REMEDY)


def _json_lines(path: Path) -> Iterator[PredictionRow]:
    for number, row in read_json_lines(path, dict[str, Any], what="a JSON object"):
        yield PredictionRow(f"line {number}", row)


def _json_list(path: Path) -> Iterator[PredictionRow]:
    found = read_json(path, Any, what="a JSON list of objects", hint=REMEDY)
    try:
        # Logs of lmms-eval stand beside the settings they were made with.
        rows = msgspec.convert(found.get("logs") if isinstance(found, dict) else found, list[dict[str, Any]])
    except msgspec.ValidationError as error:
        raise InputError(path, f"is not a JSON list of objects: {error}", hint=REMEDY) from error
    for number, row in enumerate(rows, start=1):
        yield PredictionRow(f"entry {number}", row)


def _csv(path: Path) -> Iterator[PredictionRow]:
    import csv

    try:
        with open_regular(path, hint=REMEDY) as data, TextIOWrapper(data, "utf-8-sig", newline="") as stream:
            # A line of any length would be read into memory whole.
            lines = iter(partial(stream.readline, _LONGEST_LINE), "")
            reader = csv.DictReader(
                lines, dialect="excel-tab" if path.suffix.lower() == ".tsv" else "excel", strict=True
            )
            for row in reader:
                record = f"line {reader.line_num}"
                if None in row or None in row.values():
                    raise InputError(path, "has another number of fields than the header", record=record)
                cells: dict[str, Any] = {name: value or None for name, value in row.items()}
                for name in ("score", "proba"):
                    if cells.get(name) is not None:
                        cells[name] = _number(row[name], path, record)
                yield PredictionRow(record, cells)
    except (csv.Error, UnicodeDecodeError, OSError, MemoryError) as error:
        raise InputError(path, f"cannot be read as CSV: {error}", hint=REMEDY) from error


def _number(value: str, path: Path, record: str) -> float:
    try:
        return float(value)
    except ValueError as error:
        raise InputError(path, f"a score is a number, not {value!r:.50}", record=record) from error


def _parquet(path: Path) -> Iterator[PredictionRow]:
    for number, row in enumerate(open_parquet(path, hint=REMEDY).iter_rows(), start=1):
        yield PredictionRow(f"row {number}", row)
