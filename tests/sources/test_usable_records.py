"""Malformed records are counted; a file of nothing else is an error that names the first."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from falter.core.errors import InputError
from falter.core.files import JsonDecoder
from falter.generation.sources.published_files import usable_records


class _Thing(msgspec.Struct):
    id: int


THING = JsonDecoder(_Thing, "a thing")


def read(*records: bytes) -> tuple[list[tuple[str, int]], Counter[str]]:
    problems: Counter[str] = Counter()
    named = ((f"things[{number}]", msgspec.Raw(one)) for number, one in enumerate(records))
    found = usable_records(THING, named, Path("things.json"), problems, "a thing")
    return [(one.name, one.value.id) for one in found], problems


def test_malformed_records_are_counted() -> None:
    found, problems = read(b'{"id": "x"}', b'{"id": 4}', b"[]")
    assert found == [("things[1]", 4)]
    assert problems == {"the record of a thing is malformed": 2}


def test_nothing_but_malformed_records_is_an_error_that_names_the_first() -> None:
    with pytest.raises(InputError, match=r"things\[0\]"):
        read(b'{"id": "x"}', b"[]")


def test_no_record_is_no_error() -> None:
    assert read() == ([], Counter())
