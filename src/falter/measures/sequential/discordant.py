"""McNemar's test at any time: which of two runs wins the cases on which they differ."""

from __future__ import annotations

from math import exp, lgamma, log, pi

__all__ = ["anytime_mcnemar", "discordant_evidence"]


def discordant_evidence(only_a: int, only_b: int) -> float:
    """The logarithm of the e-value against equal models, from the cases that only A and only B got right.

    A case on which equal models differ falls to either side like a coin. The e-value is the likelihood under a coin of
    unknown bias (Jeffreys' prior) over that of a fair one: its mean is 1 under a fair coin at whatever moment one
    looks, so it exceeds 1/alpha at any time with probability at most alpha.

    >>> round(exp(discordant_evidence(0, 1)), 6), round(exp(discordant_evidence(0, 10)), 2)
    (1.0, 180.43)
    """
    n = only_a + only_b
    return lgamma(only_a + 0.5) + lgamma(only_b + 0.5) - lgamma(n + 1) - log(pi) + n * log(2)


def anytime_mcnemar(only_a: int, only_b: int) -> float:
    """The two-sided p-value that is valid at any time, 1 / e-value and at most 1.

    >>> anytime_mcnemar(3, 3), anytime_mcnemar(0, 12) < 0.002
    (1.0, True)
    """
    return min(1.0, exp(-discordant_evidence(only_a, only_b)))
