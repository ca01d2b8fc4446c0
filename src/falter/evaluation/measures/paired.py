"""Several runs of one suite over the rows that all of them include; images are drawn alike for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from falter.core.files import sha256_of_bytes
from falter.evaluation.measures.counting import Counted, GroupCounts, Grouping, Summary
from falter.evaluation.measures.counts import count_by_test
from falter.evaluation.measures.evaluation import EvaluatedCells, EvaluatedRows, mean_of_known, tally_mean
from falter.evaluation.measures.intervals import (
    NO_INTERVAL,
    ScoreInterval,
    choose_interval,
    leave_out_sums,
    share_difference,
    shares_of,
)
from falter.evaluation.measures.measure import Grain, Measure, RowsFinalizer, ratio
from falter.evaluation.measures.outcomes import OutcomeRows, Outcomes, outcomes
from falter.evaluation.measures.outcomes.coding import Bools, Floats, Integers
from falter.evaluation.measures.results import Group, SharedPairs
from falter.evaluation.measures.scoring import (
    EvaluatedGrain,
    ScoringSettings,
    SummedMeasure,
    clusters_that_count,
    evaluate_grains,
    facets_used,
    group_grains,
    leave_out_rows,
    resample_rows,
    split_sample,
)
from falter.evaluation.measures.statistics import Sample

_ROWS_AT_ONCE = 1 << 16
_SPREAD = 0x9E3779B97F4A7C15
"""An odd number whose multiples are spread over 64 bits."""


def paired(
    items: pa.Table,
    replies: Sequence[pa.Table],
    *,
    measures: Sequence[Measure],
    summaries: Sequence[Summary] = (),
    by: Sequence[str] = (),
    settings: ScoringSettings,
    where: str = "items.parquet",
) -> PairedRuns:
    """Join the replies of several runs to the items they share."""
    facets = facets_used(measures, ())
    runs = [
        outcomes(items, table, vqa_rule=settings.options.vqa_rule, facets=by, optional_facets=facets, where=where)
        for table in replies
    ]
    return PairedRuns(runs, measures, summaries, by, settings)


@dataclass(frozen=True)
class PairedRuns:
    """The rows of several runs: the same items give the same rows in the same order, whatever was replied."""

    runs: Sequence[Outcomes]
    measures: Sequence[Measure]
    summaries: Sequence[Summary]
    by: Sequence[str]
    settings: ScoringSettings

    @cached_property
    def evaluated(self) -> list[dict[Grain, EvaluatedGrain]]:
        """By run and grain the measures over its cells."""
        return [evaluate_grains(run, self.measures) for run in self.runs]

    def included_by_run(self, grain: Grain) -> list[Bools]:
        """By run and row whether the run includes it."""
        return [own[grain].rows.included[own[grain].rows.cell] for own in self.evaluated]

    @cached_property
    def included(self) -> dict[Grain, Bools]:
        """By grain and row whether every run includes it."""
        return {grain: np.logical_and.reduce(self.included_by_run(grain)) for grain in self.evaluated[0]}

    def rows_with(self, measure: Measure) -> tuple[list[Bools], Bools] | None:
        """By run the included rows that have what a measure of pairs counts, and the rows that it is about.

        None where it does not follow from cells.
        """
        own = [run["pair"].find(measure) for run in self.evaluated]
        cells = [one for one in own if isinstance(one, EvaluatedCells)]
        if len(cells) < len(own):
            return None
        return [(one.sums[:, 0] > 0)[one.rows.cell] for one in cells], cells[0].about[cells[0].rows.cell]

    def shared_pairs(self) -> list[SharedPairs]:
        """By test how many pairs there are, and how many of them every run includes."""
        rows = self.runs[0].pairs
        if not len(rows):
            return []
        shared = np.bincount(rows.test[rows.cell][self.included["pair"]], minlength=len(rows.tests))
        by_run = [count_by_test(run.pairs) for run in self.runs]
        return [
            SharedPairs(group=own[0].group, pairs=own[0].pairs, shared=int(shared[number]), runs=own)
            for number, own in enumerate(zip(*by_run, strict=True))
        ]

    def groups(self) -> Iterator[PairedGroup]:
        """Tests, summaries and facets that have a row in common."""
        if not len(self.runs[0].pairs):
            return
        for ways in zip(*(group_grains(run, self.by, self.summaries) for run in self.evaluated), strict=True):
            divided = {
                grain: _Divided(
                    [own[grain] for own in self.evaluated], [way[grain] for way in ways], self.included[grain]
                )
                for grain in ways[0]
            }
            whole = ways[0]["pair"]
            for number, group in enumerate(whole.groups):
                if divided["pair"].counted(number) is not None:
                    yield PairedGroup(group, number, whole.summary, divided, self.settings)


@dataclass(frozen=True)
class _Divided:
    """The rows of one grain, divided into groups in the same way for every run."""

    runs: Sequence[EvaluatedGrain]
    ways: Sequence[Grouping]
    included: Bools

    @cached_property
    def counts(self) -> list[GroupCounts]:
        """By run the counts of its rows that all runs include."""
        return [GroupCounts(run.rows, way, self.included) for run, way in zip(self.runs, self.ways, strict=True)]

    def counted(self, number: int, run: int = 0) -> Counted | None:
        """The counts of a group, None where it has no row."""
        return self.counts[run].of(self.runs[run].rows).get(number)

    @cached_property
    def _ordered(self) -> tuple[Integers, Integers]:
        group = np.where(self.included, self.ways[0].of_row(self.runs[0].rows), -1)
        order = np.argsort(group, kind="stable")
        return order, np.searchsorted(group[order], np.arange(len(self.ways[0].groups) + 1))

    def members(self, number: int) -> Integers:
        """The rows of a group."""
        order, starts = self._ordered
        return order[starts[number] : starts[number + 1]]


@dataclass(frozen=True)
class AddedSums:
    """By run what the rows of a group add to a measure's two sums."""

    rows: OutcomeRows
    members: Integers
    sums: Sequence[Floats]

    @property
    def cluster(self) -> Integers:
        """By member the image."""
        return np.asarray(self.rows.cluster[self.members], dtype=np.int64)


