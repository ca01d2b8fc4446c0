"""The rows of a table, whatever it is written as: JSON lines or list, CSV, Parquet, Excel or a dataset on disk.

What its columns are called is given as ``ROLE=NAME`` on the command line, or in a small YAML file. Of Excel files,
which VLMEvalKit writes by default, the first sheet is read; a dataset on disk is a folder of Arrow files with their
features, as ``save_to_disk`` of Hugging Face's library writes it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from falter.core.errors import InputError, UsageError
from falter.core.files.json_reading import JsonDecoder, read_json, read_json_lines
from falter.core.files.opening import check_regular, open_regular, read_bytes, read_lines
from falter.core.files.parquet_reading import open_parquet
from falter.core.files.yaml_reading import read_yaml

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element
    from zipfile import ZipFile

_MOST_BYTES = 1 << 30
"""Larger parts are refused: a small archive may unpack to anything."""
_SHEET = re.compile(r"xl/worksheets/sheet\d*\.xml")
_STRINGS = "xl/sharedStrings.xml"
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


def spreadsheet_rows(path: Path, hint: str = "") -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows below the first, each with its number in the sheet and its cells by the names in the first row."""
    from xml.etree.ElementTree import ParseError
    from zipfile import BadZipFile, ZipFile

    try:
        with open_regular(path, hint=hint) as data, ZipFile(data) as archive:
            sheet = min(filter(_SHEET.fullmatch, archive.namelist()), key=lambda name: (len(name), name), default=None)
            if sheet is None:
                raise InputError(path, "has no sheet", hint=hint)
            header: dict[int, str] = {}
            for number, cells in _sheet_rows(archive, sheet, _shared_strings(archive)):
                if header:
                    yield number, {name: cells.get(column) for column, name in header.items()}
                else:
                    header = {column: str(value) for column, value in cells.items() if value is not None}
    except (BadZipFile, ParseError, KeyError, ValueError, OSError, EOFError, NotImplementedError) as error:
        raise InputError(path, f"cannot be read as an Excel file: {error}", hint=hint) from error


def _parts(archive: ZipFile, name: str, wanted: str) -> Iterator[Element]:
    """The elements of one kind, one in memory at a time."""
    from xml.etree.ElementTree import iterparse

    if archive.getinfo(name).file_size > _MOST_BYTES:
        raise ValueError(f"{name} has more than the {_MOST_BYTES:,} bytes that are read")
    with archive.open(name) as stream:
        for _, element in iterparse(stream):
            if element.tag.rpartition("}")[2] == wanted:
                yield element
                element.clear()


def _shared_strings(archive: ZipFile) -> list[str]:
    return [_cell_text(one) for one in _parts(archive, _STRINGS, "si")] if _STRINGS in archive.namelist() else []


def _sheet_rows(archive: ZipFile, sheet: str, strings: list[str]) -> Iterator[tuple[int, dict[int, Any]]]:
    for count, row in enumerate(_parts(archive, sheet, "row"), start=1):
        cells: dict[int, Any] = {}
        for position, cell in enumerate(one for one in row if one.tag.endswith("}c")):
            name = cell.get("r")
            cells[position if name is None else _column_index(name)] = _cell_value(cell, strings)
        yield int(row.get("r", count)), cells


def _column_index(name: str) -> int:
    """The number of a column by its letters, as in ``AB12``."""
    number = 0
    for letter in name.rstrip("0123456789"):
        number = 26 * number + ord(letter) - ord("A") + 1
    return number - 1


def _cell_value(cell: Element, strings: list[str]) -> Any:
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return _cell_text(cell) or None
    found = next((one.text for one in cell if one.tag.endswith("}v")), None)
    if found is None or found == "":
        return None
    if kind == "s":
        return strings[int(found)] or None
    if kind == "n":
        number = float(found)
        return int(number) if number.is_integer() and "e" not in found.lower() else number
    return _unescape(found)


def _cell_text(element: Element) -> str:
    """The text of a cell, in all its runs; readings of Japanese are none of it."""
    parts = (one for one in element.iter() if one.tag.endswith("}t"))
    spoken = {id(one) for ph in element.iter() if ph.tag.endswith("}rPh") for one in ph.iter()}
    return _unescape("".join(one.text or "" for one in parts if id(one) not in spoken))


