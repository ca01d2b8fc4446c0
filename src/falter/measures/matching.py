"""Scores of matching pairs that follow from what the model scored, not from counts: AUROC and position bias."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falter.measures.auroc import AUROC, Sample, auroc, auroc_of_draws, draw_clusters
from falter.measures.pairs import Pairs
from falter.measures.position import POSITION_BIAS
from falter.measures.score import Group
from falter.measures.statistics import Interval, bootstrap_sums, percentile_interval
from falter.measures.statistics.bootstrap import generator

__all__ = ["Estimated", "MatchedPairs", "auroc_draws", "matched_pairs", "mean_of_known", "split"]

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


class Estimated(NamedTuple):
    """A value with its interval; ``value`` is None where there is nothing to measure."""

    measure: str
    value: float | None
    interval: Interval
    n: int


class MatchedPairs(NamedTuple):
    """The matching pairs of a suite, one entry a pair of the suite; those that do not count are not ``kept``."""

    kept: npt.NDArray[np.bool_]
    sample: Sample
    leans: Floats
    """By pair the sum of the leans of its texts, and how many texts have one."""

    def of(self, members: Rows) -> Sample:
        """The scores of some pairs, their clusters numbered from 0 upwards."""
        return _dense(self.sample.take(members))

    def estimates(self, members: Rows, group: Group, *, seed: int, draws: int) -> Iterator[Estimated]:
        """What the pairs of a group come to."""
        members = members[self.kept[members]]
        names = (group.suite, group.test, group.facet, group.value)
        own = self.of(members)
        interval = Interval(None, None)
        if draws and len(members) and own.cluster.max() > 0:
            interval = percentile_interval(auroc_draws([own], seed=seed, draws=draws, names=names)[0])
        yield Estimated(AUROC.name, auroc(own.captions, own.foils), interval, 2 * len(members))
        yield from self._lean(members, own.cluster, names, seed=seed, draws=draws)

    def mean(self, tests: Sequence[Rows], group: Group, *, seed: int, draws: int) -> Iterator[Estimated]:
        """The unweighted mean of the tests' areas, images drawn once for all of them."""
        tests = [members[self.kept[members]] for members in tests]
        tests = [members for members in tests if len(members)]
        values = [auroc(self.sample.captions[one], self.sample.foils[one]) for one in tests]
        known = [value for value in values if value is not None]
        if not known:
            return
        every = np.concatenate(tests)
        interval = Interval(None, None)
        together = self.of(every)
        if draws and together.cluster.max() > 0:
            names = (group.suite, group.test, group.facet, group.value)
            parts = split(together, [len(one) for one in tests])
            drawn = auroc_draws(parts, seed=seed, draws=draws, names=names)
            interval = percentile_interval(mean_of_known(drawn.T))
        yield Estimated(AUROC.name, float(np.mean(known)), interval, 2 * len(every))

    def _lean(
        self, members: Rows, cluster: npt.NDArray[np.integer], names: tuple[object, ...], *, seed: int, draws: int
    ) -> Iterator[Estimated]:
        leans = self.leans[members]
        asked = leans[:, 1] > 0
        if not asked.any():
            return
        sums = np.stack([np.bincount(cluster, weights=column) for column in leans.T], axis=1).astype(np.float64)
        sums = sums[sums[:, 1] > 0]
        total = sums.sum(axis=0)
        interval = Interval(None, None)
        if draws and len(sums) > 1:
            drawn = bootstrap_sums({POSITION_BIAS.name: sums}, draws=draws, seed=seed, names=names)[POSITION_BIAS.name]
            interval = percentile_interval(drawn[:, 0] / np.maximum(drawn[:, 1], 1))
        yield Estimated(POSITION_BIAS.name, float(total[0] / total[1]), interval, int(total[1]))


def matched_pairs(pairs: Pairs) -> MatchedPairs | None:
    """The matching pairs of a suite, None where it has none."""
    interned, cells = pairs.interned, pairs.cells
    matching = (cells.task == "match") & (cells.expects == "prefer")
    if interned.match is None or not matching.any():
        return None
    captions, foils = interned.ranks(pairs.original), interned.ranks(pairs.variant)
    leans = np.stack([interned.leans(pairs.original), interned.leans(pairs.variant)], axis=1)
    known = ~np.isnan(leans)
    return MatchedPairs(
        (matching & cells.kept)[pairs.cell],
        # What could not be read is as wrong as can be.
        Sample(np.nan_to_num(captions, nan=-np.inf), np.nan_to_num(foils, nan=np.inf), pairs.cluster),
        np.stack([np.where(known, leans, 0.0).sum(axis=1), known.sum(axis=1)], axis=1),
    )


def auroc_draws(samples: Sequence[Sample], *, seed: int, draws: int, names: tuple[object, ...]) -> Floats:
    """The areas of samples in every resample of their images, which are drawn alike for all; a row a sample."""
    clusters = 1 + max(int(one.cluster.max()) for one in samples)
    texts = 2 * max(len(one.captions) for one in samples)
    rng = generator(seed, *names, AUROC.name)
    return auroc_of_draws(samples, draw_clusters(rng, clusters, draws, texts))


def split(sample: Sample, sizes: Sequence[int]) -> list[Sample]:
    """A sample in parts of these sizes, clusters numbered as in the whole."""
    ends = np.cumsum(sizes)
    return [sample.take(np.arange(end - size, end)) for size, end in zip(sizes, ends, strict=True)]


def _dense(sample: Sample) -> Sample:
    """The sample with its clusters numbered from 0 upwards."""
    return sample._replace(cluster=np.unique(sample.cluster, return_inverse=True)[1].ravel())


def mean_of_known(values: Floats) -> Floats:
    """The mean over the last axis of what is not NaN; NaN where nothing is."""
    known = ~np.isnan(values)
    number = known.sum(axis=-1)
    total = np.where(known, values, 0.0).sum(axis=-1)
    return np.asarray(np.divide(total, number, out=np.full(np.shape(total), np.nan), where=number > 0))
