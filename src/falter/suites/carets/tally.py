"""What the strata of one test have in common."""

from __future__ import annotations

from collections import Counter

from falter.authoring.balance import COIN_NOISE, COIN_SLACK, AnswerBalancer

__all__ = ["TestTally"]


class TestTally:
    """What the strata of one test have in common, so that rounding does not add up over them."""

    def __init__(self) -> None:
        self.groups: Counter[tuple[str, ...]] = Counter()
        self.places: Counter[tuple[int, int]] = Counter()
        # A word may lean a little in every stratum, and much in all of them together.
        self.balance = AnswerBalancer(COIN_NOISE, COIN_SLACK)
        self._odd = 0

    def next_odd_cell(self) -> int:
        """Which cell of its last group the next stratum of odd size gets: first and last by turns."""
        self._odd += 1
        return 0 if self._odd % 2 else -1
