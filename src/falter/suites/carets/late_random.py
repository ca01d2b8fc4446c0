"""A source of random numbers that is seeded when it is first needed: most images have nothing for a later pass."""

from __future__ import annotations

from random import Random

__all__ = ["LateRandom"]


class LateRandom:
    """Numbers drawn under a seed. What nobody looks at is passed over, and drawn only where something comes after."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._passed = 0
        self._rng: Random | None = None

    def skip(self, many: int) -> None:
        """Pass over so many numbers between 0 and 1."""
        self._passed += many

    def drawn(self) -> Random:
        """The numbers that come next."""
        rng = self._rng
        if rng is None:
            # Seeding takes long.
            rng = self._rng = Random(self._seed)
        for _ in range(self._passed):
            rng.random()
        self._passed = 0
        return rng
