"""The records of a JSON file whatever its ending says: one object per line, a list of objects, or an object of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from falter.errors import InputError
from falter.files.json_reading import JsonDecoder, read_json
from falter.files.opening import read_bytes, read_lines
from falter.files.row_reading import TableRow

__all__ = ["read_records"]

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
        yield from (_row(f"entry {number}", one) for number, one in enumerate(found, start=1))
    elif _is_one_object(start):
        keyed = read_json(path, dict[str, Any], what="a JSON object of objects", hint=hint)
        # Logs of lmms-eval stand beside the settings they were made with.
        if isinstance(keyed.get("logs"), list):
            yield from (_row(f"entry {number}", one) for number, one in enumerate(keyed["logs"], start=1))
        else:
            yield from (_row(key, one) for key, one in keyed.items())
    else:
        yield from _lines(path, hint, skip_broken=skip_broken)


def _lines(path: Path, hint: str, *, skip_broken: bool) -> Iterator[TableRow]:
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
        yield _row(f"line {number}", value)
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


def _row(record: str, value: Any) -> TableRow:
    if isinstance(value, dict):
        return TableRow(record, value)
    return TableRow(record, {}, f"is not an object, but {str(value)!r:.50}")
