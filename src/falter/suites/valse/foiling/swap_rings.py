"""Rings of swaps: p becomes q, q becomes r and r becomes p, so that each word is given up and taken equally often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

__all__ = ["find_ring"]

Swap = tuple[str, str]


def find_ring(swaps: Collection[Swap]) -> list[Swap]:
    """A shortest ring, the first in the order of its words; empty where there is none.

    >>> find_ring([("on", "behind"), ("behind", "next to"), ("next to", "on"), ("up", "down")])
    [('behind', 'next to'), ('next to', 'on'), ('on', 'behind')]
    """
    following: dict[str, list[str]] = defaultdict(list)
    for word, other in sorted(swaps):
        following[word].append(other)
    rings = (_ring_from(start, following) for start in sorted(following))
    return min((ring for ring in rings if ring), key=len, default=[])


def _ring_from(start: str, following: dict[str, list[str]]) -> list[Swap]:
    """A shortest way from a word back to itself."""
    ways: dict[str, list[Swap]] = {start: []}
    waiting = [start]
    for word in waiting:
        for other in following.get(word, ()):
            if other == start:
                return [*ways[word], (word, other)]
            if other not in ways:
                ways[other] = [*ways[word], (word, other)]
                waiting.append(other)
    return []
