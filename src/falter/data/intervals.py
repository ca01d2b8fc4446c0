"""The interval of a share that was counted, by Wilson: of votes, of people's answers, of text-only baselines."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

__all__ = ["Share", "wilson", "wilson_ends"]

_Z = 1.959963984540054
"""The 97.5 % point of the normal distribution: intervals are at 95 %."""


class Share(NamedTuple):
    """A share with its Wilson interval at 95 %."""

    value: float
    low: float
    high: float


def wilson(successes: float, n: int) -> Share:
    """A share of n and its Wilson interval; a tie is half a success, so that successes need not be whole.

    >>> [round(end, 3) for end in wilson(45, 100)]
    [0.45, 0.356, 0.548]
    """
    share = successes / n
    return Share(share, *wilson_ends(share, n))


def wilson_ends(share: float, n: float) -> tuple[float, float]:
    """The ends of the Wilson interval of a share; n may be an effective number."""
    middle = (share + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    half = _Z * sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n)) / (1 + _Z * _Z / n)
    return min(max(middle - half, 0.0), share), max(min(middle + half, 1.0), share)
