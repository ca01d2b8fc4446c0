"""Scores of a sampled run with stored runs of other models as control variates, and the table of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from falter.core.errors import UsageError
from falter.core.tables import Block, Column, Grid, ResultTable
from falter.evaluation.measures.catalogue import summaries_for
from falter.evaluation.measures.outcomes import choose_subset, subset_signature, suites_in, tasks_in
from falter.evaluation.measures.outcomes.coding import Bools, Integers
from falter.evaluation.measures.results import Group
from falter.evaluation.measures.scoring import ScoringSettings
from falter.evaluation.measures.sequential import ControlledEstimate, Controls, combine_estimates, controlled_estimate
from falter.evaluation.measures.units import GroupRows, RowSums, SuiteRows, why_untestable
from falter.evaluation.runs.anytime import no_replies
from falter.evaluation.runs.replies import join_own_replies
from falter.evaluation.runs.scored_items import load_replies, read_scored_items
from falter.evaluation.runs.scoring import signature_parts
from falter.evaluation.runs.store import Run
from falter.evaluation.runs.table_cells import format_group, format_percent, measure_title, text_cells
from falter.evaluation.score_options import PLAIN, ScoreOptions

if TYPE_CHECKING:
    from falter.evaluation.measures import Measure


class ControlledScore(msgspec.Struct, frozen=True, kw_only=True):
    """One value over the whole suite, estimated from a sample and from what other models replied.

    ``plain`` and its interval are those of the sample alone. ``gain`` says how many times as many calls the plain
    estimate would need to be as exact.
    """

    model: str
    group: Group
    measure: str
    value: float
    low: float
    high: float
    plain: float
    plain_low: float
    plain_high: float
    gain: float
    n: int
    """How many probes were asked."""
    of: int
    """How many there are."""
    signature: str


class ControlledScores(ResultTable[ControlledScore]):
    """Scores over the whole suite, with the runs of other models as controls."""

    noun = "estimates"

    def __init__(
        self, rows: Iterable[ControlledScore], *, others: Sequence[str] = (), measures: Sequence[Measure] = ()
    ) -> None:
        super().__init__(rows)
        self.others = tuple(others)
        self.measures = tuple(measures)

    def replace_rows(self, rows: Sequence[ControlledScore]) -> ControlledScores:
        return ControlledScores(rows, others=self.others, measures=self.measures)

    def json_value(self) -> Any:
        return {"helpers": self.others, "estimates": self.rows}

    def blocks(self) -> Iterator[Block]:
        found = self.rows
        if not found:
            yield "There is no sample to make more exact: the run asked everything, or nothing that is a share."
            return
        yield Grid(
            [
                Column("test", text_cells(format_group(one.group) for one in found)),
                Column("measure", text_cells(measure_title(one.measure, self.measures) for one in found)),
                Column("model", text_cells(one.model for one in found)),
            ],
            [
                Column("value", text_cells(format_percent(one.value) for one in found), right=True),
                Column("interval", text_cells(_interval(one.low, one.high) for one in found)),
                Column("without\nhelpers", text_cells(_interval(one.plain_low, one.plain_high) for one in found)),
                Column("asked", text_cells(f"{one.n:,} of {one.of:,}" for one in found), right=True),
                Column("as good as", text_cells(f"{one.gain:.1f} times as many calls" for one in found)),
            ],
        )
        named = f"{len(self.others)} run{'s' * (len(self.others) != 1)} ({', '.join(self.others)})"
        yield (
            "Percent over the whole suite, with 95 % intervals for a sample whose size was fixed beforehand. "
            f"Helpers: {named}.\nThe intervals hold whatever the helpers are worth."
        )


def _interval(low: float, high: float) -> str:
    return f"{format_percent(low)}–{format_percent(high)}"


_MOST_STRATA = 12


def controlled_scores(
    run: Run,
    others: Sequence[Run],
    options: ScoreOptions = PLAIN,
) -> ControlledScores:
    """The headline shares (or others by name) over the whole suite, from what a run asked of it.

    The run is a sample: limited, or in random order and cut off by a budget. ``others`` are complete runs of the same
    suite; the facets of the suite are strata. A limit takes as many probes of every test, so the tests of a limited run
    are estimated apart, and then added up as they count.
    """
    _refuse(run, others)
    path = run.suite().items_path
    options = options.replace(subset=choose_subset(path, options.subset))
    items, own = read_scored_items(path, options, probes=None, summaries=None, facets=True)
    wanted = [one for one in own if (one.name in options.measures if options.measures else one.headline)]
    rows = SuiteRows(
        items,
        no_replies(),
        measures=wanted,
        summaries=summaries_for(suites_in(items)),
        options=options,
        where=str(path),
    )
    asked = run.probe_ids()
    if asked is None:
        return ControlledScores([], others=[one.manifest.model.name for one in others], measures=wanted)
    there = np.array([probe_id in asked for probe_id in rows.probe_ids], dtype=bool)
    groups = [
        group for group in rows.groups().values() if not why_untestable(group.measure, group.group, rows.summaries)
    ]
    known = list(dict.fromkeys(group.measure.name for group in groups))
    lacking = [name for name in options.measures if name not in known]
    if lacking:
        raise UsageError(f"no estimate can be made of the measure {lacking[0]!r:.60}; there are {', '.join(known)}")
    sums = [_sums_of(one, rows, groups) for one in (run, *others)]
    strata = _strata(rows)
    apart = _tests(rows) if run.manifest.settings.get("limit") is not None else np.zeros(len(rows), dtype=np.int64)
    parts = (
        *signature_parts(run.manifest, tasks_in(items), run.suite().manifest),
        f"controls:{len(others)}",
        "interval:fixed-sample",
        *subset_signature(options.subset),
    )
    # Nothing is drawn; signatures of estimates have always said so.
    settings = ScoringSettings(options.replace(seed=0, n_resamples=0), parts)
    found = []
    for number, group in enumerate(groups):
        one = _estimate(group, [each[number] for each in sums], there, strata, apart)
        if one is not None:
            signature = settings.sign(group.group, one.n, group.measure.signature_parts)
            found.append(
                ControlledScore(
                    model=run.manifest.model.name,
                    group=group.group,
                    measure=group.measure.name,
                    value=min(max(one.value, 0.0), 1.0),
                    low=max(one.low, 0.0),
                    high=min(one.high, 1.0),
                    plain=one.plain,
                    plain_low=max(one.plain_low, 0.0),
                    plain_high=min(one.plain_high, 1.0),
                    gain=one.gain,
                    n=one.n,
                    of=one.units,
                    signature=signature,
                )
            )
    return ControlledScores(found, others=[one.manifest.model.name for one in others], measures=wanted)


def _refuse(run: Run, others: Sequence[Run]) -> None:
    if not others:
        raise UsageError("--helpers takes one or more complete runs of the same suite, or a folder of them")
    if run.manifest.complete and run.sampled() is not None:
        raise UsageError(
            f"{run.folder} stopped because of what it saw: only its intervals that hold at any time are valid; "
            "helpers are for runs with --limit or with a budget"
        )
    for one in others:
        if one.manifest.suite.fingerprint != run.manifest.suite.fingerprint:
            raise UsageError(f"{one.folder} is a run of another suite than {run.folder}: give helpers of the same one")
        if not one.manifest.complete or one.probe_ids() is not None:
            raise UsageError(f"{one.folder} has not asked everything: a helper is a complete run of the whole suite")


def _sums_of(run: Run, rows: SuiteRows, groups: Sequence[GroupRows]) -> list[RowSums]:
    items, (replies,) = join_own_replies(run.suite().items_path, rows.items, [load_replies(run, rows.items)])
    return rows.sums(replies, groups, items=items)


def _strata(rows: SuiteRows) -> dict[str, Integers]:
    """By facet with few values the value of each probe."""
    return {name: codes for name, codes in rows.facets().items() if 1 < len(np.unique(codes)) <= _MOST_STRATA}


def _tests(rows: SuiteRows) -> Integers:
    """By probe the number of its test."""
    of_probe = dict(zip(rows.items["probe_id"].to_pylist(), rows.items["test"].to_pylist(), strict=True))
    return np.unique([of_probe[one] for one in rows.probe_ids], return_inverse=True)[1].astype(np.int64)


def _estimate(
    group: GroupRows, sums: Sequence[RowSums], there: Bools, strata: dict[str, Integers], apart: Integers
) -> ControlledEstimate | None:
    """The estimate for a group, whose units are probes; those of each number in ``apart`` were sampled apart."""
    weight = group.by_probe(group.weight, len(there))
    units = np.flatnonzero(weight > 0)
    found, weights = [], []
    for number in np.unique(apart[units]).tolist():
        own = units[apart[units] == number]
        one = _estimate_units(group, sums, there, strata, own)
        if one is None:
            return None
        found.append(one)
        weights.append(float(weight[own].sum()))
    if not found:
        return None
    return found[0] if len(found) == 1 else combine_estimates(found, weights)


def _estimate_units(
    group: GroupRows, sums: Sequence[RowSums], there: Bools, strata: dict[str, Integers], units: Integers
) -> ControlledEstimate | None:
    probes = len(there)
    part, size = (group.by_probe(np.where(sums[0].included, one, 0.0), probes) for one in (sums[0].part, sums[0].size))
    asked = np.flatnonzero(there[units])
    known = []
    for one in sums[1:]:
        own, own_size = (group.by_probe(np.where(one.included, each, 0.0), probes) for each in (one.part, one.size))
        value = np.divide(own, own_size, out=np.full(probes, np.nan), where=own_size > 0)[units]
        mean = np.nanmean(value) if (~np.isnan(value)).any() else 0.0
        known.append(np.where(np.isnan(value), mean, value))
    columns = [
        (codes[units] == value).astype(np.float64)
        for codes in strata.values()
        for value in np.unique(codes[units])[1:].tolist()
    ]
    controls = Controls.from_runs(
        np.column_stack(known), np.column_stack(columns) if columns else np.zeros((len(units), 0))
    )
    return controlled_estimate(part[units[asked]], size[units[asked]], asked, controls)
