"""The units of a suite (items, pairs, sets): what each adds to measures, and how many of them were answered.

What the rows of a suite add is known probe by probe: without replies, and as replies come in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from falter.evaluation.measures.counting import Grouping, Summary, groupings
from falter.evaluation.measures.evaluation import EvaluatedCells, EvaluatedRows, evaluate, evaluate_sets
from falter.evaluation.measures.measure import Grain, Measure, ratio
from falter.evaluation.measures.outcomes import OutcomeRows, Outcomes, outcomes
from falter.evaluation.measures.outcomes.coding import Bools, Codes, Floats, Integers
from falter.evaluation.measures.outcomes.reading import read_facets, sort_by_probe
from falter.evaluation.measures.paired import PairedRuns
from falter.evaluation.measures.results import Group
from falter.evaluation.measures.scoring import EvaluatedGrain, facets_used, group_grains
from falter.evaluation.score_options import PLAIN, ScoreOptions


class GroupRows(NamedTuple):
    """The rows of a group that a measure is about."""

    group: Group
    measure: Measure
    rows: Integers
    """Their numbers among the rows of the measure's grain."""
    probe: Integers
    """By row the number of its probe."""
    weight: Floats
    """By row the most that it adds to the denominator."""
    noun: str
    """What a row is called: pair, question, set or item."""

    def by_probe(self, values: Floats, probes: int) -> Floats:
        """Values of rows, summed by probe."""
        return np.bincount(self.probe, weights=values, minlength=probes).astype(np.float64)


class RowSums(NamedTuple):
    """By row of a group whether all its replies were received, and what it adds to numerator and denominator."""

    included: Bools
    part: Floats
    size: Floats

    def take(self, chosen: Bools) -> RowSums:
        """Some of the rows."""
        return RowSums(self.included[chosen], self.part[chosen], self.size[chosen])


def why_untestable(measure: Measure, group: Group, summaries: Sequence[Summary]) -> str:
    """Why a measure has no value that a part of the suite tells something about at any time; "" where it has one."""
    if any(one.name == group.test and one.how == "mean" for one in summaries):
        return "a mean over tests is no ratio of two sums"
    if measure.scale not in ("share", "count"):
        return f"{measure.name} is no share and no count"
    if measure.by or measure.finalize is not ratio or list(measure.sums)[-1] != "n" or len(measure.sums) != 2:
        return f"{measure.name} is no ratio of two sums"
    return ""


class _Evaluated(NamedTuple):
    found: Outcomes
    grains: dict[Grain, EvaluatedGrain]

    def probe_of_row(self, grain: Grain) -> Integers:
        rows = self.grains[grain].rows
        return np.asarray(self.found.codes("probe")[rows.original], dtype=np.int64)


