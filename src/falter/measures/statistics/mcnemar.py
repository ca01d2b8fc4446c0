"""McNemar's test, exact: do two models differ on the same questions?"""

from __future__ import annotations

__all__ = ["mcnemar"]


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
