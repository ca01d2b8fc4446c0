"""Picking the largest of many scores without sorting them: a threshold from a strided sample, then one scan."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["largest_above", "share_above", "those_above"]

_STRIDE = 16
_SMALL = 4096


def those_above(scores: NDArray[Any], cut: float, nonnegative: bool) -> NDArray[np.int64]:
    """The places of all scores above a cut; of all absolute scores where both signs count."""
    return np.flatnonzero(scores > cut if nonnegative else np.abs(scores) > cut)


def share_above(scores: NDArray[Any], cut: float, nonnegative: bool) -> float:
    """About what share of the scores is above a cut."""
    if len(scores) >= _SMALL:
        scores = scores[::_STRIDE]
    return float(np.count_nonzero(scores > cut if nonnegative else np.abs(scores) > cut)) / len(scores)


def largest_above(scores: NDArray[Any], cut: float, count: int, nonnegative: bool) -> NDArray[np.int64]:
    """The places of the `count` largest scores among those above a cut, in order of place; fewer if fewer are above."""
    values = scores if nonnegative else np.abs(scores)
    sampled = count + count // 2
    while len(values) >= _SMALL and sampled < len(values) // 2:
        sample = values[::_STRIDE]
        rank = sampled // _STRIDE + 1
        threshold = float(np.partition(sample, len(sample) - rank)[len(sample) - rank])
        if threshold <= cut:
            break
        found = np.flatnonzero(values > threshold)
        if len(found) >= count:
            return _best(values, found, count)
        sampled *= 2
    return _best(values, np.flatnonzero(values > cut), count)


def _best(values: NDArray[Any], found: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    if len(found) <= count:
        return found
    return np.sort(found[np.argpartition(-values[found], count - 1)[:count]])
