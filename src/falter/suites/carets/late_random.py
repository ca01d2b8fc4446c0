"""A source of random numbers that is seeded when one is first looked at: most images have nothing for a later pass."""

from __future__ import annotations

from random import Random

__all__ = ["LateRandom", "Reserved"]


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
