"""Lists of words that foiling functions look into, from ``words.yaml``."""

from __future__ import annotations

from pathlib import Path

from falter.files import read_word_lists

__all__ = ["word_list"]

_FILE = Path(__file__).with_name("words.yaml")


def word_list(name: str) -> frozenset[str]:
    """The words of a list.

    >>> "beach" in word_list("scenes")
    True
    """
    return read_word_lists(_FILE)[name]