def _count_only(flags: Sequence[Bools]) -> Integers:
    """By two runs how many rows are flagged for the first and not for the second."""
    count, rows = len(flags), len(flags[0])
    found = np.zeros((count, count), dtype=np.int64)
    for start in range(0, rows, _ROWS_AT_ONCE):
        block = np.stack([one[start : start + _ROWS_AT_ONCE] for one in flags]).astype(np.float32)
        found += (block @ (1 - block).T).astype(np.int64)
    return found


@dataclass(frozen=True)
class PairedScores:
    """One measure of all runs over the same rows of a group."""

    measure: Measure
    group: Group
    values: Floats
    """One per run, NaN where there is none."""
    counts: list[int]
    drawn: Floats
    """By resample the same; no resample where there can be no interval."""
    images: int
    without: Callable[[], Floats]
    """The same where each part of the images is left out in turn."""
    sums: Sequence[Floats] = ()
    """By run the sums of the images; nothing where values do not follow from sums."""

    def interval(self, run: int = 0) -> ScoreInterval:
        """The interval of the value of one run."""
        if not len(self.drawn):
            return NO_INTERVAL
        shares = shares_of(self.measure, self.sums[run]) if self.sums else None
        return choose_interval(self.images, shares, self.drawn[:, run], lambda: self.without()[:, run])

    def difference(self, first: int = 0, second: int = 1) -> ScoreInterval:
        """The interval of the second value minus the first; none where intervals are left out."""
        if not len(self.drawn):
            return NO_INTERVAL
        shares = share_difference(self.measure, self.sums[first], self.sums[second]) if self.sums else None

        def change(values: Floats) -> Floats:
            return np.asarray(values[:, second] - values[:, first])

        return choose_interval(self.images, shares, change(self.drawn), lambda: change(self.without()))


