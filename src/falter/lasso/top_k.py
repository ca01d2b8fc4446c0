"""Selects the largest of many scores without sorting: a threshold from a strided sample, then one scan."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["indices_above", "largest_above", "share_above"]

_SAMPLE = 2048
"""About how many scores are sampled at least; all of them, if they are no more than this."""

_SAMPLED_RANK = 10
"""About the rank, in the sample, of the threshold: a lower one would leave the number above it to chance."""


def indices_above(scores: NDArray[Any], cut: float, nonnegative: bool) -> NDArray[np.int64]:
    """The indices of all scores above a cut; of all absolute scores where both signs count."""
    return np.flatnonzero(scores > cut if nonnegative else np.abs(scores) > cut)


def share_above(scores: NDArray[Any], cut: float, nonnegative: bool) -> float:
    """About what share of the scores is above a cut."""
    scores = scores[:: _stride(scores)]
    return float(np.count_nonzero(scores > cut if nonnegative else np.abs(scores) > cut)) / len(scores)


def largest_above(scores: NDArray[Any], cut: float, count: int, nonnegative: bool) -> NDArray[np.int64]:
    """The indices of the `count` largest scores above a cut, in rising order; fewer if fewer are above."""
    values = scores if nonnegative else np.abs(scores)
    sampled = count + count // 2
    stride = max(1, min(_stride(values), sampled // _SAMPLED_RANK))
    while stride > 1 and sampled < len(values) // 2:
        sample = values[::stride]
        rank = len(sample) - (sampled // stride + 1)
        threshold = float(np.partition(sample, rank)[rank])
        if threshold <= cut:
            break
        found = np.flatnonzero(values > threshold)
        if len(found) >= count:
            return _best(values, found, count)
        sampled *= 2
    return _best(values, np.flatnonzero(values > cut), count)


def _stride(scores: NDArray[Any]) -> int:
    return max(1, len(scores) // _SAMPLE)


def _best(values: NDArray[Any], found: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    if len(found) <= count:
        return found
    return np.sort(found[np.argpartition(-values[found], count - 1)[:count]])
