"""A measure as the unweighted mean of its values in several tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falter.measures.cells import Cells, Floats, SetCells
from falter.measures.interning import Codes
from falter.measures.measure import Measure, Tally

__all__ = ["mean_tally"]


def mean_tally(measure: Measure, cells: Cells | SetCells, test: Codes) -> Tally | None:
    """The mean over tests; ``test`` is that of each cell. None where the measure has nothing to say in any of them."""
    tallies: list[Tally] = []
    columns: list[Floats] = []
    for one in np.unique(test):
        own = np.flatnonzero(test == one)
        tally = measure.tally(cells.take(own))
        if tally is not None:
            adds = np.zeros((len(test), tally.adds.shape[1]))
            adds[own] = tally.adds
            tallies.append(tally)
            columns.append(adds)
    return _mean_of(tallies, np.concatenate(columns, axis=1)) if tallies else None


def _mean_of(tallies: Sequence[Tally], adds: Floats) -> Tally:
    """The mean of several tallies' values where they have one; ``adds`` are theirs side by side."""
    ends = np.cumsum([tally.adds.shape[1] for tally in tallies])
    parts = [slice(int(end) - tally.adds.shape[1], int(end)) for tally, end in zip(tallies, ends, strict=True)]

    def value(sums: Floats) -> Floats:
        values = np.stack([tally.value(sums[..., part]) for tally, part in zip(tallies, parts, strict=True)], axis=-1)
        known = ~np.isnan(values)
        number, total = known.sum(axis=-1), np.where(known, values, 0.0).sum(axis=-1)
        return np.asarray(np.divide(total, number, out=np.full(np.shape(total), np.nan), where=number > 0))

    def size(sums: Floats) -> Floats:
        sizes = [tally.size(sums[..., part]) for tally, part in zip(tallies, parts, strict=True)]
        return np.asarray(np.sum(sizes, axis=0))

    return Tally(adds, value, size)
