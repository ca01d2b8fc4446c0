"""The rows of a table, whatever it is written as: JSON lines or list, CSV, Parquet, Excel or a dataset on disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.errors import InputError
from falter.files.arrow_dataset import arrow_dataset_rows
from falter.files.json_reading import read_json, read_json_lines
from falter.files.opening import open_regular
from falter.files.parquet_reading import open_parquet
from falter.files.spreadsheet import spreadsheet_rows

__all__ = ["TableRow", "read_rows"]

_LONGEST_LINE = 16 << 20


class TableRow(NamedTuple):
    """The fields of one row, and its name in messages; ``problem`` says what is wrong with a row that has no fields."""

    record: str
    values: Mapping[str, Any]
    problem: str = ""


def read_rows(path: Path, hint: str = "") -> Iterator[TableRow]:
    """The rows of a file, by its ending, or of a dataset's folder; an empty cell of CSV is None."""
    if path.is_dir():
        for number, row in enumerate(arrow_dataset_rows(path), start=1):
            yield TableRow(f"row {number}", row)
        return
    match path.suffix.lower():
        case ".jsonl" | ".ndjson":
            yield from _json_lines(path, hint)
        case ".json":
            yield from _json_list(path, hint)
        case ".csv" | ".tsv":
            yield from _csv(path, hint)
        case ".parquet":
            yield from _parquet(path, hint)
        case ".xlsx":
            for number, row in spreadsheet_rows(path, hint):
                yield TableRow(f"row {number}", row)
        case _:
            raise InputError(path, "has none of the endings .jsonl, .json, .csv, .tsv, .parquet, .xlsx", hint=hint)


def _json_lines(path: Path, hint: str) -> Iterator[TableRow]:
    for number, row in read_json_lines(path, dict[str, Any], what="a JSON object", hint=hint):
        yield TableRow(f"line {number}", row)


def _json_list(path: Path, hint: str) -> Iterator[TableRow]:
    found: Any = read_json(path, Any, what="a JSON list of objects", hint=hint)
    if isinstance(found, dict):
        lists = [one for one in found.values() if isinstance(one, list) and one and isinstance(one[0], dict)]
        # Logs of lmms-eval stand beside the settings they were made with; other lists beside their licence.
        if isinstance(found.get("logs"), list):
            found = found["logs"]
        elif len(lists) == 1:
            found = lists[0]
        elif found and all(isinstance(one, dict) for one in found.values()):
            yield from (TableRow(f"record {key!r:.60}", {"id": key, **one}) for key, one in found.items())
            return
        elif found and all(isinstance(one, str | int | float) for one in found.values()):
            yield from (TableRow(f"record {key!r:.60}", {"id": key, "answer": one}) for key, one in found.items())
            return
    if isinstance(found, list) and found and all(isinstance(one, list) for one in found):
        # Without names, columns go by their numbers.
        found = [{str(number): value for number, value in enumerate(one, start=1)} for one in found]
    try:
        rows = msgspec.convert(found, list[dict[str, Any]])
    except msgspec.ValidationError as error:
        raise InputError(path, f"is not a JSON list of objects: {error}", hint=hint) from error
    for number, row in enumerate(rows, start=1):
        yield TableRow(f"entry {number}", row)


def _lines(stream: TextIOWrapper) -> Iterator[str]:
    """The lines of a text; one of any length would be read into memory whole."""
    for line in iter(partial(stream.readline, _LONGEST_LINE), ""):
        if len(line) == _LONGEST_LINE:
            raise OSError(f"a line is longer than {_LONGEST_LINE:,} characters")
        yield line


def _csv(path: Path, hint: str) -> Iterator[TableRow]:
    import csv

    csv.field_size_limit(_LONGEST_LINE)

    try:
        with open_regular(path, hint=hint) as data, TextIOWrapper(data, "utf-8-sig", newline="") as stream:
            reader = csv.reader(_lines(stream), "excel-tab" if path.suffix.lower() == ".tsv" else "excel", strict=True)
            header = next(reader, [])
            twice = sorted({name for name in header if header.count(name) > 1})
            if twice:
                raise InputError(path, f"has the column {twice[0]!r:.60} more than once", record="line 1", hint=hint)
            for row in reader:
                if len(row) == len(header):
                    values = {name: value or None for name, value in zip(header, row, strict=True)}
                    yield TableRow(f"line {reader.line_num}", values)
                elif row:
                    yield TableRow(f"line {reader.line_num}", {}, "has another number of fields than the header")
    except (csv.Error, UnicodeDecodeError, OSError, MemoryError) as error:
        raise InputError(path, f"cannot be read as CSV: {error}", hint=hint) from error


def _parquet(path: Path, hint: str) -> Iterator[TableRow]:
    from pyarrow import types

    reader = open_parquet(path, hint=hint)
    # Images in cells are large: fewer of them are held at a time.
    large = any(types.is_struct(one.type) or types.is_binary(one.type) for one in reader.file.schema_arrow)
    for number, row in enumerate(reader.iter_rows(batch_size=64 if large else 4096), start=1):
        yield TableRow(f"row {number}", row)
