"""How far apart two distributions of words are."""

from __future__ import annotations

from collections import Counter
from math import log2, sqrt

__all__ = ["jensen_shannon"]


def jensen_shannon(one: Counter[str], two: Counter[str]) -> float | None:
    """The square root of the Jensen-Shannon divergence of two counts, in base 2: 0 for alike, 1 for nothing in common.

    >>> jensen_shannon(Counter("ab"), Counter("ab")), jensen_shannon(Counter("a"), Counter("b"))
    (0.0, 1.0)
    """
    totals = one.total(), two.total()
    if not all(totals):
        return None
    divergence = 0.0
    for word in sorted(one.keys() | two.keys()):
        shares = one[word] / totals[0], two[word] / totals[1]
        mean = sum(shares) / 2
        divergence += sum(share * log2(share / mean) / 2 for share in shares if share)
    return sqrt(max(divergence, 0.0))
