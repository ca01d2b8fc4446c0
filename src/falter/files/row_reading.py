"""The rows of a table, whatever it is written as: JSON lines, a JSON list, CSV or Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.errors import InputError
from falter.files.json_reading import read_json, read_json_lines
from falter.files.opening import open_regular
from falter.files.parquet_reading import open_parquet

__all__ = ["TableRow", "read_rows"]

_LONGEST_LINE = 16 << 20


class TableRow(NamedTuple):
    """The fields of one row, and its name in messages; ``problem`` says what is wrong with a row that has no fields."""

    record: str
    values: Mapping[str, Any]
    problem: str = ""


def read_rows(path: Path, hint: str = "") -> Iterator[TableRow]:
    """The rows of a file, by its ending; an empty cell of CSV is None."""
    match path.suffix.lower():
        case ".jsonl" | ".ndjson":
            yield from _json_lines(path)
        case ".json":
            yield from _json_list(path, hint)
        case ".csv" | ".tsv":
            yield from _csv(path, hint)
        case ".parquet":
            yield from _parquet(path, hint)
        case _:
            raise InputError(path, "has none of the endings .jsonl, .json, .csv, .tsv, .parquet", hint=hint)


def _json_lines(path: Path) -> Iterator[TableRow]:
    for number, row in read_json_lines(path, dict[str, Any], what="a JSON object"):
        yield TableRow(f"line {number}", row)


def _json_list(path: Path, hint: str) -> Iterator[TableRow]:
    found = read_json(path, Any, what="a JSON list of objects", hint=hint)
    try:
        # Logs of lmms-eval stand beside the settings they were made with.
        rows = msgspec.convert(found.get("logs") if isinstance(found, dict) else found, list[dict[str, Any]])
    except msgspec.ValidationError as error:
        raise InputError(path, f"is not a JSON list of objects: {error}", hint=hint) from error
    for number, row in enumerate(rows, start=1):
        yield TableRow(f"entry {number}", row)


def _csv(path: Path, hint: str) -> Iterator[TableRow]:
    import csv

    try:
        with open_regular(path, hint=hint) as data, TextIOWrapper(data, "utf-8-sig", newline="") as stream:
            # A line of any length would be read into memory whole.
            lines = iter(partial(stream.readline, _LONGEST_LINE), "")
            reader = csv.DictReader(
                lines, dialect="excel-tab" if path.suffix.lower() == ".tsv" else "excel", strict=True
            )
            for row in reader:
                record = f"line {reader.line_num}"
                if None in row or None in row.values():
                    yield TableRow(record, {}, "has another number of fields than the header")
                else:
                    yield TableRow(record, {name: value or None for name, value in row.items()})
    except (csv.Error, UnicodeDecodeError, OSError, MemoryError) as error:
        raise InputError(path, f"cannot be read as CSV: {error}", hint=hint) from error


def _parquet(path: Path, hint: str) -> Iterator[TableRow]:
    for number, row in enumerate(open_parquet(path, hint=hint).iter_rows(), start=1):
        yield TableRow(f"row {number}", row)
