"""Lists of words that rules of grammar look into, from ``words.yaml``."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from falter.files import read_yaml

__all__ = ["word_list"]

_FILE = Path(__file__).with_name("words.yaml")


@cache
def _lists() -> dict[str, list[str]]:
    return read_yaml(_FILE, dict[str, list[str]])


@cache
def word_list(name: str) -> frozenset[str]:
    """The words of a list.

    >>> "group" in word_list("collective")
    True
    """
    return frozenset(_lists()[name])
