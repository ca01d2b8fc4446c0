"""Intervals that hold at any time, for runs in random order that asked a part of the suite, and for runs that grow.

The value over the asked part stands for the whole suite; a plain interval would not hold for a run that stopped because
of what it saw.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import numpy as np
import polars as pl
import pyarrow as pa

from falter.evaluation.measures.catalogue import summaries_for
from falter.evaluation.measures.comparisons import Revision
from falter.evaluation.measures.counting import Summary
from falter.evaluation.measures.measure import Measure
from falter.evaluation.measures.outcomes import choose_subset, replies_from_frame, suites_in
from falter.evaluation.measures.outcomes.coding import Bools, Floats, Integers
from falter.evaluation.measures.results import Comparison, Group, Score
from falter.evaluation.measures.sequential import (
    AskedUnits,
    UnitBounds,
    anytime_interval,
    anytime_interval_of_draws,
    anytime_mcnemar,
)
from falter.evaluation.measures.statistics import Interval
from falter.evaluation.measures.units import GroupRows, RowSums, SuiteRows, why_untestable
from falter.evaluation.runs.asked import Sampled
from falter.evaluation.runs.replies import join_own_replies, replies_to_table
from falter.evaluation.runs.scored_items import load_replies, read_scored_items
from falter.evaluation.runs.store import Run
from falter.evaluation.score_options import PLAIN, ScoreOptions

_UNEVEN = "its tests were asked to different extents"


def no_replies() -> pa.Table:
    """A table of replies without a row."""
    frame = pl.from_arrow(replies_to_table([]))
    assert isinstance(frame, pl.DataFrame)
    return replies_from_frame(frame)


@dataclass(frozen=True)
class AnytimeTables:
    """All items that runs are about, also those that were not asked, and what the runs replied."""

    items: pa.Table
    replies: Sequence[pa.Table]
    sampled: Sequence[Sampled | None]
    """By run what it asked; None where it asked everything."""
    measures: Sequence[Measure]
    summaries: Sequence[Summary]
    options: ScoreOptions
    where: str

    def rows(self) -> SuiteRows:
        """The rows of these items."""
        return SuiteRows(
            self.items,
            no_replies(),
            measures=self.measures,
            summaries=self.summaries,
            options=self.options,
            where=self.where,
        )

    def order(self, rows: SuiteRows) -> Integers | None:
        """The probes in the order in which they were asked; None where the runs were asked in different orders."""
        orders = {one.order for one in self.sampled if one is not None}
        if len(orders) != 1:
            return None
        number = {probe_id: place for place, probe_id in enumerate(rows.probe_ids)}
        return np.array([number[one] for one in orders.pop() if one in number], dtype=np.int64)

    def asked(self, rows: SuiteRows) -> Bools:
        """By probe whether every run asked it."""
        known = np.ones(len(rows), dtype=bool)
        for one in self.sampled:
            if one is not None:
                asked = one.asked
                known &= np.array([probe_id in asked for probe_id in rows.probe_ids], dtype=bool)
        return known


class _Sums(NamedTuple):
    """By probe what a group's rows add: numerator, denominator, and the bounds of the numerator."""

    part: Floats
    size: Floats
    weight: Floats
    least: Floats
    most: Floats
    even: bool
    """Whether both runs of a comparison have the same denominators."""


def _own_sums(group: GroupRows, sums: RowSums, probes: int) -> _Sums:
    part, size = (group.by_probe(np.where(sums.included, one, 0.0), probes) for one in (sums.part, sums.size))
    weight = group.by_probe(group.weight, probes)
    return _Sums(part, size, weight, np.zeros(probes), weight, bool((size <= weight + 1e-9).all()))


def _paired_sums(group: GroupRows, first: RowSums, second: RowSums, known: tuple[bool, bool], probes: int) -> _Sums:
    """The second minus the first; ``known`` says which run asked everything, so that its part is known beforehand."""
    included = first.included & second.included
    even = bool((first.size[included] == second.size[included]).all())
    part, size = (
        group.by_probe(np.where(included, one, 0.0), probes) for one in (second.part - first.part, second.size)
    )
    complete = first if known[0] else second if known[1] else None
    weight = group.weight if complete is None else np.where(complete.included, complete.size, 0.0)
    by_probe = group.by_probe(weight, probes)
    if complete is None:
        return _Sums(part, size, by_probe, -by_probe, by_probe, even)
    own = group.by_probe(np.where(complete.included, complete.part, 0.0), probes)
    if known[0]:
        return _Sums(part, size, by_probe, -own, by_probe - own, even)
    return _Sums(part, size, by_probe, own - by_probe, own, even)


def _first_units(sums: _Sums, order: Integers, asked: Bools) -> tuple[AskedUnits, bool]:
    """The units in their order up to the first that was not asked, and whether these are all that were asked."""
    units = order[sums.weight[order] > 0]
    there = asked[units]
    end = len(units) if there.all() else int(np.argmin(there))
    bounds = UnitBounds(sums.weight[units], sums.least[units], sums.most[units], np.zeros(len(units), dtype=np.int64))
    return AskedUnits(sums.part[units[:end]], sums.size[units[:end]], bounds), end == int(there.sum())