def _unescape(text: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


_DATASET_REMEDY = "give a folder that Dataset.save_to_disk wrote, or one of its splits"
_BATCH = 256


class _DataFile(msgspec.Struct):
    filename: str


class _State(msgspec.Struct):
    data_files: list[_DataFile] = msgspec.field(name="_data_files", default_factory=list)


def is_arrow_dataset(folder: Path) -> bool:
    """Whether a folder is a dataset, or holds several splits of one."""
    return (folder / "state.json").is_file() or (folder / "dataset_dict.json").is_file()


def arrow_dataset_rows(folder: Path) -> Iterator[dict[str, Any]]:
    """The rows of a dataset, a batch in memory at a time; class labels by their names."""
    import pyarrow as pa

    if (folder / "dataset_dict.json").is_file():
        splits = sorted(path.parent.name for path in folder.glob("*/state.json"))
        raise InputError(folder, "holds several splits", hint=f"give one of them: {', '.join(splits)[:300]}")
    if not (folder / "state.json").is_file():
        raise InputError(folder, "is a folder, and no dataset: it has no state.json", hint=_DATASET_REMEDY)
    state = read_json(folder / "state.json", _State, what="the state of a dataset", hint=_DATASET_REMEDY)
    labels = _class_labels(folder)
    for one in state.data_files:
        path = folder / Path(one.filename).name
        check_regular(path, hint=_DATASET_REMEDY)
        try:
            with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
                for batch in reader:
                    for start in range(0, batch.num_rows, _BATCH):
                        for row in batch.slice(start, _BATCH).to_pylist():
                            for name, names in labels.items():
                                if isinstance(row.get(name), int) and 0 <= row[name] < len(names):
                                    row[name] = names[row[name]]
                            yield row
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            raise InputError(
                path, f"cannot be read as Arrow: {' '.join(str(error).split()):.200}", hint=_DATASET_REMEDY
            ) from error


def _class_labels(folder: Path) -> dict[str, list[str]]:
    if not (folder / "dataset_info.json").is_file():
        return {}
    info = read_json(
        folder / "dataset_info.json", dict[str, Any], what="the features of a dataset", hint=_DATASET_REMEDY
    )
    features = info.get("features")
    found: dict[str, list[str]] = {}
    for name, feature in features.items() if isinstance(features, dict) else ():
        if (
            isinstance(feature, dict)
            and feature.get("_type") == "ClassLabel"
            and isinstance(feature.get("names"), list)
        ):
            found[name] = [str(one) for one in feature["names"]]
    return found


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


_BLANK = b" \t\r\n\xef\xbb\xbf"


def read_records(path: Path, hint: str = "", *, skip_broken: bool = False) -> Iterator[TableRow]:
    """The objects of a file; in an object of objects, the key is the name of the record.

    With ``skip_broken`` a line that is no JSON is a row with a problem, as long as another line is an object.
    """
    start = read_bytes(path, hint=hint).lstrip(_BLANK)
    if not start:
        raise InputError(path, "is empty", hint=hint)
    if start[:1] == b"[":
        found = read_json(path, list[Any], what="a JSON list of objects", hint=hint)
        yield from (_record_row(f"entry {number}", one) for number, one in enumerate(found, start=1))
    elif _is_one_object(start):
        keyed = read_json(path, dict[str, Any], what="a JSON object of objects", hint=hint)
        # Logs of lmms-eval stand beside the settings they were made with.
        if isinstance(keyed.get("logs"), list):
            yield from (_record_row(f"entry {number}", one) for number, one in enumerate(keyed["logs"], start=1))
        else:
            yield from (_record_row(key, one) for key, one in keyed.items())
    else:
        yield from _record_lines(path, hint, skip_broken=skip_broken)


def _record_lines(path: Path, hint: str, *, skip_broken: bool) -> Iterator[TableRow]:
    decoder = JsonDecoder(Any, "JSON")
    broken: list[TableRow] = []
    first: InputError | None = None
    whole = False
    for number, line in enumerate(read_lines(path, hint=hint), start=1):
        if not line.strip(_BLANK):
            continue
        try:
            value = decoder.decode(line.strip(_BLANK), path, record=number, hint=hint)
        except InputError as error:
            if not skip_broken:
                raise
            first = first or error
            broken.append(TableRow(f"line {number}", {}, "are no JSON, and are ignored"))
            continue
        whole = whole or isinstance(value, dict)
        yield _record_row(f"line {number}", value)
    if first is not None and not whole:
        raise first
    yield from broken


def _is_one_object(data: bytes) -> bool:
    """Whether the file is one object whose values are objects, and not one object per line."""
    line = data.splitlines()[0].strip()
    try:
        first = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return True
    if not isinstance(first, dict):
        return False
    return isinstance(first.get("logs"), list) or (
        len(first) > 0 and all(isinstance(one, dict) for one in first.values())
    )


def _record_row(record: str, value: Any) -> TableRow:
    if isinstance(value, dict):
        return TableRow(record, value)
    return TableRow(record, {}, f"is not an object, but {str(value)!r:.50}")


_COLUMNS_REMEDY = "write columns: and below it lines such as question: NAME"


def parse_columns(given: Iterable[str], roles: Collection[str], what: str) -> dict[str, str]:
    """By role the name of its column, from texts such as ``question=q``; an empty name stands for no column.

    >>> parse_columns(["question=q"], ["question", "answer"], "a table")
    {'question': 'q'}
    """
    found: dict[str, str] = {}
    for one in given:
        role, equals, name = one.partition("=")
        if not equals:
            raise UsageError(f"--column {one!r:.60} is not ROLE=NAME, such as --column question=q")
        if role in found and found[role] != name:
            raise UsageError(f"--column names two columns for {role}: {found[role]!r:.60} and {name!r:.60}")
        found[_check_roles(role, roles, what)] = name
    return found


def _check_roles(role: str, roles: Collection[str], what: str) -> str:
    if role not in roles:
        raise UsageError(f"{what} has no column role {role!r:.60}: there are {', '.join(roles)}")
    return role


def read_columns_file(path: Path, roles: Collection[str], settings: Collection[str]) -> dict[str, Any]:
    """A YAML file with ``columns`` (by role the name of a column) and perhaps other settings.

    The result has ``columns``, and each of ``settings`` that the file has.
    """
    found: Any = read_yaml(path, what="a mapping of columns", hint=_COLUMNS_REMEDY, plain_words=True)
    if not isinstance(found, Mapping) or not isinstance(found.get("columns", {}), Mapping):
        raise InputError(path, "is not a mapping of columns", hint=_COLUMNS_REMEDY)
    for key in found:
        if key != "columns" and key not in settings:
            known = ", ".join(("columns", *settings))
            raise InputError(path, f"has the key {str(key)!r:.60}", hint=f"there are {known}")
    columns: dict[str, str] = {}
    for role, name in found.get("columns", {}).items():
        if role not in roles:
            raise InputError(path, f"has the column role {str(role)!r:.60}", hint=f"there are {', '.join(roles)}")
        if name is not None and not isinstance(name, str | int):
            raise InputError(path, f"names no column for {role}", hint=_COLUMNS_REMEDY)
        columns[role] = "" if name is None else str(name)
    return {**found, "columns": columns}
