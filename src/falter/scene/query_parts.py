"""The parts of a query."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from falter.scene.description import ObjectDescription
from falter.scene.query import Query

__all__ = ["descriptions_of"]


def descriptions_of(query: Query) -> Iterator[ObjectDescription]:
    """Every description in a query, whatever its form, each followed by what it is related to."""
    yield from _within(query)


def _within(part: object) -> Iterator[ObjectDescription]:
    if isinstance(part, ObjectDescription):
        yield part
    if isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            yield from _within(getattr(part, name))
    elif isinstance(part, tuple):
        for one in part:
            yield from _within(one)
