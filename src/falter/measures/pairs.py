"""Graded items as pairs of an original and a variant, and as whole sets, each with the number of its cell."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from falter.measures.cells import ORDERS, Cells, SetCells, Side
from falter.measures.grading import Graded
from falter.measures.interning import NONE, Codes, code_rows
from falter.measures.loading import Interned
from falter.measures.match_replies import order_of

__all__ = ["Pairs", "Rows", "Sets", "pairs_of", "sets_of"]

Rows = npt.NDArray[np.int64]

_MOST_KEYS = 1 << 20


@dataclass(frozen=True)
class Pairs:
    """One entry a pair; its cell tells also which test it is of.

    Counting needs the keys alone; rows, images and the cell of every pair are computed when they are asked for.
    """

    interned: Interned
    key: Rows
    found: Rows
    """The keys that occur, one a cell."""
    number: Rows
    """How many pairs are in each cell."""
    cells: Cells
    test: Codes
    """The test of each cell, as a number."""
    tests: list[tuple[str, str]]

    def __len__(self) -> int:
        return len(self.key)

    @cached_property
    def cell(self) -> Codes:
        """The cell of each pair."""
        if not len(self.found):
            return np.zeros(0, dtype=np.int32)
        top = int(self.found[-1]) + 1
        if top <= max(_MOST_KEYS, len(self.key)):
            table = np.zeros(top, dtype=np.int32)
            table[self.found] = np.arange(len(self.found), dtype=np.int32)
            return table[self.key]
        return np.searchsorted(self.found, self.key).astype(np.int32)

    @cached_property
    def variant(self) -> Rows:
        """The row of each pair's variant among the items."""
        return np.flatnonzero(self.interned.variant > 0)

    @cached_property
    def original(self) -> Rows:
        """The row of each pair's original among the items."""
        return _originals(self.interned)[self.variant]

    @cached_property
    def _clusters(self) -> tuple[Codes, int]:
        image = self.interned.image[self.original]
        alone = np.flatnonzero(image == NONE)
        known = len(self.interned.images)
        if not len(alone):
            return image, known
        probes, code = np.unique(self.original[alone], return_inverse=True)
        image[alone] = known + code
        return image, known + len(probes)

    @property
    def cluster(self) -> Codes:
        """The image of each pair; a probe without one is a cluster of its own."""
        return self._clusters[0]

    @property
    def clusters(self) -> int:
        """How many clusters there may be."""
        return self._clusters[1]


@dataclass(frozen=True)
class Sets:
    """One entry a probe; ``original`` is its row among the items."""

    original: Rows
    cluster: Codes
    clusters: int
    cell: Codes
    cells: SetCells
    test: Codes
    """The test of each cell, as a number."""

    def __len__(self) -> int:
        return len(self.original)


def pairs_of(graded: Graded) -> Pairs:
    """The pairs of every probe: a probe with V variants makes V of them."""
    interned = graded.interned
    original, variant = _rows(interned)
    states = len(graded.states.kind)
    key = interned.what[variant].astype(np.int64)
    orders = 1 if interned.match is None else len(ORDERS)
    if interned.match is not None:
        to_match = np.array([one.task == "match" for one in interned.whats])[interned.what[variant]]
        key *= orders
        key += np.where(to_match, order_of(interned.ranks(original), interned.ranks(variant)), 0)
    key *= 2
    key += interned.reply[original] == interned.reply[variant]
    for rows in (original, variant):
        key *= states
        key += graded.state[rows]
    top = 2 * orders * max(len(interned.whats), 1) * max(states, 1) ** 2
    if top <= _MOST_KEYS:
        counted = np.bincount(key, minlength=top)
        found = np.flatnonzero(counted)
        number = counted[found]
    else:
        found, number = np.unique(key, return_counts=True)
    what = found // states**2 // 2 // orders if states else found
    cells = _cells(interned, graded.states, found, what, orders)
    tests = sorted({(one.suite, one.test) for one in interned.whats})
    place = np.array([tests.index((one.suite, one.test)) for one in interned.whats], dtype=np.int32)
    return Pairs(interned, key, found, number.astype(np.int64), cells, place[what], tests)


def _cells(interned: Interned, states: Side, found: Rows, what: Rows, orders: int) -> Cells:
    size = max(len(states.kind), 1)
    original, variant = states.take(found // size % size), states.take(found % size)
    return Cells(
        task=np.array([one.task for one in interned.whats], dtype=np.str_)[what],
        expects=np.array([one.expects for one in interned.whats], dtype=np.str_)[what],
        # Replies with one number are the same answer only if they are answers.
        same=(found // size**2 % 2).astype(bool) & original.parsed & variant.parsed,
        original=original,
        variant=variant,
        order=found // size**2 // 2 % orders,
    )


def _originals(interned: Interned) -> Rows:
    number = np.arange(len(interned), dtype=np.int64)
    number[interned.variant > 0] = 0
    return np.maximum.accumulate(number) if len(number) else number


def _rows(interned: Interned) -> tuple[slice | Rows, slice | Rows]:
    """The rows of originals and variants; where every probe has one variant they simply take turns."""
    variant = interned.variant
    if len(variant) and not len(variant) % 2 and not variant[::2].any() and (variant[1::2] == 1).all():
        return slice(0, None, 2), slice(1, None, 2)
    rows = np.flatnonzero(variant > 0)
    return _originals(interned)[rows], rows


def sets_of(pairs: Pairs) -> Sets:
    """Every probe that has a variant, as one set; it is kept when every reply was had."""
    of_pair = pairs.original
    begins = np.flatnonzero(np.append(True, of_pair[1:] != of_pair[:-1])) if len(pairs) else of_pair
    several = np.diff(np.append(begins, len(pairs))) > 1
    cells = pairs.cells

    def all_of(flag: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
        by_pair = flag[pairs.cell]
        joined = np.logical_and.reduceat(by_pair, begins) if len(begins) else by_pair[:0]
        return joined.astype(np.uint8)

    kept = all_of(cells.kept)
    outcome = kept + np.uint8(2) * (kept & all_of(cells.both_right)) + np.uint8(4) * (kept & all_of(cells.consistent))
    # Task, expectation and test are those of the first pair's cell, which stands for them in the key.
    example, which = _kinds_of_cells(pairs)
    cell, rows = code_rows([which[pairs.cell[begins]], outcome, several.astype(np.uint8)])
    of_kind = example[rows[:, 0]]
    return Sets(
        of_pair[begins],
        pairs.cluster[begins],
        pairs.clusters,
        cell,
        SetCells(
            task=cells.task[of_kind],
            expects=cells.expects[of_kind],
            kept=(rows[:, 1] & 1).astype(bool),
            all_right=(rows[:, 1] & 2).astype(bool),
            all_consistent=(rows[:, 1] & 4).astype(bool),
            several=rows[:, 2].astype(bool),
        ),
        pairs.test[of_kind],
    )


def _kinds_of_cells(pairs: Pairs) -> tuple[Rows, Codes]:
    """One cell of each kind (test, task and expectation), and the kind of each cell."""
    kinds = np.stack([pairs.test.astype(np.str_), pairs.cells.task, pairs.cells.expects])
    _, example, which = np.unique(kinds, axis=1, return_index=True, return_inverse=True)
    return example, which.ravel().astype(np.int32)