def revise_scores(tables: AnytimeTables, scores: Sequence[Score]) -> list[Score]:
    """Scores of a run that asked a part, with the intervals for the whole suite that hold at any time."""
    rows = tables.rows()
    groups = rows.groups()
    wanted = [groups[key] for one in scores if (key := (one.group, one.measure)) in groups]
    sums = dict(zip(_keys(wanted), rows.sums(tables.replies[0], wanted), strict=True))
    order, asked = tables.order(rows), tables.asked(rows)
    assert order is not None
    found = []
    for plain in scores:
        # Nothing that is made for a sample of fixed size stays: its errors and its exact intervals do not hold.
        score = msgspec.structs.replace(plain, low=None, high=None, se=None, interval=None)
        group = groups.get((score.group, score.measure))
        if score.value is None or group is None or group.measure.scale == "count":
            found.append(score)
            continue
        own, even = _first_units(_own_sums(group, sums[score.group, score.measure], len(rows)), order, asked)
        if why_untestable(group.measure, score.group, tables.summaries):
            mean = any(one.name == score.group.test and one.how == "mean" for one in tables.summaries)
            usable = even or mean
            found.append(score if usable else msgspec.structs.replace(score, value=None, n=0, reason=_UNEVEN))
            continue
        total = float(own.size.sum())
        if not total:
            found.append(msgspec.structs.replace(score, value=None, n=0, reason=_UNEVEN))
            continue
        low, high = anytime_interval(own)
        value = score.value if even else float(own.part.sum()) / total
        found.append(
            msgspec.structs.replace(score, value=value, low=low, high=high, n=round(total), interval="anytime")
        )
    return found


def _keys(groups: Collection[GroupRows]) -> list[tuple[Group, str]]:
    return [(one.group, one.measure.name) for one in groups]


def revise_comparisons(tables: AnytimeTables) -> Callable[[Sequence[Comparison]], list[Comparison]]:
    """What puts p-values and intervals that hold at any time in the place of the plain ones.

    Where a run asked a part in random order, the interval is that of the difference over the whole suite. Else it is
    that of pairs like these, taken image by image as draws from a source that does not run out.
    """

    def revise(comparisons: Sequence[Comparison]) -> list[Comparison]:
        rows = tables.rows()
        groups = rows.groups()
        wanted = [group for one in comparisons if (group := groups.get((one.group, one.measure))) is not None]
        first, second = (
            dict(zip(_keys(wanted), rows.sums(replies, wanted), strict=True)) for replies in tables.replies
        )
        return [
            _revise(tables, rows, one, groups[key], first[key], second[key])
            if (key := (one.group, one.measure)) in first
            else msgspec.structs.replace(one, low=None, high=None, p=_anytime_p(one))
            for one in comparisons
        ]

    return revise


def _anytime_p(one: Comparison) -> float | None:
    if one.p is None or one.only_first is None or one.only_second is None:
        return None
    return anytime_mcnemar(one.only_first, one.only_second)


def _revise(
    tables: AnytimeTables, rows: SuiteRows, one: Comparison, group: GroupRows, first: RowSums, second: RowSums
) -> Comparison:
    known = (tables.sampled[0] is None, tables.sampled[1] is None)
    sums = _paired_sums(group, first, second, known, len(rows))
    interval = Interval(None, None)
    testable = not why_untestable(group.measure, one.group, tables.summaries) and sums.even
    if testable and all(known):
        interval = _by_cluster(rows.clusters(), sums)
    elif testable and (order := tables.order(rows)) is not None:
        own, _ = _first_units(sums, order, tables.asked(rows))
        if own.size.sum():
            interval = anytime_interval(own, lowest=-1.0)
    return msgspec.structs.replace(one, low=interval.low, high=interval.high, p=_anytime_p(one))


def _by_cluster(cluster: Integers, sums: _Sums) -> Interval:
    """The images in the order of the suite, each a draw."""
    counts = sums.size > 0
    _, place, number = np.unique(cluster[counts], return_index=True, return_inverse=True)
    part, size = (np.bincount(number.ravel(), weights=one[counts]).astype(np.float64) for one in (sums.part, sums.size))
    order = np.argsort(place)
    return anytime_interval_of_draws(part[order], size[order])


def anytime_tables(
    runs: Sequence[Run],
    options: ScoreOptions,
    *,
    measures: Sequence[Measure] | None,
    summaries: Sequence[Summary] | None,
) -> AnytimeTables:
    """All items that runs are about, whether they were asked or not, with their replies."""
    path = runs[0].suite().items_path
    limits = [limit for run in runs if (limit := run.population()) is not None]
    items, own = read_scored_items(
        path,
        options.replace(subset=choose_subset(path, options.subset)),
        measures,
        probes=frozenset.intersection(*limits) if limits else None,
        summaries=summaries,
    )
    items, replies = join_own_replies(path, items, [load_replies(run, items) for run in runs])
    return AnytimeTables(
        items=items,
        replies=replies,
        sampled=[run.sampled() for run in runs],
        measures=own,
        summaries=summaries_for(suites_in(items)) if summaries is None else summaries,
        options=options,
        where=str(path),
    )


def anytime_revision(
    runs: Sequence[Run],
    options: ScoreOptions = PLAIN,
    *,
    measures: Sequence[Measure] | None = None,
    summaries: Sequence[Summary] | None = None,
) -> Revision:
    """What makes p-values and intervals of two runs hold at any time."""
    return revise_comparisons(anytime_tables(runs, options, measures=measures, summaries=summaries))
