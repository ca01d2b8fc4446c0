"""Bootstrap over clusters, drawn from sums: no row is ever resampled; and the area under the ROC curve.

The area is exact, and computed in every resample of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falter.core.files import sha256_of_bytes

Floats = npt.NDArray[np.float64]

_COUNTS_AT_ONCE = 1 << 22
_DRAWN_TOGETHER = 1 << 14
"""Resamples of few clusters are drawn in one call, up to this many clusters; the same numbers are drawn one by one."""
_WIDEST_PACKING = 1 << 22
_DRAWING_A_TYPE = 40
"""Drawing how often one type occurs costs about as much as drawing this many clusters, shared by all blocks."""


class Interval(NamedTuple):
    """The ends of an interval, None where none can be had."""

    low: float | None
    high: float | None


class Sample(NamedTuple):
    """Rows to measure: the values of the expressions by row, a column each, and the cluster each row is drawn with."""

    columns: Floats
    cluster: npt.NDArray[np.integer]

    def take(self, rows: npt.NDArray[np.integer]) -> Sample:
        """Some of the rows."""
        return Sample(self.columns[rows], self.cluster[rows])

    def sums(self) -> Floats:
        """The sums of the columns by cluster."""
        return np.stack([np.bincount(self.cluster, weights=column) for column in self.columns.T], axis=1).astype(
            np.float64
        )


def generator(seed: int, *names: object) -> np.random.Generator:
    """A generator that depends on the seed and the names alone, not on what else is computed."""
    digest = sha256_of_bytes(repr((seed, *names)).encode())
    return np.random.default_rng(int(digest[:32], 16))


def distinct_rows(sums: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The distinct rows, and how many clusters have each: few, where a cluster holds few pairs."""
    if not len(sums):
        return sums, np.zeros(0, dtype=np.int64)
    packed = _pack(sums)
    if packed is None:
        rows, multiplicity = np.unique(sums, axis=0, return_counts=True)
        return rows, multiplicity.astype(np.int64)
    counted = np.bincount(packed)
    found = np.flatnonzero(counted)
    where = np.zeros(len(counted), dtype=np.int64)
    where[packed] = np.arange(len(packed))
    return sums[where[found]], counted[found].astype(np.int64)


def _pack(sums: Floats) -> npt.NDArray[np.int64] | None:
    """One number a row, where the rows are whole numbers of a small range."""
    key = np.zeros(len(sums), dtype=np.int64)
    width = 1
    for column in sums.T:
        low, high = column.min(), column.max()
        top = int(high - low) + 1
        width *= top
        whole = column.astype(np.int64)
        if width > _WIDEST_PACKING or not np.array_equal(whole, column):
            return None
        key = key * top + (whole - int(low))
    return key


def bootstrap_sums(
    blocks: Mapping[str, Floats], *, n_resamples: int, seed: int, names: tuple[object, ...] = ()
) -> dict[str, Floats]:
    """The sums of ``n_resamples`` resamples of the clusters, for several blocks of columns over the same clusters.

    A block has a row a cluster. A resample takes as many clusters as there are, with replacement. The rows of a block
    are first reduced to distinct types; how often each type is drawn is multinomial. Blocks whose clusters nearly all
    differ share one drawing of the clusters themselves. What a block gets depends on its own rows, its name, the seed
    and ``names``, not on the blocks beside it.
    """
    totals: dict[str, Floats] = {}
    one_by_one: list[str] = []
    for name, sums in blocks.items():
        rows, multiplicity = distinct_rows(sums)
        if len(rows) * _DRAWING_A_TYPE <= len(sums) or len(sums) <= 1:
            totals[name] = _draw_types(generator(seed, *names, name), rows, multiplicity, n_resamples)
        else:
            one_by_one.append(name)
    if one_by_one:
        together = np.concatenate([blocks[name] for name in one_by_one], axis=1)
        drawn = _sum_draws(generator(seed, *names), together, n_resamples)
        ends = np.cumsum([blocks[name].shape[1] for name in one_by_one])
        totals |= dict(zip(one_by_one, np.split(drawn, ends[:-1], axis=1), strict=True))
    return totals


def _draw_types(
    rng: np.random.Generator, rows: Floats, multiplicity: npt.NDArray[np.int64], n_resamples: int
) -> Floats:
    clusters = int(multiplicity.sum())
    if clusters == 0:
        return np.zeros((n_resamples, rows.shape[1]))
    drawn = rng.multinomial(clusters, multiplicity / clusters, size=n_resamples)
    return np.asarray(drawn.astype(np.float64) @ rows)


