"""The records of a file that can be decoded; the others are counted, and a file without any usable one is an error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec

from falter.errors import InputError
from falter.files import JsonDecoder

__all__ = ["UsableRecord", "usable_records"]

T = TypeVar("T")


class UsableRecord(NamedTuple, Generic[T]):
    """A decoded record, the name of its place in the file, and its JSON."""

    name: str
    value: T
    raw: msgspec.Raw


def usable_records(
    decoder: JsonDecoder[T], records: Iterable[tuple[str, msgspec.Raw]], file: Path, problems: Counter[str], what: str
) -> Iterator[UsableRecord[T]]:
    """Decode records, each with its name; malformed ones are counted in ``problems`` as records of ``what``.

    If there are some and none can be decoded, the error of the first is raised at the end.
    """
    first: InputError | None = None
    usable = False
    for name, raw in records:
        try:
            value = decoder.decode(raw, file, record=name)
        except InputError as error:
            first = first or error
            problems[f"the record of {what} is malformed"] += 1
            continue
        usable = True
        yield UsableRecord(name, value, raw)
    if first is not None and not usable:
        raise first
