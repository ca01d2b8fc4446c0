"""Balance of what replaces what: as many pairs of p by q as of q by p, and of no two more than a share of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

__all__ = ["SwapPairs"]

T = TypeVar("T")

Swap = tuple[str, str]


class SwapPairs(Generic[T]):
    """Collects pairs by what is replaced with what.

    >>> swaps = SwapPairs[str](size=4, most_share=0.5)
    >>> for p, q, name in (("on", "under", "a"), ("on", "under", "b"), ("under", "on", "c"), ("up", "down", "d")):
    ...     swaps.add(p, q, name)
    >>> sorted(swaps.balanced())
    ['a', 'c']
    """

    def __init__(self, size: int | None, most_share: float = 0.15, ahead: int = 20) -> None:
        self._size, self._share, self._ahead = size, most_share, ahead
        self._found: dict[Swap, list[T]] = {}

    def add(self, word: str, other: str, pair: T) -> None:
        """Take a pair."""
        self._found.setdefault((word, other), []).append(pair)

    def lead(self, word: str, other: str) -> int:
        """How many pairs more there are of this swap than of the opposite one."""
        return len(self._found.get((word, other), ())) - len(self._found.get((other, word), ()))

    def wants(self, word: str, other: str) -> bool:
        """Whether another pair of a swap is of use: it has not its share yet, and is not far ahead of its opposite."""
        if self.lead(word, other) >= self._ahead:
            return False
        return self._size is None or len(self._found.get((word, other), ())) < self._most(self._size)

    def is_enough(self) -> bool:
        """Whether the balanced pairs are as many as are wanted."""
        return self._size is not None and self.total() >= self._size

    def total(self) -> int:
        """How many pairs are balanced."""
        return sum(2 * count for count in self._counts().values())

    def _most(self, total: int) -> int:
        return max(1, int(self._share * total / 2))

    def _counts(self) -> dict[Swap, int]:
        """By two words in the order of the alphabet, how many pairs of either direction are kept."""
        both = {
            swap: min(len(found), len(self._found.get((swap[1], swap[0]), ())))
            for swap, found in sorted(self._found.items())
            if swap[0] < swap[1]
        }
        counts = {swap: count for swap, count in both.items() if count}
        total = sum(2 * count for count in counts.values())
        if self._size is not None:
            total = min(total, self._size)
        while counts:
            most = self._most(total)
            capped = {swap: min(count, most) for swap, count in counts.items()}
            now = sum(2 * count for count in capped.values())
            if now >= total or most == 1:
                return self._trim(capped)
            total = now
        return counts

    def _trim(self, counts: dict[Swap, int]) -> dict[Swap, int]:
        """Without what is more than wanted, taken from the most frequent."""
        while self._size is not None and sum(2 * count for count in counts.values()) > self._size:
            largest = max(sorted(counts), key=lambda swap: counts[swap])
            counts[largest] -= 1
        return counts

    def balanced(self) -> Iterator[T]:
        """The pairs that are kept, the first of each swap."""
        for (one, other), count in self._counts().items():
            yield from self._found[one, other][:count]
            yield from self._found[other, one][:count]

    def surplus(self) -> Iterator[T]:
        """The pairs that are not kept."""
        counts = self._counts()
        for (one, other), found in self._found.items():
            yield from found[counts.get((one, other) if one < other else (other, one), 0) :]
