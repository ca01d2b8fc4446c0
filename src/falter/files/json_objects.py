"""A JSON object of many records in a file that stays on disk; of records with the same key the first counts."""

from __future__ import annotations

from json import JSONDecoder
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from falter.errors import InputError
from falter.files.json_reading import JsonDecoder
from falter.files.opening import map_file

__all__ = ["MappedObject", "map_json_object"]

_BOM = b"\xef\xbb\xbf"
_DECODER = JSONDecoder(strict=False)
_MANY, _PUNCTUATION, _AROUND = 100_000, (4, 5, 6), 8
"""Records from which a file is first looked at as a whole; bytes between two records; bytes before and after all."""


class MappedObject(NamedTuple):
    """The records of a file by their keys, and how many more there are with a key that another one had before."""

    records: dict[str, msgspec.Raw]
    repeated: int


def map_json_object(path: Path, *, what: str, hint: str = "") -> MappedObject:
    """The records of a JSON object, each decoded when it is needed."""
    data = map_file(path, hint=hint)
    if not len(data):
        raise InputError(path, "is empty", hint=hint)
    data = data[3:] if data[:3] == _BOM else data
    records = JsonDecoder(dict[str, msgspec.Raw], what).decode(data, path, hint=hint)
    if _is_all(data, records):
        return MappedObject(records, 0)
    try:
        repeated = _passed_over(data, records)
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"is not {what}: {error}", hint=hint) from error
    # Of the records of one key the last was kept, and the others passed over.
    records.update({key: values[0] for key, values in repeated.items()})
    return MappedObject(records, sum(map(len, repeated.values())))


def _is_all(data: memoryview, records: dict[str, msgspec.Raw]) -> bool:
    """Whether records and punctuation are all that a large file has; a record passed over is shorter than the file."""
    if len(records) < _MANY:
        return False
    rest = len(data) - sum(len(memoryview(raw)) for raw in records.values()) - sum(len(key) for key in records)
    return any(0 <= rest - number * len(records) <= _AROUND for number in _PUNCTUATION)


def _passed_over(data: memoryview, records: dict[str, msgspec.Raw]) -> dict[str, list[msgspec.Raw]]:
    """The records between those that were kept, by their keys."""
    begin = _address(data)
    places = sorted((_address(raw) - begin, len(memoryview(raw)), key) for key, raw in records.items())
    found: dict[str, list[msgspec.Raw]] = {}
    end = 1
    for start, length, key in places:
        between = data[end:start]
        end = start + length
        if len(between) <= len(key) + _AROUND:
            continue
        # What stands before a value is a comma, its key and a colon; what is more is records.
        text = bytes(between).decode(errors="replace")
        at = _next(text, 0, " \t\r\n,{")
        while True:
            other, at = _DECODER.raw_decode(text, at)
            at = _next(text, at, " \t\r\n:")
            if at == len(text):
                break
            _, after = _DECODER.raw_decode(text, at)
            found.setdefault(other, []).append(msgspec.Raw(text[at:after].encode()))
            at = _next(text, after, " \t\r\n,")
    return found


def _next(text: str, at: int, passed: str) -> int:
    """The place of the next character that is none of these."""
    while at < len(text) and text[at] in passed:
        at += 1
    return at


def _address(part: memoryview | msgspec.Raw) -> int:
    address: int = np.frombuffer(part, dtype=np.uint8).__array_interface__["data"][0]
    return address
