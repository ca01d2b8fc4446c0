"""A further table of what a suite holds."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["ContentsTable"]


class ContentsTable(msgspec.Struct, kw_only=True):
    """A further table of a suite's contents, one row per test."""

    name: str
    """The key of a test's row in JSON."""
    title: str
    rows: dict[str, Any]
    """By test what JSON shows."""
    columns: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """By heading a cell per test, as a person reads it."""
    note: str = ""
