"""The area under the ROC curve, exactly, and in every resample of clusters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falter.measures.statistics.bootstrap import Sample

__all__ = ["RocArea", "auroc"]

Floats = npt.NDArray[np.float64]
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
