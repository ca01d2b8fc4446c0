"""Lists of words in a YAML file: by name the words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from falter.files.yaml_reading import read_yaml

__all__ = ["read_word_lists"]


@cache
def read_word_lists(path: Path) -> Mapping[str, frozenset[str]]:
    """The lists of a file, which is read once; unquoted yes, no, on and off are words."""
    lists = read_yaml(path, dict[str, list[str]], what="a file of lists of words", plain_words=True)
    return {name: frozenset(words) for name, words in lists.items()}
