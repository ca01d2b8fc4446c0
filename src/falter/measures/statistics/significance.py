"""McNemar's exact test on the same cases, and Holm's correction for many tests."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["holm", "mcnemar"]


def mcnemar(only_a: int, only_b: int) -> float:
    """The two-sided exact p-value from the cases that only A and only B got right.

    Where the models are equally good, each case on which they differ falls to either side like a coin; cases on which
    they agree say nothing. With no case of difference the p-value is 1.

    >>> mcnemar(0, 5)
    0.0625
    >>> mcnemar(3, 3)
    1.0
    """
    from scipy.special import bdtr

    n = only_a + only_b
    if n == 0:
        return 1.0
    fewer = min(only_a, only_b)
    return min(1.0, 2.0 * float(bdtr(fewer, n, 0.5)))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The adjusted p-values in the order given; None stays None and does not count among the tests.

    The smallest of m is multiplied by m, the next by m - 1 and so on; none may fall below the one before it, none
    exceeds 1. (S. Holm, A simple sequentially rejective multiple test procedure, 1979.)

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    present = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    so_far = 0.0
    for rank, (p, place) in enumerate(present):
        so_far = max(so_far, min(1.0, p * (len(present) - rank)))
        adjusted[place] = so_far
    return adjusted
