"""What a ranker is, and how the first of its scores are taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["TOP", "Ranked", "Ranker", "best_of"]

TOP = 21
"""How many basic questions a main question has in the paper: seven partitions of three."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


class Ranked(NamedTuple):
    """The nearest questions of the pool, best first: their places in it and their scores.

    Fewer than were wanted where the pool is smaller or no other question has anything in common with the main one.
    """

    indices: Integers
    scores: Floats
    certified: bool = True
    """Whether the ranking is known to be exact; only an optimisation can fail to know."""
    gap: float | None = None
    """The duality gap of an optimisation: how far, at most, its objective is from the best there is."""


class Ranker(Protocol):
    """Orders a pool of questions by their likeness to main questions."""

    name: str

    @property
    def signature(self) -> str:
        """Its name and everything that decides its scores."""
        ...

    def fit(self, pool: Sequence[str]) -> None:
        """Take in the pool."""
        ...

    def rank(self, queries: Sequence[str], top: int = TOP) -> Iterator[Ranked]:
        """The best of the pool for each query, in the order of the queries."""
        ...


def best_of(scores: npt.NDArray[np.floating], top: int) -> Ranked:
    """The highest scores above zero, equal ones in the order of the pool.

    >>> best_of(np.array([0.5, 0.0, 0.9, 0.5]), 2).indices.tolist()
    [2, 0]
    """
    if top < len(scores):
        least = np.partition(scores, len(scores) - top)[len(scores) - top]
        above = np.flatnonzero(scores > least)
        level = np.flatnonzero(scores == least)[: top - len(above)]
        chosen = np.sort(np.concatenate([above, level]))
    else:
        chosen = np.arange(len(scores))
    chosen = chosen[scores[chosen] > 0]
    chosen = chosen[np.argsort(-scores[chosen], kind="stable")]
    return Ranked(chosen.astype(np.int64), scores[chosen].astype(np.float64))
