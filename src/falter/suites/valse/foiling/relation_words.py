"""Directions that can be turned round, and words that count or slope, from ``relations.yaml``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from falter.files import read_yaml

__all__ = ["RelationWords", "relation_words"]


class _Compound(msgspec.Struct, frozen=True):
    words: list[str]
    nouns: list[str]


class _Written(msgspec.Struct, frozen=True):
    turned_round: list[tuple[str, str]]
    directed: list[str]
    going: list[str]
    sliding: list[str]
    not_directed: list[str]
    counting: list[str]
    inclines: list[str]
    roles: list[str]
    compounds: dict[str, _Compound]


class RelationWords(NamedTuple):
    """The lists of the file."""

    turned_round: dict[str, str]
    """By direction its opposite."""
    directed: frozenset[str]
    going: frozenset[str]
    sliding: frozenset[str]
    not_directed: frozenset[str]
    counting: frozenset[str]
    inclines: frozenset[str]
    roles: frozenset[str]
    compounds: dict[tuple[str, str], str]
    """By a word and a noun what they mean together: a hot dog is no dog."""


@cache
def relation_words() -> RelationWords:
    """The lists, read once.

    >>> relation_words().turned_round["up"]
    'down'
    """
    written = read_yaml(Path(__file__).with_name("relations.yaml"), _Written)
    turned = [*written.turned_round, *((other, one) for one, other in written.turned_round)]
    return RelationWords(
        dict(turned),
        frozenset(written.directed),
        frozenset(written.going),
        frozenset(written.sliding),
        frozenset(written.not_directed),
        frozenset(written.counting),
        frozenset(written.inclines),
        frozenset(written.roles),
        {(word, noun): name for name, one in written.compounds.items() for word in one.words for noun in one.nouns},
    )
