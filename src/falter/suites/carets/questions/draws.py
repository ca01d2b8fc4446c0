"""Drawing from a list as Python's ``random`` does, number by number, without its calls from function to function.

A late source of numbers is seeded when one is first looked at: most images have nothing for a later pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log
from random import Random
from typing import TypeVar

T = TypeVar("T")

_SMALL = 21
"""Up to so many things, or somewhat more for many draws, a copy of the list is drawn from."""
_FEW = 5


def shuffle(items: list[T], rng: Random) -> None:
    """Put a list into a drawn order, as ``Random.shuffle``."""
    bits = rng.getrandbits
    for last in range(len(items) - 1, 0, -1):
        many = last + 1
        length = many.bit_length()
        place = bits(length)
        while place >= many:
            place = bits(length)
        items[last], items[place] = items[place], items[last]


def choose(items: Sequence[T], rng: Random) -> T:
    """One of several things, as ``Random.choice``."""
    bits, many = rng.getrandbits, len(items)
    length = many.bit_length()
    place = bits(length)
    while place >= many:
        place = bits(length)
    return items[place]


def sample(items: Sequence[T], most: int, rng: Random) -> list[T]:
    """So many of several things, or all of them where there are fewer, in a drawn order, as ``Random.sample``."""
    many = len(items)
    drawn = min(most, many)
    if many > _SMALL and many > _SMALL + (4 ** ceil(log(drawn * 3, 4)) if drawn > _FEW else 0):
        return rng.sample(items, drawn)
    bits, pool = rng.getrandbits, list(items)
    found: list[T] = []
    for left in range(many, many - drawn, -1):
        length = left.bit_length()
        place = bits(length)
        while place >= left:
            place = bits(length)
        found.append(pool[place])
        pool[place] = pool[left - 1]
    return found


class LateRandom:
    """Numbers under a seed. Those that are reserved come in their order, though they are drawn when they are needed."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._waiting: list[Reserved] = []
        self._rng: Random | None = None

    def reserve(self, many: int) -> Reserved:
        """The next numbers between 0 and 1, so many, to be looked at later or never."""
        reserved = Reserved(self, many)
        self._waiting.append(reserved)
        return reserved

    def drawn(self) -> Random:
        """The numbers that come after those that are reserved."""
        rng = self._rng
        if rng is None:
            # Seeding takes long.
            rng = self._rng = Random(self._seed)
        draw = rng.random
        for one in self._waiting:
            one.known = [draw() for _ in range(one.many)]
        self._waiting.clear()
        return rng


class Reserved:
    """Numbers of a :class:`LateRandom`."""

    def __init__(self, source: LateRandom, many: int) -> None:
        self._source = source
        self.many = many
        self.known: list[float] | None = None
        """What was drawn for them; None before anything was."""

    def numbers(self) -> list[float]:
        """The numbers."""
        if self.known is None:
            self._source.drawn()
        assert self.known is not None
        return self.known
