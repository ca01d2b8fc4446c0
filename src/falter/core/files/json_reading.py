"""Reading JSON and JSON lines: whatever is wrong with encoding, depth, numbers or types is an error with its place.

An object of many records may stay on disk (:func:`map_json_object`); of records with the same key the first counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from json import JSONDecoder
from pathlib import Path
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import msgspec
import numpy as np

from falter.core.errors import InputError
from falter.core.files.opening import MAX_BYTES, map_file, read_bytes, read_lines
from falter.core.version import __version__

T = TypeVar("T")

Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
"""A whole number that tables can hold."""

MAX_DEPTH = 100
"""Values of any type nest no deeper; typed ones nest as deep as their types."""

_BOM = b"\xef\xbb\xbf"
_NESTING = frozenset((dict, list))
_SURROGATE = "Input data was truncated"


class JsonDecoder(Generic[T]):
    """Decodes JSON of one type out of files; ``what`` is what a value should be, such as "a scene graph"."""

    def __init__(self, type_: type[T], what: str = "valid JSON") -> None:
        self._decoder = msgspec.json.Decoder(type_)
        self._what = what
        # What has no type of its own may nest without end; msgspec's guard alone would leave no room to write it.
        self._any = _holds_any(msgspec.inspect.type_info(type_), set())

    def decode(
        self,
        data: bytes | memoryview | msgspec.Raw | str,
        path: Path | str,
        *,
        record: str | int | None = None,
        hint: str = "",
    ) -> T:
        """The value in some JSON; ``record`` names its place in the file, by its line where it is a number."""
        try:
            value = self._decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, MemoryError) as error:
            raise self._bad(path, _reason(error), record, hint) from error
        if self._any and _may_nest(data) and _nests_deeper(value, MAX_DEPTH):
            raise self._bad(path, f"it nests deeper than {MAX_DEPTH} levels", record, hint)
        return value

    def _bad(self, path: Path | str, reason: str, record: str | int | None, hint: str) -> InputError:
        where = f"line {record}" if isinstance(record, int) else record
        return InputError(path, f"is not {self._what}: {reason}", record=where, hint=hint)


_known: dict[tuple[Any, str], JsonDecoder[Any]] = {}
"""Looking a type through takes longer than decoding a short file."""


def _decoder(type_: type[T], what: str) -> JsonDecoder[T]:
    if (type_, what) not in _known:
        _known[type_, what] = JsonDecoder(type_, what)
    return _known[type_, what]


def _reason(error: Exception) -> str:
    match error:
        case RecursionError():
            return "it nests too deep"
        case MemoryError():
            return "it is larger than the memory that is free"
        case UnicodeDecodeError():
            return f"it is not UTF-8 ({error.reason})"
    # msgspec says so of half a surrogate pair at the end of a text as well.
    text = " ".join(str(error).split())
    return "it breaks off, or a text ends within a surrogate pair" if text == _SURROGATE else text


def _holds_any(info: object, seen: set[int]) -> bool:
    """Whether a part of a type is left open."""
    if isinstance(info, msgspec.inspect.AnyType):
        return True
    if isinstance(info, tuple):
        return any(_holds_any(one, seen) for one in info)
    if not isinstance(info, msgspec.inspect.Type | msgspec.inspect.Field) or id(info) in seen:
        return False
    seen.add(id(info))
    return any(_holds_any(getattr(info, name), seen) for name in info.__struct_fields__)


def _may_nest(data: bytes | memoryview | msgspec.Raw | str) -> bool:
    """Whether there are brackets enough; what is no bytes is looked at as it was decoded."""
    return not isinstance(data, bytes) or data.count(b"[") + data.count(b"{") > MAX_DEPTH


def _nests_deeper(value: Any, levels: int) -> bool:
    """Whether lists, dictionaries and structs within each other are more than some levels deep."""
    layer = [value]
    for _ in range(levels + 1):
        inner: list[Any] = []
        for one in layer:
            if type(one) is dict:
                inner += [each for each in one.values() if type(each) in _NESTING]
            elif type(one) is list:
                inner += [each for each in one if type(each) in _NESTING]
            elif isinstance(one, msgspec.Struct):
                fields = (getattr(one, name) for name in one.__struct_fields__)
                inner += [each for each in fields if type(each) in _NESTING or isinstance(each, msgspec.Struct)]
        if not inner:
            return False
        layer = inner
    return True


def read_json(path: Path, type_: type[T], *, what: str = "", hint: str = "", max_bytes: int = MAX_BYTES) -> T:
    """A JSON file as a type; ``what`` is what it should be, such as "a suite manifest"."""
    data = read_bytes(path, hint=hint, max_bytes=max_bytes).removeprefix(_BOM)
    return _decoder(type_, what or "valid JSON").decode(data, path, hint=hint)


def map_json(path: Path, type_: type[T], *, what: str = "", hint: str = "") -> T:
    """The same of a file that stays on disk: what the type leaves raw is decoded when it is needed."""
    data = map_file(path, hint=hint)
    if not len(data):
        raise InputError(path, "is empty", hint=hint)
    return _decoder(type_, what or "valid JSON").decode(data[3:] if data[:3] == _BOM else data, path, hint=hint)


def read_json_lines(path: Path, type_: type[T], *, what: str = "", hint: str = "") -> Iterator[tuple[int, T]]:
    """The values of a file that has one per line, with the numbers of the lines; empty lines are left out."""
    decoder = JsonDecoder(type_, what or "valid JSON")
    for number, line in enumerate(read_lines(path, hint=hint), start=1):
        if number == 1 and line.startswith(_BOM):
            line = line.removeprefix(_BOM) or b"\n"  # noqa: PLW2901 - a file of nothing else is empty
        if not line.isspace():
            yield number, decoder.decode(line, path, record=number, hint=hint)


class _FormatOnly(msgspec.Struct):
    format: int = 1
    falter: str = "?"


def read_versioned(path: Path, type_: type[T], *, format_: int, what: str, hint: str = "") -> T:
    """A JSON file that says in ``format`` which version of it this is; a newer one than known is refused."""
    declared = read_json(path, _FormatOnly, what=what, hint=hint)
    if declared.format > format_:
        raise InputError(
            path,
            f"was made by a newer version ({declared.falter}, format {declared.format}; this is {__version__}, "
            f"format {format_})",
            hint="upgrade falter",
        )
    return read_json(path, type_, what=what, hint=hint)


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