class SuiteRows:
    """The rows of all items, to which replies are joined probe by probe.

    ``no_replies`` is a table of replies without a row.
    """

    def __init__(
        self,
        items: pa.Table,
        no_replies: pa.Table,
        *,
        measures: Sequence[Measure],
        summaries: Sequence[Summary] = (),
        options: ScoreOptions = PLAIN,
        where: str = "items.parquet",
    ) -> None:
        self._items = sort_by_probe(items, where)
        self._measures = measures
        by = options.by
        self._optional = sorted({*by, *facets_used(measures, summaries)})
        self._vqa_rule, self._where = options.vqa_rule, where
        found = outcomes(
            self._items,
            no_replies,
            vqa_rule=self._vqa_rule,
            facets=by,
            optional_facets=[name for name in self._optional if name not in by],
            where=where,
        )
        self._whole = self._evaluate(found)
        self.summaries, self.by = summaries, by
        original = self._items["variant"].to_numpy() == 0
        self.probe_ids: list[str] = self._items["probe_id"].filter(pa.array(original)).to_pylist()
        self._probe_of_item = np.cumsum(original) - 1
        self._probe_of_row = {grain: self._whole.probe_of_row(grain) for grain in self._whole.grains}

    @property
    def items(self) -> pa.Table:
        """The items, with the rows of a probe together."""
        return self._items

    def item_ids(self, probes: Bools) -> list[str]:
        """The ids of the items of some probes."""
        ids: list[str] = self._items["item_id"].filter(pa.array(probes[self._probe_of_item])).to_pylist()
        return ids

    def clusters(self) -> Integers:
        """By probe the cluster that intervals over images draw it with."""
        frame = self._whole.found.frame
        return frame.filter(frame["variant"] == 0)["cluster"].to_numpy().astype(np.int64)

    def tests(self) -> Integers:
        """By probe the number of its test."""
        frame = self._whole.found.frame
        return frame.filter(frame["variant"] == 0)["test"].to_physical().to_numpy().astype(np.int64)

    def facets(self) -> dict[str, Integers]:
        """By facet the number of its value for each probe's original; -1 for none."""
        if "facets" not in self._items.column_names:
            return {}
        original = self._items.filter(pa.array(self._items["variant"].to_numpy() == 0))
        return {name: one.codes.astype(np.int64) for name, one in read_facets(original["facets"]).items()}

    def __len__(self) -> int:
        return len(self.probe_ids)

    def groups(self) -> dict[tuple[Group, str], GroupRows]:
        """By group and name of the measure the rows that it is about: of measures that follow from cells alone."""
        found: dict[tuple[Group, str], GroupRows] = {}
        if not len(self._whole.found.pairs):
            return found
        for ways in group_grains(self._whole.grains, self.by, self.summaries):
            for grain, way in ways.items():
                own = self._whole.grains[grain]
                of_row = way.of_row(own.rows)
                weight = self._row_sizes(own.rows, grain)
                for one in own.measures:
                    if isinstance(one, EvaluatedRows):
                        continue
                    about = one.about[one.rows.cell]
                    constant = not one.measure.sums["n"].meta.root_names() if "n" in one.measure.sums else False
                    for number, group in enumerate(way.groups):
                        rows = np.flatnonzero(about & (of_row == number))
                        if len(rows):
                            probe = self._probe_of_row[grain][rows]
                            own_weight = np.ones(len(rows)) if constant else weight[rows]
                            alone = grain == "pair" and bool((own.rows.original[rows] == own.rows.variant[rows]).all())
                            noun = "question" if alone else grain
                            found[group, one.measure.name] = GroupRows(
                                group, one.measure, rows, probe, own_weight, noun
                            )
        return found

    def sums(
        self,
        replies: pa.Table,
        wanted: Sequence[GroupRows],
        probes: Bools | None = None,
        *,
        items: pa.Table | None = None,
    ) -> list[RowSums]:
        """What rows add, given replies to all items (or to those of some probes, whose rows are given alone).

        ``items`` are the same items under the ids of these replies, where an item has several.
        """
        every_item = self._items if items is None else sort_by_probe(items, self._where)
        items = every_item if probes is None else every_item.filter(pa.array(probes[self._probe_of_item]))
        optional = self._optional if "facets" in items.column_names else []
        found = outcomes(items, replies, vqa_rule=self._vqa_rule, optional_facets=optional, where=self._where)
        evaluated = self._evaluate(found)
        if probes is not None and any(self._find(evaluated, one.measure) is None for one in wanted):
            # A measure may need a facet that none of these items has: then all of them are evaluated.
            every = self.sums(replies, wanted, items=every_item)
            return [own.take(probes[one.probe]) for own, one in zip(every, wanted, strict=True)]
        return [self._row_sums(evaluated, one, probes) for one in wanted]

    def _row_sums(self, evaluated: _Evaluated, wanted: GroupRows, probes: Bools | None) -> RowSums:
        one = self._find(evaluated, wanted.measure)
        rows = wanted.rows
        if one is None:
            return RowSums(np.zeros(len(rows), dtype=bool), np.zeros(len(rows)), np.zeros(len(rows)))
        if probes is not None:
            chosen = probes[self._probe_of_row[wanted.measure.grain]]
            rows = (np.cumsum(chosen) - 1)[rows[probes[wanted.probe]]]
        cell = one.rows.cell[rows]
        sums, names = one.sums[cell], list(one.measure.sums)
        included = one.rows.included[cell]
        return RowSums(included, sums[:, 0], sums[:, names.index("n")] if "n" in names else included.astype(np.float64))

    @staticmethod
    def _find(evaluated: _Evaluated, measure: Measure) -> EvaluatedCells | None:
        own = evaluated.grains.get(measure.grain)
        found = None if own is None else own.find(measure)
        return found if isinstance(found, EvaluatedCells) else None

    def _evaluate(self, found: Outcomes) -> _Evaluated:
        """Sets are evaluated wherever a measure is about sets, also among probes of which none has several variants."""
        of_pairs, of_items, of_sets = (
            [one for one in self._measures if one.grain == grain] for grain in ("pair", "item", "set")
        )
        grains: dict[Grain, EvaluatedGrain] = {
            "pair": EvaluatedGrain(found.pairs, list(evaluate(found.pairs, of_pairs)))
        }
        if of_sets and len(found.pairs):
            grains["set"] = EvaluatedGrain(*evaluate_sets(found.pairs, of_sets))
        over_items = [one for one in of_items if one.columns <= {*found.states.columns, *found.frame.columns}]
        if over_items:
            grains["item"] = EvaluatedGrain(found.rows, list(evaluate(found.rows, over_items)))
        return _Evaluated(found, grains)

    def _row_sizes(self, rows: OutcomeRows, grain: Grain) -> Floats:
        """By row how many items it is made of, which no denominator exceeds."""
        if grain == "item":
            return np.ones(len(rows))
        if grain == "pair":
            return np.where(rows.original == rows.variant, 1.0, 2.0)
        items = np.bincount(self._probe_of_item)
        return items[self._probe_of_row[grain]].astype(np.float64)


