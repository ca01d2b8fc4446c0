"""How often each cell occurs in each cluster of each group: all that scores and intervals need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import polars as pl

from falter.evaluation.measures.outcomes.coding import NONE, Bools, Codes, Floats, Integers
from falter.evaluation.measures.outcomes.expressions import FOILS
from falter.evaluation.measures.outcomes.frame import OutcomeRows
from falter.evaluation.measures.results import Group

MICRO, MACRO = "all", "mean"
"""The names of the micro- and the macro-average over the caption and foil tests of a suite."""

_MOST_BINS = 1 << 27


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Several tests of a suite taken together, as a test of its own name.

    ``pooled`` counts every pair alike, ``mean`` every test. ``tests`` are all that have rows of ``where``, unless they
    are named; a suite with one such test has no summary. It is also broken down by its own ``facets``, and a pooled
    one by those that scores are broken down by. With ``sets``, a pooled one has the measures over sets as well;
    ``measures`` names the only ones that it has. ``always`` keeps a summary of one test, where ``where`` is a part of
    what the test holds.
    """

    name: str
    how: Literal["pooled", "mean"]
    tests: tuple[str, ...] = ()
    where: pl.Expr = FOILS
    facets: tuple[str, ...] = ()
    sets: bool = False
    measures: tuple[str, ...] = ()
    always: bool = False

    def has(self, measure: str) -> bool:
        """Whether it is scored by a measure."""
        return not self.measures or measure in self.measures


class Grouping(NamedTuple):
    """One way to divide rows into groups: by cell the part it is in (-1 for none), within it by a facet's value."""

    groups: list[Group]
    part: Codes
    """By cell."""
    value: Codes | None = None
    """By row; -1 for none."""
    values: int = 1
    summary: Summary | None = None

    @property
    def is_mean(self) -> bool:
        """Whether every group is a mean over tests."""
        return self.summary is not None and self.summary.how == "mean"

    def of_row(self, rows: OutcomeRows) -> Codes:
        """By row the number of its group; -1 for none."""
        part = self.part[rows.cell]
        if self.value is None:
            return part
        return np.where((part == NONE) | (self.value == NONE), NONE, part * self.values + self.value)

    def over_sets(self, pairs: OutcomeRows, sets: OutcomeRows) -> Grouping:
        """The same division of the sets that the pairs belong to."""
        number = np.full(len(pairs.tests), NONE, dtype=np.int32)
        known = self.part != NONE
        number[pairs.test[known]] = self.part[known]
        facet = self.groups[0].facet
        value = None if facet is None else sets.facet_codes(facet)
        return self._replace(part=number[sets.test], value=value)

    def refined(self, rows: OutcomeRows, split: OutcomeRows) -> Grouping:
        """The same division of rows that have been split into more cells."""
        part = np.full(len(split.cells), NONE, dtype=np.int32)
        part[split.cell] = self.part[rows.cell]
        return self._replace(part=part)


def groupings(rows: OutcomeRows, by: Sequence[str] = (), summaries: Sequence[Summary] = ()) -> Iterator[Grouping]:
    """Whole tests, then the summaries, then pooled summaries and tests by each facet."""
    tests = [Group(*name) for name in rows.tests]
    yield Grouping(tests, rows.test)
    averages = (MICRO, MACRO)
    taken = {
        (suite, one.name)
        for suite, test in rows.tests
        for one in summaries
        if test == one.name or (test in averages and one.name in averages)
    }
    summarized = []
    known = [one for one in summaries if set(one.where.meta.root_names()) <= set(rows.cells.columns)]
    about = rows.cells.select(one.where.alias(str(number)) for number, one in enumerate(known))
    for number, summary in enumerate(known):
        grouping = _summarize(rows, summary, about[str(number)].to_numpy(), taken)
        if grouping is not None:
            yield grouping
            summarized.append((summary, grouping))
    for summary, grouping in summarized:
        own = [name for name in summary.facets if name in rows.source.facets]
        for facet in dict.fromkeys((*own, *(by if summary.how == "pooled" else ()))):
            yield _by_facet(rows, grouping, facet)
    for facet in by:
        yield _by_facet(rows, Grouping(tests, rows.test), facet)


def _by_facet(rows: OutcomeRows, whole: Grouping, facet: str) -> Grouping:
    values = rows.source.facet_values(facet)
    groups = [Group(group.suite, group.test, facet, value) for group in whole.groups for value in values]
    return Grouping(groups, whole.part, rows.facet_codes(facet), len(values), whole.summary)


