"""The records of a JSON file whatever its ending says: one object per line, a list of objects, or an object of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from falter.errors import InputError
from falter.files.json_reading import read_json, read_json_lines
from falter.files.opening import read_bytes
from falter.files.row_reading import TableRow

__all__ = ["read_records"]

_BLANK = b" \t\r\n\xef\xbb\xbf"


def read_records(path: Path, hint: str = "") -> Iterator[TableRow]:
    """The objects of a file; in an object of objects, the key is the name of the record."""
    start = read_bytes(path, hint=hint).lstrip(_BLANK)
    if not start:
        raise InputError(path, "is empty", hint=hint)
    if start[:1] == b"[":
        found = read_json(path, list[Any], what="a JSON list of objects", hint=hint)
        yield from (_row(f"entry {number}", one) for number, one in enumerate(found, start=1))
    elif _is_one_object(start):
        keyed = read_json(path, dict[str, Any], what="a JSON object of objects", hint=hint)
        yield from (_row(key, one) for key, one in keyed.items())
    else:
        for number, line in read_json_lines(path, Any, what="JSON", hint=hint):
            yield _row(f"line {number}", line)


def _is_one_object(data: bytes) -> bool:
    """Whether the file is one object whose values are objects, and not one object per line."""
    line = data.splitlines()[0].strip()
    try:
        first = msgspec.json.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return True
    return isinstance(first, dict) and len(first) > 0 and all(isinstance(one, dict) for one in first.values())


def _row(record: str, value: Any) -> TableRow:
    if isinstance(value, dict):
        return TableRow(record, value)
    return TableRow(record, {}, f"is not an object, but {str(value)!r:.50}")
