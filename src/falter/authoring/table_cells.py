"""What a cell of a user's own table says: a text, several texts, yes or no."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

__all__ = ["CellError", "text", "texts", "yes_no"]

_YES_NO = {"yes": "yes", "no": "no", "true": "yes", "false": "no", "1": "yes", "0": "no"}
_LONGEST = 100_000
"""Characters of a text that a model may be shown."""


class CellError(ValueError):
    """What is wrong with a cell, for a message that names the row; ``hint`` says what to do about it."""

    def __init__(self, problem: str, *, hint: str = "fix the row, or leave it out") -> None:
        super().__init__(problem)
        self.hint = hint


def text(value: Any, role: str) -> str | None:
    """A cell as a text, None where it is empty: numbers are written out, true and false are yes and no."""
    if type(value) is str:
        found = value.strip()
        if len(found) > _LONGEST:
            raise CellError(f"has {len(found):,} characters as {role}; at most {_LONGEST:,} are allowed")
        return found or None
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "item") and not isinstance(value, Mapping):  # numbers of numpy
        return text(value.item(), role)
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if value.is_integer() else f"{value:g}"
    if isinstance(value, int):
        return str(value)
    raise CellError(f"has {_kind(value)} as {role}, not a text")


def texts(value: Any, role: str, *, split: bool = True) -> tuple[str, ...]:
    """A cell as several texts: a list, a JSON list written as text, or texts between bars (with ``split``)."""
    if value is None:
        return ()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, str):
        stripped = value.strip()
        if stripped.startswith("["):
            try:
                value = msgspec.json.decode(stripped)
            except (msgspec.DecodeError, RecursionError):
                if split:
                    raise CellError(f"has {stripped[:40]!r} as {role}, which is no JSON list") from None
        elif split and "|" in stripped:
            value = stripped.split("|")
    if not isinstance(value, list | tuple):
        one = text(value, role)
        return () if one is None else (one,)
    found = []
    for each in value:
        # VQA has records of an answer and what is known of it.
        one = text(each.get("answer") if isinstance(each, Mapping) and "answer" in each else each, role)
        if one is None:
            raise CellError(f"has an empty text among {role}")
        found.append(one)
    return tuple(found)


def yes_no(value: Any, role: str) -> str | None:
    """A cell that says whether a caption fits: yes or no, true or false, 1 or 0."""
    found = text(value, role)
    if found is None:
        return None
    known = _YES_NO.get(found.lower())
    if known is None:
        raise CellError(f"has {found[:40]!r} as {role}; a caption fits or not: yes or no, true or false, 1 or 0")
    return known


def _kind(value: Any) -> str:
    if isinstance(value, Mapping):
        return "a record"
    if isinstance(value, list | tuple):
        return "a list"
    return "bytes" if isinstance(value, bytes | bytearray | memoryview) else f"a {type(value).__name__}"