def _sum_draws(rng: np.random.Generator, sums: Floats, n_resamples: int) -> Floats:
    at_once = max(1, min(n_resamples, _COUNTS_AT_ONCE // len(sums)))
    return np.concatenate([block @ sums for block in draw_clusters(rng, len(sums), n_resamples, at_once)])


def draw_clusters(rng: np.random.Generator, clusters: int, n_resamples: int, at_once: int) -> Iterator[Floats]:
    """Blocks of resamples: how often each of the clusters is taken when as many are taken as there are."""
    together = max(1, _DRAWN_TOGETHER // clusters)
    for start in range(0, n_resamples, at_once):
        block = np.empty((min(at_once, n_resamples - start), clusters))
        for first in range(0, len(block), together):
            rows = block[first : first + together]
            taken = rng.integers(0, clusters, size=rows.shape)
            taken += np.arange(len(rows))[:, None] * clusters
            rows[:] = np.bincount(taken.ravel(), minlength=rows.size).reshape(rows.shape)
        yield block


def percentile_interval(values: Floats, level: float = 0.95) -> Interval:
    """The middle 95 % of the drawn values; draws in which nothing was measured are passed over.

    Without any draw there is no interval.
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return Interval(None, None)
    tail = (1 - level) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return Interval(float(low), float(high))


Codes = npt.NDArray[np.integer]


def auroc(captions: Floats, foils: Floats) -> float | None:
    """The exact area, None where either side is empty.

    >>> import numpy as np
    >>> auroc(np.array([3.0, 1.0]), np.array([2.0, 1.0]))
    0.625
    """
    if not len(captions) or not len(foils):
        return None
    ordered = np.sort(foils)
    # A foil below counts twice and an equal one once, so that everything stays a whole number.
    above = np.searchsorted(ordered, captions, "left") + np.searchsorted(ordered, captions, "right")
    return int(above.sum()) / (2 * len(captions) * len(foils))


class RocArea:
    """AUROC over rows of two columns: what should score high, and what should score low."""

    def value(self, columns: Floats) -> float | None:
        """The exact area."""
        return auroc(columns[:, 0], columns[:, 1])

    def count(self, rows: int) -> int:
        """Texts: two per row."""
        return 2 * rows

    def resample(self, samples: Sequence[Sample], weights: Iterable[Floats]) -> Floats:
        """The areas in every resample, one row per sample; NaN in a resample that holds none of its rows.

        ``weights`` are blocks with a row per resample and a column per cluster: how often the cluster was drawn. Foils
        are sorted once; in each resample the weight of those below a caption is a running sum, read at the caption.
        """
        prepared = [_Sorted.from_sample(sample) for sample in samples]
        blocks = [np.stack([one.areas(block) for one in prepared]) for block in weights]
        return np.concatenate(blocks, axis=1) if blocks else np.zeros((len(samples), 0))


class _Sorted(NamedTuple):
    """A sample with its foils sorted, and for each caption how many of them are below it."""

    of_caption: Codes
    of_foil: Codes
    below: Codes
    tied: Codes
    """Captions that equal a foil."""
    not_above: Codes
    """Of these how many foils are below or equal."""

    @classmethod
    def from_sample(cls, sample: Sample) -> _Sorted:
        captions, foils = sample.columns[:, 0], sample.columns[:, 1]
        order = np.argsort(foils, kind="stable")
        ordered = foils[order]
        below = np.searchsorted(ordered, captions, "left")
        not_above = np.searchsorted(ordered, captions, "right")
        tied = np.flatnonzero(below != not_above)
        return cls(sample.cluster, sample.cluster[order], below, tied, not_above[tied])

    def areas(self, block: Floats) -> Floats:
        captions = block[:, self.of_caption]
        running = np.zeros((len(block), len(self.of_foil) + 1))
        np.cumsum(block[:, self.of_foil], axis=1, out=running[:, 1:])
        above = np.einsum("dc,dc->d", captions, running[:, self.below])
        if len(self.tied):
            equal = running[:, self.not_above] - running[:, self.below[self.tied]]
            above += np.einsum("dc,dc->d", captions[:, self.tied], equal) / 2
        whole = captions.sum(axis=1) * running[:, -1]
        return np.asarray(np.divide(above, whole, out=np.full(len(above), np.nan), where=whole > 0))
