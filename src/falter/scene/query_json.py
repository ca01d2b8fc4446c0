"""Queries as JSON: the column ``meaning`` of a suite."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from falter.scene.open_query import OpenQuery
from falter.scene.query import AnyQuery, Query

__all__ = ["query_from_json", "query_to_json"]


_ENCODER = msgspec.json.Encoder()


def query_to_json(query: Query) -> str:
    """The form of a query in the column ``meaning``.

    Defaults are written out: whether msgspec leaves one out depends on which process made the string.
    """
    return _ENCODER.encode(query).decode()


@cache
def _decoder() -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(AnyQuery | OpenQuery)


def query_from_json(text: str | bytes) -> Query:
    """Read a query back; raises ``msgspec.DecodeError`` for anything else."""
    decoded: Query = _decoder().decode(text)
    return decoded
