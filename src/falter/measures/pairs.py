"""Graded items as pairs of an original and a variant, and as whole sets, each with the number of its cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from falter.measures.cells import EXPECTS, Cells, SetCells, Side, class_code
from falter.measures.grading import Graded
from falter.measures.interning import NONE, Codes, code_rows
from falter.measures.loading import TASKS, Interned

__all__ = ["Pairs", "Sets", "pairs_of", "sets_of"]

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pairs:
    """One entry a pair; ``original`` and ``variant`` are rows of the items."""

    original: Rows
    variant: Rows
    test: Codes
    cluster: Codes
    """The image; a probe without one is a cluster of its own."""
    clusters: int
    cell: Codes
    cells: Cells

    def __len__(self) -> int:
        return len(self.original)


@dataclass(frozen=True, slots=True)
class Sets:
    """One entry a probe; ``original`` is its row among the items."""

    original: Rows
    test: Codes
    cluster: Codes
    clusters: int
    cell: Codes
    cells: SetCells

    def __len__(self) -> int:
        return len(self.original)


def pairs_of(graded: Graded) -> Pairs:
    """The pairs of every probe: a probe with V variants makes V of them."""
    interned = graded.interned
    original, variant = _rows(interned)
    state, states = _states(graded)
    answer = interned.answer[original]
    same = (answer == interned.answer[variant]) & (answer != NONE)
    expects, task = interned.expects[variant], interned.task[variant]
    cell, rows = code_rows(
        [
            task * np.uint8(len(EXPECTS) * 2) + expects * np.uint8(2) + same.astype(np.uint8),
            state[original],
            state[variant],
        ]
    )
    cluster, clusters = _clusters(interned, original)
    what = rows[:, 0]
    cells = Cells(
        task=np.array(TASKS)[what // (2 * len(EXPECTS))],
        expects=np.array(EXPECTS)[what // 2 % len(EXPECTS)],
        same=(what % 2).astype(bool),
        original=states.take(rows[:, 1]),
        variant=states.take(rows[:, 2]),
    )
    return Pairs(original, variant, interned.test[variant], cluster, clusters, cell, cells)


def sets_of(interned: Interned, pairs: Pairs) -> Sets:
    """Every probe that has a variant, as one set; it is kept when every reply was had."""
    if not len(pairs):
        begins = np.zeros(0, dtype=np.int64)
    else:
        begins = np.flatnonzero(np.append(True, pairs.original[1:] != pairs.original[:-1]))
    original = pairs.original[begins]
    several = np.diff(np.append(begins, len(pairs))) > 1

    def all_of(flag: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
        by_pair = flag[pairs.cell]
        joined = np.logical_and.reduceat(by_pair, begins) if len(begins) else by_pair[:0]
        return joined.astype(np.uint8)

    cells = pairs.cells
    kept = all_of(cells.kept)
    cell, rows = code_rows(
        [
            interned.task[original] * np.uint8(len(EXPECTS)) + interned.expects[pairs.variant[begins]],
            kept + np.uint8(2) * (kept & all_of(cells.both_right)) + np.uint8(4) * (kept & all_of(cells.consistent)),
            several.astype(np.uint8),
        ]
    )
    return Sets(
        original,
        pairs.test[begins],
        pairs.cluster[begins],
        pairs.clusters,
        cell,
        SetCells(
            task=np.array(TASKS)[rows[:, 0] // len(EXPECTS)],
            expects=np.array(EXPECTS)[rows[:, 0] % len(EXPECTS)],
            kept=(rows[:, 1] & 1).astype(bool),
            all_right=(rows[:, 1] & 2).astype(bool),
            all_consistent=(rows[:, 1] & 4).astype(bool),
            several=rows[:, 2].astype(bool),
        ),
    )


def _rows(interned: Interned) -> tuple[Rows, Rows]:
    number = np.arange(len(interned), dtype=np.int64)
    of_original = np.maximum.accumulate(np.where(interned.variant == 0, number, 0)) if len(interned) else number
    variant = np.flatnonzero(interned.variant > 0)
    return of_original[variant], variant


def _states(graded: Graded) -> tuple[Codes, Side]:
    """What became of each item, as the number of one of a few states, and the states."""
    flags = (
        graded.yes.astype(np.uint8)
        + np.uint8(2) * graded.first
        + np.uint8(4) * graded.yes_no
        + np.uint8(8) * graded.asked_people
    )
    state, rows = code_rows([graded.kind + np.uint8(8) * flags, graded.credit, graded.interned.choices.lengths])
    flag = rows[:, 0] // 8
    return state, Side(
        kind=rows[:, 0] % 8,
        yes=(flag & 1).astype(bool),
        first=(flag & 2).astype(bool),
        credit=graded.credits[rows[:, 1]] if len(rows) else np.zeros(0),
        choices=rows[:, 2],
        yes_no=(flag & 4).astype(bool),
        asked_people=(flag & 8).astype(bool),
    )


def _clusters(interned: Interned, original: Rows) -> tuple[Codes, int]:
    image = interned.image[original]
    alone = np.flatnonzero(image == NONE)
    known = len(interned.images)
    if not len(alone):
        return image, known
    probes, code = np.unique(original[alone], return_inverse=True)
    image = image.copy()
    image[alone] = known + code
    return image, known + len(probes)


assert class_code("unsupported") < 8, "the class is packed into three bits"
