"""Algorithm 1 of VQABQ: how many basic questions are similar enough to append, and the statistics behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from falter.suites.basic_questions.options import Thresholds

__all__ = [
    "ScoreStatistics",
    "appended",
    "auto_thresholds",
    "count_appended",
    "count_each",
    "pad_scores",
    "score_statistics",
]

MOST = 3

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


class MeanAndDeviation(NamedTuple):
    """A mean, the standard deviation around it, and over how many main questions."""

    mean: float | None
    deviation: float | None
    n: int


class ScoreStatistics(msgspec.Struct, frozen=True):
    """Table 5: the first score, the second over the first, the third over the second."""

    score1: MeanAndDeviation
    score2_over_score1: MeanAndDeviation
    score3_over_score2: MeanAndDeviation


def count_each(scores: Floats, thresholds: Thresholds) -> Numbers:
    """How many basic questions Algorithm 1 appends to each main question (rows of up to three scores, NaN for none)."""
    first, second, third = scores.T
    with np.errstate(divide="ignore", invalid="ignore"):
        one = first > thresholds[0]
        two = one & (second / first > thresholds[1])
        three = two & (third / second > thresholds[2])
    return np.asarray(one.astype(np.int64) + two + three)


def appended(scores: Sequence[float], thresholds: Thresholds) -> int:
    """The same for one main question: the first if its score is above s1, and so on while ratios hold.

    >>> appended([0.7, 0.5, 0.1], (0.60, 0.58, 0.41))
    2
    """
    return int(count_each(np.array([pad_scores(scores)]), thresholds)[0])


def pad_scores(scores: Sequence[float]) -> list[float]:
    """The first three scores, NaN for those there are not."""
    return [*scores[:MOST], *[float("nan")] * (MOST - len(scores))]


def score_statistics(rankings: Iterable[Sequence[float]]) -> ScoreStatistics:
    """The means and deviations of the first scores and their ratios, over main questions that have them."""
    first, second, third = [], [], []
    for scores in rankings:
        if scores:
            first.append(scores[0])
        if len(scores) > 1 and scores[0] > 0:
            second.append(scores[1] / scores[0])
        if len(scores) > 2 and scores[1] > 0:
            third.append(scores[2] / scores[1])
    return ScoreStatistics(_told(first), _told(second), _told(third))


def _told(values: Sequence[float]) -> MeanAndDeviation:
    if not values:
        return MeanAndDeviation(None, None, 0)
    return MeanAndDeviation(round(float(np.mean(values)), 6), round(float(np.std(values)), 6), len(values))


def auto_thresholds(statistics: ScoreStatistics) -> Thresholds:
    """A first estimate from mean and deviation.

    The paper takes "avg ± std" without saying which end of which. Its tuned values, 0.60, 0.58 and 0.41, lie above the
    first mean plus its deviation (0.53), at the second mean (0.61), and below the third mean less its deviation (0.52).
    So these are the three ends taken here: mean + deviation, mean, mean - deviation.
    """
    first, second, third = statistics.score1, statistics.score2_over_score1, statistics.score3_over_score2
    s1 = (first.mean or 0.0) + (first.deviation or 0.0)
    s3 = (third.mean or 0.0) - (third.deviation or 0.0)
    return _share(s1), _share(second.mean or 0.0), _share(s3)


def _share(value: float) -> float:
    return round(min(max(value, 0.0), 1.0), 4)


def count_appended(rankings: Iterable[Sequence[float]], thresholds: Thresholds) -> dict[int, int]:
    """Table 6: how many main questions get 0, 1, 2 and 3 basic ones."""
    counted = Counter(appended(scores, thresholds) for scores in rankings)
    return {number: counted[number] for number in range(MOST + 1)}
