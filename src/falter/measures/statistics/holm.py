"""Holm's correction: p-values that stay honest when a table holds many."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["holm"]


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
