"""AUROC of two runs over the same pairs: it follows from scores, so it is drawn anew for every image resample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from falter.measures.auroc import AUROC, auroc
from falter.measures.comparison import Comparison
from falter.measures.matching import MatchedPairs, auroc_draws, mean_of_known, split
from falter.measures.score import Group
from falter.measures.scoring import Settings
from falter.measures.signature import signature
from falter.measures.statistics import Interval, percentile_interval

__all__ = ["areas_compared"]

Rows = npt.NDArray[np.int64]


def areas_compared(
    matched: tuple[MatchedPairs, MatchedPairs], tests: Sequence[Rows], group: Group, settings: Settings
) -> Iterator[Comparison]:
    """The area of both runs over the pairs of a test, or the mean over several; images are drawn alike for all."""
    kept = [members[matched[0].kept[members] & matched[1].kept[members]] for members in tests]
    kept = [members for members in kept if len(members)]
    if not kept:
        return
    seed, draws, rule, extra = settings
    samples = [part for one in matched for part in split(one.of(np.concatenate(kept)), [len(each) for each in kept])]
    areas = np.array([auroc(one.captions, one.foils) for one in samples], dtype=np.float64).reshape(2, len(kept))
    first, second = (float(value) for value in areas.mean(axis=1))
    interval = Interval(None, None)
    if draws and max(int(one.cluster.max()) for one in samples) > 0:
        names = (group.suite, group.test, group.facet, group.value, "compare")
        drawn = auroc_draws(samples, seed=seed, draws=draws, names=names)
        means = [mean_of_known(drawn[place : place + len(kept)].T) for place in (0, len(kept))]
        interval = percentile_interval(means[1] - means[0])
    n = 2 * sum(len(members) for members in kept)
    yield Comparison(
        measure=AUROC.name,
        group=group,
        first=first,
        second=second,
        difference=second - first,
        low=interval.low,
        high=interval.high,
        n=n,
        signature=signature(group, n=n, seed=seed, rule=rule, draws=draws, extra=(*extra, "pairs:kept-by-both")),
    )
