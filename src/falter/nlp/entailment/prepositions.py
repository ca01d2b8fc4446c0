"""Which prepositions may be true of the same place, from ``prepositions.yaml``."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import msgspec

from falter.files import read_yaml

__all__ = ["are_compatible", "is_prepositional"]


class _Prepositions(msgspec.Struct, frozen=True):
    words: list[str]
    compatible: list[list[str]]


@cache
def _read() -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    found = read_yaml(Path(__file__).with_name("prepositions.yaml"), _Prepositions)
    pairs = {pair for line in found.compatible for pair in combinations(sorted(line), 2)}
    return frozenset(found.words), frozenset(pairs)


def is_prepositional(words: tuple[str, ...]) -> bool:
    """Whether words are a preposition, or a sequence of them.

    >>> is_prepositional(("out", "of")), is_prepositional(("big",))
    (True, False)
    """
    return bool(words) and all(word in _read()[0] for word in words)


def are_compatible(one: str, other: str) -> bool:
    """Whether one preposition may be true where the other is.

    >>> are_compatible("in", "inside"), are_compatible("on", "under")
    (True, False)
    """
    return one == other or tuple(sorted((one, other))) in _read()[1]
