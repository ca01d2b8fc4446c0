"""Which prepositions exclude each other, and which words do not tell of places, from ``relations.yaml``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from falter.files import read_yaml

__all__ = ["RelationWords", "relation_words"]


class _Written(msgspec.Struct, frozen=True):
    exclusive: list[tuple[str, str]]
    not_places: list[str]
    not_directed: list[str]
    counting: list[str]
    inclines: list[str]
    alike: dict[str, list[str]]
    odd: list[str]
    moving: list[str]


class RelationWords(NamedTuple):
    """The lists of the file."""

    excluded_by: dict[str, tuple[str, ...]]
    """By preposition those that cannot be true where it is."""
    not_places: frozenset[str]
    not_directed: frozenset[str]
    counting: frozenset[str]
    inclines: frozenset[str]
    classes: dict[str, str]
    """By noun the name of those that are placed alike."""
    odd: frozenset[str]
    """Prepositions and nouns that no foil puts together."""
    moving: frozenset[str]


@cache
def relation_words() -> RelationWords:
    """The lists, read once.

    >>> relation_words().excluded_by["up"]
    ('down',)
    """
    written = read_yaml(Path(__file__).with_name("relations.yaml"), _Written)
    excluded: dict[str, list[str]] = {}
    for one, other in written.exclusive:
        excluded.setdefault(one, []).append(other)
        excluded.setdefault(other, []).append(one)
    return RelationWords(
        {word: tuple(others) for word, others in excluded.items()},
        frozenset(written.not_places),
        frozenset(written.not_directed),
        frozenset(written.counting),
        frozenset(written.inclines),
        {noun: name for name, nouns in written.alike.items() for noun in nouns},
        frozenset(written.odd),
        frozenset(written.moving),
    )