def _summarize(rows: OutcomeRows, summary: Summary, about: Bools, taken: set[tuple[str, str]]) -> Grouping | None:
    number = np.full(len(rows.tests), NONE, dtype=np.int32)
    joined: list[str] = []
    occurring = set(np.unique(rows.test[about]).tolist())
    elsewhere = set(np.unique(rows.test[~about]).tolist())
    for suite in dict.fromkeys(suite for suite, _ in rows.tests):
        own = [
            place
            for place, (of_suite, test) in enumerate(rows.tests)
            if of_suite == suite and place in occurring and (not summary.tests or test in summary.tests)
        ]
        enough = len(own) > 1 or (summary.always and len(own) == 1 and own[0] in elsewhere)
        if enough and (suite, summary.name) not in taken:
            number[own] = len(joined)
            joined.append(suite)
    if not joined:
        return None
    part = np.where(about, number[rows.test], NONE).astype(np.int32)
    return Grouping([Group(suite, summary.name) for suite in joined], part, summary=summary)


@dataclass(frozen=True, slots=True)
class Counted:
    """One group: ``number[i]`` rows of ``cluster[i]`` (0 upwards) are in ``cell[i]``."""

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
        """By cluster, the sum of what its rows add; ``adds`` has a row for each of ``cells`` (sorted)."""
        place = np.searchsorted(cells, self.cell)
        place[place == len(cells)] = 0
        own = np.flatnonzero(cells[place] == self.cell) if len(cells) else np.zeros(0, dtype=np.int64)
        rows, place, number = self.cluster[own], place[own], self.number[own]
        return np.stack(
            [np.bincount(rows, weights=number * column[place], minlength=self.clusters) for column in adds.T],
            axis=1,
        )


@dataclass(frozen=True)
class GroupCounts:
    """The counts of a grouping: of its rows, and of the same rows where a measure splits them into more cells."""

    rows: OutcomeRows
    grouping: Grouping
    included: Bools | None = None
    """By row; None for all rows."""
    clustered: bool = True
    """Else all clusters are counted as one, which suffices where no interval is drawn."""
    _known: dict[int, dict[int, Counted]] = field(default_factory=dict)

    def of(self, rows: OutcomeRows) -> dict[int, Counted]:
        """For every group that occurs its counts."""
        if id(rows) not in self._known:
            grouping = self.grouping if rows is self.rows else self.grouping.refined(self.rows, rows)
            # Which value a facet has follows from no cell.
            by_cluster = self.clustered or grouping.value is not None
            self._known[id(rows)] = (
                _count_by_cluster(rows, grouping, self.included) if by_cluster else _count(rows, grouping)
            )
        return self._known[id(rows)]


def _count(rows: OutcomeRows, grouping: Grouping) -> dict[int, Counted]:
    parts = {number: np.flatnonzero(grouping.part == number) for number in range(len(grouping.groups))}
    return {
        number: Counted(1, np.zeros(len(cell), dtype=np.int64), cell, rows.number[cell])
        for number, cell in parts.items()
        if len(cell)
    }


def _count_by_cluster(rows: OutcomeRows, grouping: Grouping, included: Bools | None) -> dict[int, Counted]:
    """Which part a row belongs to follows from its cell: values, clusters and cells are all there is to count."""
    cells, clusters = len(rows.cells), rows.clusters
    key = rows.cluster.astype(np.int64)
    member = included
    if grouping.value is not None:
        known = grouping.value >= 0
        key += grouping.value * np.int64(clusters)
        member = known if member is None else known & member
    key *= cells
    key += rows.cell
    if member is not None:
        key = key[member]
    bins = grouping.values * clusters * cells
    if bins <= min(_MOST_BINS, 16 * max(len(key), 1)):
        binned = np.bincount(key, minlength=bins)
        found = np.flatnonzero(binned)
        number = binned[found]
    else:
        found, number = np.unique(key, return_counts=True)
    cell = found % cells if cells else found
    rest = found // cells if cells else found
    group = grouping.part[cell].astype(np.int64)
    belongs = group >= 0
    group *= grouping.values
    group += rest // clusters if clusters else rest
    order = np.argsort(np.where(belongs, group, len(grouping.groups)), kind="stable")
    ends = np.cumsum(np.bincount(group[belongs], minlength=len(grouping.groups)))
    counted = {}
    start = 0
    for one, stop in enumerate(ends.tolist()):
        if stop > start:
            own = order[start:stop]
            images, image = np.unique(rest[own] % clusters, return_inverse=True)
            counted[one] = Counted(len(images), image, cell[own], number[own].astype(np.int64))
        start = stop
    return counted
