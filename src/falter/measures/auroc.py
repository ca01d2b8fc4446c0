"""The area under the ROC curve: how well scores part captions from foils at any threshold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falter.measures.foils import MATCHES, PREFERENCE
from falter.measures.rankings import RankingMeasure

__all__ = ["AUROC", "Sample", "auroc", "auroc_of_draws"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.integer]

_WEIGHTS_AT_ONCE = 1 << 17
"""So many numbers stay in the processor's cache from one step to the next."""

AUROC = RankingMeasure(
    name="auroc",
    title="AUROC",
    meaning=(
        "The area under the ROC curve, as a share: how likely a caption drawn at random scores above a foil drawn at "
        "random, over all captions and foils of the test, ties counting half. It is computed exactly, needs no "
        "threshold and takes any kind of score. An unparsed reply counts as the worst there can be."
    ),
    tasks=MATCHES,
    expects=PREFERENCE,
)


class Sample(NamedTuple):
    """Pairs to be ranked: the scores of captions and foils, and the cluster that each pair is drawn with."""

    captions: Floats
    foils: Floats
    cluster: Codes

    def take(self, members: Codes) -> Sample:
        """Some of the pairs."""
        return Sample(self.captions[members], self.foils[members], self.cluster[members])


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


def auroc_of_draws(samples: Sequence[Sample], weights: Iterable[Floats]) -> Floats:
    """The areas of samples in every draw of the clusters, a row a sample; NaN in a draw that holds none of its pairs.

    ``weights`` are blocks with a row a draw and a column a cluster: how often the cluster was drawn. Foils are sorted
    once; in each draw the weight of those below a caption is a running sum, read off at the caption's place.
    """
    prepared = [_Sorted.of(sample) for sample in samples]
    blocks = [np.stack([one.areas(block) for one in prepared]) for block in weights]
    return np.concatenate(blocks, axis=1) if blocks else np.zeros((len(samples), 0))


class _Sorted(NamedTuple):
    """A sample with its foils in order, and of each caption how many foils are below it."""

    of_caption: Codes
    of_foil: Codes
    below: Codes
    tied: Codes
    """Captions that equal a foil."""
    not_above: Codes
    """Of these how many foils are below or equal."""

    @classmethod
    def of(cls, sample: Sample) -> _Sorted:
        order = np.argsort(sample.foils, kind="stable")
        ordered = sample.foils[order]
        below = np.searchsorted(ordered, sample.captions, "left")
        not_above = np.searchsorted(ordered, sample.captions, "right")
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


def draw_clusters(rng: np.random.Generator, clusters: int, draws: int, texts: int) -> Iterator[Floats]:
    """Blocks of draws: how often each of the clusters is taken when as many are taken as there are."""
    at_once = max(1, _WEIGHTS_AT_ONCE // max(clusters, texts, 1))
    for start in range(0, draws, at_once):
        block = np.empty((min(at_once, draws - start), clusters))
        for row in block:
            row[:] = np.bincount(rng.integers(0, clusters, size=clusters), minlength=clusters)
        yield block