class AnsweredUnits(NamedTuple):
    """So many units there are in a group, failed, missing and unsupported ones included, and so many were answered."""

    grain: Grain
    units: int
    answered: int

    @property
    def excluded_share(self) -> float:
        """The share of the units that is in no score."""
        return 1 - self.answered / self.units if self.units else 0.0

    def __str__(self) -> str:
        return f"{self.answered:,} of {self.units:,} {self.grain}s"


def count_units(runs: PairedRuns) -> dict[tuple[Group, str], AnsweredUnits]:
    """By group and measure how many units there are, and how many of them every run answered.

    A mean counts each test the same, so it has the numbers of the test with the fewest answers.
    """
    found: dict[tuple[Group, str], AnsweredUnits] = {}
    for grain, own in runs.evaluated[0].items():
        answered = runs.included[grain]
        for way in groupings(own.rows, runs.by, runs.summaries if grain == "pair" else ()):
            group_of_row = way.of_row(own.rows)
            for one in own.measures:
                about = one.about[one.rows.cell] & (group_of_row >= 0)
                counted = _count(way, own.rows, group_of_row, about, answered)
                for group, (units, replied) in zip(way.groups, counted, strict=True):
                    if units:
                        found[group, one.measure.name] = AnsweredUnits(grain, units, replied)
    return found


def _count(
    way: Grouping, rows: OutcomeRows, group_of_row: Codes, about: Bools, answered: Bools
) -> list[tuple[int, int]]:
    """By group the units that a measure is about, and those of them that were answered."""
    groups, tests = len(way.groups), len(rows.tests) if way.is_mean else 1
    part = group_of_row.astype(np.int64) * tests + (rows.test[rows.cell] if way.is_mean else 0)
    units, replied = (
        np.bincount(part[mask], minlength=groups * tests).reshape(groups, tests) for mask in (about, about & answered)
    )
    worst = np.argmin(np.where(units > 0, replied / np.maximum(units, 1), np.inf), axis=1)
    return [(int(units[group, test]), int(replied[group, test])) for group, test in enumerate(worst)]
