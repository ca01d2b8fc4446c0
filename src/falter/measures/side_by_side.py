"""Several runs of one suite over the pairs that all of them have kept, images drawn alike for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falter.measures.catalogue import MEASURES
from falter.measures.cells import Cells, Floats
from falter.measures.counting import Counted, count_by_cluster
from falter.measures.grading import grade
from falter.measures.interning import NONE, Codes
from falter.measures.loading import in_probes, intern
from falter.measures.measure import Measure, Tally, ratio_of_sums, second_sum
from falter.measures.pairs import Pairs, pairs_of
from falter.measures.score import Group
from falter.measures.scoring import facets_together, groupings
from falter.measures.shared_items import items_of_runs
from falter.measures.statistics import bootstrap_sums
from falter.measures.subsets import mark
from falter.measures.vqa_accuracy import Rule
from falter.runs import Run

__all__ = ["MEASURED", "Beside", "SideBySide", "runs_side_by_side"]

MEASURED = ("acc_r", "acc", "min_pc_pf", "cons", "c_acc", "vqa_accuracy")
"""The measures of pairs of which more is better."""

Bools = npt.NDArray[np.bool_]


class Beside(NamedTuple):
    """One measure of all runs over the same pairs."""

    measure: str
    group: Group
    values: Floats
    """One for each run."""
    drawn: Floats | None
    """By resample of the images the same; None where no interval can be had."""
    n: int


class SideBySide(NamedTuple):
    """The pairs of several runs; the same items give the same pairs in the same order, whatever was replied."""

    pairs: list[Pairs]
    kept: Bools
    groups: list[tuple[Group, Codes, int]]
    """Tests, and matching tests together: the groups of all pairs, and the number of this one among them."""
    marks: tuple[str, ...]
    """What signatures say of the subset."""

    def compare(self, measures: Sequence[str], *, seed: int, draws: int) -> Iterator[Beside]:
        """Every measure that applies, group by group."""
        for group, of_pair, number in self.groups:
            members = self.kept & (of_pair == number)
            counted = [_counted(pairs, members) for pairs in self.pairs]
            for measure in (MEASURES.get(name) for name in measures):
                found = [_tally(measure, own, pairs.cells) for own, pairs in zip(counted, self.pairs, strict=True)]
                tallies = [one for one in found if one is not None]
                if len(tallies) == len(self.pairs):
                    beside = _beside(measure.name, group, tallies, seed=seed, draws=draws)
                    if beside is not None:
                        yield beside

    def share(self, measure: Measure, group: Group, flag: Bools, *, seed: int, draws: int) -> Beside | None:
        """The share of the pairs that a measure is about that have something, as a measure of one run."""
        of_pair, number = next((codes, place) for name, codes, place in self.groups if name == group)
        pairs = self.pairs[0]
        applies = _applies(measure, pairs.cells, np.arange(len(pairs.cells)))[pairs.cell]
        members = self.kept & (of_pair == number) & applies
        if not members.any():
            return None
        _, cluster = np.unique(pairs.cluster[members], return_inverse=True)
        adds = np.stack([flag[members], np.ones(members.sum())], axis=1).astype(np.float64)
        sums = np.stack([np.bincount(cluster, weights=column) for column in adds.T], axis=1).astype(np.float64)
        tallied = _Tallied(Tally(adds, ratio_of_sums, second_sum), sums)
        return _beside(measure.name, group, [tallied], seed=seed, draws=draws)


def _counted(pairs: Pairs, members: Bools) -> Counted | None:
    of_pair: Codes = np.where(members, 0, NONE).astype(np.int32)
    found = dict(
        count_by_cluster(of_pair, pairs.cluster, pairs.cell, groups=1, clusters=pairs.clusters, cells=len(pairs.cells))
    )
    return found.get(0)


class _Tallied(NamedTuple):
    tally: Tally
    sums: Floats


def runs_side_by_side(runs: Sequence[Run], *, rule: Rule = "vqa-v2", subset: str | None = None) -> SideBySide:
    """Join the replies of several runs to the suite they share."""
    shared = items_of_runs(runs, subset=subset)
    items = in_probes(shared.items, shared.where)
    pairs = [pairs_of(grade(intern(items, replies, shared.where), rule)) for replies in shared.replies]
    kept = np.logical_and.reduce([one.cells.kept[one.cell] for one in pairs])
    groups = [
        (group, grouping.of_pair, number)
        for grouping in groupings(pairs[0], None, {}, facets_together(items))
        for number, group in enumerate(grouping.groups)
        if group.facet is None
    ]
    return SideBySide(pairs, kept, groups, mark(shared.subset))


def _tally(measure: Measure, counted: Counted | None, cells: Cells) -> _Tallied | None:
    if counted is None or measure.unit != "pair":
        return None
    present = counted.cells()
    present = present[_applies(measure, cells, present)]
    tally = measure.tally(cells.take(present)) if len(present) else None
    return None if tally is None else _Tallied(tally, counted.sums(present, tally.adds))


def _applies(measure: Measure, cells: Cells, present: npt.NDArray[np.int64]) -> Bools:
    return np.isin(cells.task[present], list(measure.tasks)) & np.isin(cells.expects[present], list(measure.expects))


def _beside(measure: str, group: Group, tallied: Sequence[_Tallied], *, seed: int, draws: int) -> Beside | None:
    sums = np.concatenate([one.sums for one in tallied], axis=1)
    sums = sums[sums.any(axis=1)]
    total = sums.sum(axis=0)
    ends = np.cumsum([one.sums.shape[1] for one in tallied])
    parts = [slice(int(end) - one.sums.shape[1], int(end)) for one, end in zip(tallied, ends, strict=True)]
    sizes = [int(one.tally.size(total[part])) for one, part in zip(tallied, parts, strict=True)]
    if not all(sizes):
        return None

    def values(every: Floats) -> Floats:
        own = [one.tally.value(every[..., part]) for one, part in zip(tallied, parts, strict=True)]
        return np.stack(own, axis=-1)

    drawn = None
    if draws and len(sums) > 1:
        names = (group.suite, group.test, group.facet, group.value, "side by side")
        drawn = values(bootstrap_sums({measure: sums}, draws=draws, seed=seed, names=names)[measure])
    return Beside(measure, group, values(total), drawn, min(sizes))
