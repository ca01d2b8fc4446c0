"""The area under the ROC curve: how well scores part captions from foils at any threshold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falter.measures.foils import MATCHES, PREFERENCE
from falter.measures.rankings import RankingMeasure

__all__ = ["AUROC", "Sample", "auroc", "auroc_of_draws"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.integer]

_WEIGHTS_AT_ONCE = 1 << 21

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


def auroc_of_draws(sample: Sample, weights: Iterator[Floats]) -> Floats:
    """The area in every draw of the clusters; NaN in a draw that holds none of the pairs.

    ``weights`` are blocks with a row a draw and a column a cluster: how often the cluster was drawn. Texts are sorted
    once; in each draw the weight of the foils below every caption is a running sum.
    """
    size = len(sample.captions)
    scores = np.concatenate([sample.captions, sample.foils])
    _, place = np.unique(scores, return_inverse=True)
    place = place.ravel()
    order = np.argsort(place, kind="stable")
    begins = np.flatnonzero(np.diff(place[order], prepend=-1))
    cluster = np.concatenate([sample.cluster, sample.cluster])[order]
    is_foil = order >= size
    found = []
    for block in weights:
        drawn = block[:, cluster]
        foils = np.add.reduceat(drawn * is_foil, begins, axis=1)
        captions = np.add.reduceat(drawn * ~is_foil, begins, axis=1)
        below = np.cumsum(foils, axis=1) - foils
        above = (captions * (below + foils / 2)).sum(axis=1)
        whole = captions.sum(axis=1) * foils.sum(axis=1)
        found.append(np.divide(above, whole, out=np.full(len(above), np.nan), where=whole > 0))
    return np.concatenate(found) if found else np.zeros(0)


def draw_clusters(rng: np.random.Generator, clusters: int, draws: int, texts: int) -> Iterator[Floats]:
    """Blocks of draws: how often each of the clusters is taken when as many are taken as there are."""
    at_once = max(1, _WEIGHTS_AT_ONCE // max(clusters, texts, 1))
    for start in range(0, draws, at_once):
        block = np.empty((min(at_once, draws - start), clusters))
        for row in block:
            row[:] = np.bincount(rng.integers(0, clusters, size=clusters), minlength=clusters)
        yield block