@dataclass(frozen=True)
class PairedGroup:
    """One group of rows that all runs include."""

    group: Group
    number: int
    summary: Summary | None
    divided: dict[Grain, _Divided]
    settings: ScoringSettings

    @property
    def is_mean(self) -> bool:
        """Whether the group is a mean over tests."""
        return self.summary is not None and self.summary.how == "mean"

    def tests(self) -> Integers:
        """The numbers of the tests in the group."""
        pairs = self.divided["pair"]
        counted = pairs.counted(self.number)
        assert counted is not None
        return np.unique(pairs.runs[0].rows.test[counted.cells()])

    def scores(self, measure: Measure, purpose: str) -> PairedScores | None:
        """A measure of all runs; None where one has nothing to measure. ``purpose`` names the random stream."""
        own = self._evaluated(measure)
        if own is None:
            return None
        cells = [one for one in own if isinstance(one, EvaluatedCells)]
        if len(cells) == len(own):
            return self._from_cells(measure, cells, purpose)
        rows = [one for one in own if isinstance(one, EvaluatedRows)]
        members = self.divided[measure.grain].members(self.number)
        parts = [part for part in rows[0].parts(members, by_test=self.is_mean) if len(part)]
        if not parts:
            return None
        samples = [split_sample(one, parts) for one in rows]
        finalize = measure.finalize
        if not isinstance(finalize, RowsFinalizer):
            summed = [SummedMeasure.from_sample(measure, one[0]) for one in samples]
            return None if self.is_mean else self._from_sums(measure, summed, purpose)
        values = np.array([[finalize.value(part.columns) for part in one] for one in samples], dtype=np.float64)
        every = [part for one in samples for part in one]
        drawn = resample_rows(rows[0], every, self.group, self.settings, purpose)
        drawn = np.stack([mean_of_known(part.T) for part in np.split(drawn, len(samples))], axis=-1)
        counts = [finalize.count(sum(map(len, parts)))] * len(samples)

        def without() -> Floats:
            left = leave_out_rows(finalize, every)
            return np.stack([mean_of_known(part.T) for part in np.split(left, len(samples))], axis=-1)

        images = len(np.unique(rows[0].rows.cluster[np.concatenate(parts)]))
        return PairedScores(measure, self.group, values.mean(axis=1), counts, drawn, images, without)

    def _evaluated(self, measure: Measure) -> list[EvaluatedCells | EvaluatedRows] | None:
        divided = self.divided.get(measure.grain)
        if divided is None or divided.counted(self.number) is None:
            return None
        found = [one for run in divided.runs if (one := run.find(measure)) is not None]
        return found if len(found) == len(divided.runs) else None

    def _from_cells(self, measure: Measure, evaluated: Sequence[EvaluatedCells], purpose: str) -> PairedScores | None:
        divided = self.divided[measure.grain]
        summed = []
        for one, counts in zip(evaluated, divided.counts, strict=True):
            counted = counts.of(one.rows)[self.number]
            present = counted.cells()
            tally = tally_mean(one, present) if self.is_mean else one.tally(present)
            if tally is None:
                return None
            summed.append(SummedMeasure(measure, tally, counted.sums(tally.cells, tally.adds)))
        return self._from_sums(measure, summed, purpose)

    def _from_sums(self, measure: Measure, summed: Sequence[SummedMeasure], purpose: str) -> PairedScores:
        """``summed`` has the sums of each run; they are drawn side by side."""
        sums = clusters_that_count(np.concatenate([one.sums for one in summed], axis=1))
        ends = np.cumsum([one.sums.shape[1] for one in summed]).tolist()
        parts = [slice(end - one.sums.shape[1], end) for one, end in zip(summed, ends, strict=True)]
        total = sums.sum(axis=0)

        def values(of: Floats) -> Floats:
            return np.stack([one.tally.value(of[..., part]) for one, part in zip(summed, parts, strict=True)], axis=-1)

        group = self.group
        names = (group.suite, group.test, group.facet, group.value, purpose)
        of_draws = self.settings.draw({measure.stream: sums}, *names) if len(sums) > 1 else {}
        drawn = values(of_draws[measure.stream]) if of_draws else np.zeros((0, len(summed)))
        counts = [int(one.tally.size(total[part])) for one, part in zip(summed, parts, strict=True)]
        return PairedScores(
            measure,
            self.group,
            values(total),
            counts,
            drawn,
            len(sums),
            lambda: values(leave_out_sums(sums)),
            [sums[:, part] for part in parts],
        )

    def flags(self, measure: Measure) -> tuple[Integers, list[Bools]] | None:
        """The rows a measure counts, and by run which of them have what it counts; None if it is no share of rows."""
        own = self._evaluated(measure)
        if own is None or self.is_mean:
            return None
        divided = self.divided[measure.grain]
        members = divided.members(self.number)
        counted, flagged = [], []
        for one in own:
            flags = one.flags(one.rows.cell[members]) if isinstance(one, EvaluatedCells) else None
            if flags is None:
                return None
            counted.append(flags[0])
            flagged.append(flags[1])
        if any(not np.array_equal(each, counted[0]) for each in counted[1:]):
            return None
        return members[counted[0]], [flag[counted[0]] for flag in flagged]

    def added(self, measure: Measure) -> AddedSums | None:
        """By run what each row adds to the two sums of a ratio; None where the measure is no ratio over cells."""
        own = self._evaluated(measure)
        cells = [one for one in own or () if isinstance(one, EvaluatedCells)]
        if own is None or len(cells) < len(own) or measure.finalize is not ratio or measure.by or self.is_mean:
            return None
        if tuple(measure.sums)[1:] != ("n",):
            return None
        members = self.divided[measure.grain].members(self.number)
        sums = [one.sums[one.rows.cell[members]] for one in cells]
        return AddedSums(cells[0].rows, members, sums)

    def cases(self, measure: Measure) -> tuple[int, int] | None:
        """How many cases only the first and only the second of two runs has: distinct items, or rows."""
        found = self.cases_between(measure)
        return None if found is None else (int(found[0, 1]), int(found[1, 0]))

    def cases_between(self, measure: Measure) -> Integers | None:
        """By two runs how many cases the first has and the second has not: distinct items, or rows."""
        if not measure.items or self.is_mean:
            flagged = self.flags(measure)
            return None if flagged is None else _count_only(flagged[1])
        own = self._evaluated(measure)
        if own is None:
            return None
        rows = own[0].rows
        members = self.divided["pair"].members(self.number)
        members = members[own[0].about[rows.cell[members]]]
        items = np.concatenate([getattr(rows, side)[members] for side in measure.items])
        sources = [one.rows.source for one in own]
        correct = [
            (source.states["outcome"] == "correct").to_numpy()[source.codes("state")[items]] for source in sources
        ]
        # A row that is included has its replies, so the row of the reply tells items apart; where one item has several
        # gold answers, it is a case for each way in which the runs fare.
        key = sources[0].codes("reply")[items].astype(np.uint64) * np.uint64(_SPREAD)
        for number, flags in enumerate(correct):
            key[flags] += np.uint64(int(sha256_of_bytes(b"run %d" % number)[:16], 16))
        distinct = np.unique(key, return_index=True)[1]
        return _count_only([flags[distinct] for flags in correct])

    def share_of_all(self, measure: Measure, purpose: str) -> PairedScores | None:
        """The share of the rows that have what a measure counts in every run, as a measure of one run."""
        found = self.flags(measure)
        if found is None or not len(found[0]):
            return None
        rows = self.divided[measure.grain].runs[0].rows
        columns = np.stack([np.logical_and.reduce(found[1]), np.ones(len(found[0]))], axis=1)
        sample = Sample(columns, np.unique(rows.cluster[found[0]], return_inverse=True)[1].ravel())
        return self._from_sums(measure, [SummedMeasure.from_sample(measure, sample)], purpose)
