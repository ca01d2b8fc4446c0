"""How often each cell occurs in each image of each group: all that scores and intervals need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from falter.measures.cells import Floats
from falter.measures.interning import Codes

__all__ = ["Counted", "count_by_cluster"]

Integers = npt.NDArray[np.int64]

_MOST_BINS = 1 << 27


@dataclass(frozen=True, slots=True)
class Counted:
    """One group: ``number[i]`` units of ``cluster[i]`` (0 upwards) are in ``cell[i]``."""

    clusters: int
    cluster: Integers
    cell: Integers
    number: Integers

    def cells(self) -> Integers:
        """The cells that occur."""
        return np.unique(self.cell)

    def totals(self, cells: int) -> Integers:
        """How often each of ``cells`` cells occurs over all clusters."""
        return np.bincount(self.cell, weights=self.number, minlength=cells).astype(np.int64)

    def sums(self, cells: Integers, adds: Floats) -> Floats:
        """By cluster, the sum of what its units add; ``adds`` has a row for each of ``cells`` (sorted)."""
        place = np.searchsorted(cells, self.cell)
        place[place == len(cells)] = 0
        own = np.flatnonzero(cells[place] == self.cell) if len(cells) else np.zeros(0, dtype=np.int64)
        rows, place, number = self.cluster[own], place[own], self.number[own]
        return np.stack(
            [np.bincount(rows, weights=number * column[place], minlength=self.clusters) for column in adds.T],
            axis=1,
        )


def count_by_cluster(
    group: Codes, cluster: Codes, cell: Codes, *, groups: int, clusters: int, cells: int
) -> Iterator[tuple[int, Counted]]:
    """For every group that occurs its counts; a unit whose group is negative belongs to none."""
    if len(group) and int(group.min()) < 0:
        member = group >= 0
        group, cluster, cell = group[member], cluster[member], cell[member]
    bins = groups * clusters * cells
    key = (group.astype(np.int64) * clusters + cluster) * cells + cell
    if bins <= min(_MOST_BINS, 16 * max(len(key), 1)):
        binned = np.bincount(key, minlength=bins)
        found = np.flatnonzero(binned)
        number = binned[found]
    else:
        found, number = np.unique(key, return_counts=True)
    group_of = found // (clusters * cells) if len(found) else found
    for one in range(groups):
        start, stop = np.searchsorted(group_of, [one, one + 1])
        if start == stop:
            continue
        own = found[start:stop]
        images, image = np.unique(own // cells % clusters, return_inverse=True)
        yield one, Counted(len(images), image, own % cells, number[start:stop].astype(np.int64))
