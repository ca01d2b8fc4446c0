"""Runs of one suite side by side: comparisons, overlap, prompt spread and image ablation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import Literal, NamedTuple

import msgspec
import numpy as np
import polars as pl
import pyarrow as pa

from falter.core.errors import UsageError
from falter.data.items import TOTALS
from falter.evaluation.measures.catalogue import all_measures, measures_for, summaries_for
from falter.evaluation.measures.counting import Summary
from falter.evaluation.measures.intervals import NO_INTERVAL
from falter.evaluation.measures.measure import Measure, RowsFinalizer
from falter.evaluation.measures.outcomes import suites_in
from falter.evaluation.measures.outcomes.coding import Bools, Floats
from falter.evaluation.measures.outcomes.expressions import ONE, correct, o, v
from falter.evaluation.measures.paired import PairedGroup, PairedRuns, PairedScores, paired
from falter.evaluation.measures.results import (
    Comparison,
    Estimate,
    Group,
    ImageAblation,
    Overlap,
    OverlapUnit,
    PromptSpread,
    SharedPairs,
)
from falter.evaluation.measures.scoring import ScoringSettings
from falter.evaluation.measures.statistics import holm, mcnemar, percentile_interval

_SETTINGS = ScoringSettings()
_SIGNIFICANT = 0.05
_SIDE_BY_SIDE = "side by side"


Revision = Callable[[Sequence[Comparison]], list[Comparison]]


class ComparedRuns(NamedTuple):
    """The comparisons of two runs, and by test the pairs that they are over."""

    comparisons: list[Comparison]
    tests: list[SharedPairs]


def compare_tables(
    items: pa.Table,
    first: pa.Table,
    second: pa.Table,
    *,
    by: Sequence[str] = (),
    measures: Sequence[Measure] | None = None,
    summaries: Sequence[Summary] | None = None,
    settings: ScoringSettings = _SETTINGS,
    where: str = "items.parquet",
    revise: Revision | None = None,
) -> ComparedRuns:
    """Compare two runs on the pairs that both answered: the headline measures, unless others are given."""
    chosen = _headline(items) if measures is None else measures
    both = paired(
        items,
        [first, second],
        measures=chosen,
        summaries=summaries_for(suites_in(items)) if summaries is None else summaries,
        by=by,
        settings=settings,
        where=where,
    )
    return compare_paired(both, revise)


def compare_paired(both: PairedRuns, revise: Revision | None = None) -> ComparedRuns:
    """Compare the second of two runs with the first, by the measures that they were joined for.

    ``revise`` may put other intervals and p-values into the comparisons, before these are corrected.
    """
    chosen = both.measures
    found = [
        comparison
        for group in both.groups()
        for measure in chosen
        if (group.summary is None or group.summary.has(measure.name))
        and (comparison := _compare(group, measure, both.settings)) is not None
    ]
    if revise is not None:
        found = revise(found)
    better = {measure.name: measure.higher_is_better for measure in chosen}
    # What is said of all tests together is a family of its own: it neither weakens nor strengthens that of the tests.
    totals = holm([one.p if one.group.test in TOTALS else None for one in found])
    tests = holm([None if one.group.test in TOTALS else one.p for one in found])
    corrected = [own if own is not None else other for own, other in zip(totals, tests, strict=True)]
    comparisons = [
        msgspec.structs.replace(one, p_holm=p_holm, better=_verdict(one, p_holm, better[one.measure]))
        for one, p_holm in zip(found, corrected, strict=True)
    ]
    return ComparedRuns(comparisons, _add_reasons(both.shared_pairs(), found, chosen))


def _add_reasons(
    tests: Sequence[SharedPairs], found: Sequence[Comparison], measures: Sequence[Measure]
) -> list[SharedPairs]:
    """The same tests, with the reason where no comparison is about one."""
    compared = {one.group for one in found}
    titles = ", ".join(measure.title for measure in measures)
    return [
        one
        if one.group in compared
        else msgspec.structs.replace(
            one, reason="no pair was answered by both runs" if not one.shared else f"it has no {titles}"
        )
        for one in tests
    ]


def _headline(items: pa.Table) -> list[Measure]:
    return [measure for measure in measures_for(suites_in(items)) if measure.headline]


def _compare(group: PairedGroup, measure: Measure, settings: ScoringSettings) -> Comparison | None:
    found = group.scores(measure, "compare")
    if found is None or (not all(found.counts) and (measure.requires or group.is_mean)):
        return None
    n = found.counts[0]
    first, second = (float(value) for value in found.values)
    interval = found.difference() if n else NO_INTERVAL
    cases = None if isinstance(measure.finalize, RowsFinalizer) else group.cases(measure)
    parts = (f"mean-of:{len(group.tests())}",) if group.is_mean else ()
    signed = settings.add_parts(*parts, "pairs:kept-by-both")
    return Comparison(
        measure=measure.name,
        group=group.group,
        first=first if n else None,
        second=second if n else None,
        difference=second - first if n else None,
        low=interval.low,
        high=interval.high,
        n=n,
        only_first=cases[0] if cases else None,
        only_second=cases[1] if cases else None,
        p=mcnemar(*cases) if cases and n else None,
        signature=signed.sign(group.group, n, (*measure.signature_parts, *interval.signature_parts)),
        interval=interval.kind,
    )


def _verdict(one: Comparison, p_holm: float | None, higher_is_better: bool | None) -> Literal["first", "second"] | None:
    if higher_is_better is None or (p_holm is not None and p_holm >= _SIGNIFICANT):
        return None
    if one.low is not None and one.low > 0:
        return "second" if higher_is_better else "first"
    if one.high is not None and one.high < 0:
        return "first" if higher_is_better else "second"
    return None


def _side_by_side(
    items: pa.Table,
    replies: Sequence[pa.Table],
    measures: Sequence[Measure] | None,
    summaries: Sequence[Summary] | None,
    settings: ScoringSettings,
    where: str,
) -> Iterator[tuple[PairedGroup, PairedScores]]:
    """Every headline measure of pairs (or those given) that all runs have a value of: by test, and pooled."""
    chosen = [
        measure
        for measure in (_headline(items) if measures is None else measures)
        if measure.grain == "pair" and not isinstance(measure.finalize, RowsFinalizer)
    ]
    pooled = [
        one for one in (summaries_for(suites_in(items)) if summaries is None else summaries) if one.how == "pooled"
    ]
    runs = paired(items, replies, measures=chosen, summaries=pooled, settings=settings, where=where)
    for group in runs.groups():
        if group.group.facet is None:
            for measure in chosen:
                if group.summary is not None and not group.summary.has(measure.name):
                    continue
                found = group.scores(measure, _SIDE_BY_SIDE)
                if found is not None and all(found.counts):
                    yield group, found


def spread_tables(
    items: pa.Table,
    replies: Sequence[pa.Table],
    prompts: Sequence[str],
    *,
    measures: Sequence[Measure] | None = None,
    summaries: Sequence[Summary] | None = None,
    settings: ScoringSettings = _SETTINGS,
    where: str = "items.parquet",
) -> list[PromptSpread]:
    """How far the scores of one model under several prompts lie apart, for every test."""
    if len(replies) < 2:
        raise UsageError("a spread is over several prompts: give two or more runs")
    signed = settings.add_parts(f"prompts:{len(replies)}", "pairs:kept-by-all")
    found = []
    for group, one in _side_by_side(items, replies, measures, summaries, settings, where):
        n = min(one.counts)
        shared = group.share_of_all(one.measure, _SIDE_BY_SIDE) if one.measure.counts_correct else None
        found.append(
            PromptSpread(
                measure=one.measure.name,
                group=one.group,
                by_prompt=dict(zip(prompts, map(float, one.values), strict=True)),
                worst_prompt=prompts[int(np.argmin(one.values))],
                worst=_estimate(one, lambda values: values.min(axis=-1)),
                best=_estimate(one, lambda values: values.max(axis=-1)),
                range=_estimate(one, lambda values: values.max(axis=-1) - values.min(axis=-1)),
                sd=_estimate(one, lambda values: values.std(axis=-1, ddof=1)),
                all_prompts=None if shared is None else _estimate_all(shared),
                n=n,
                signature=signed.sign(one.group, n),
            )
        )
    return found


def _estimate(one: PairedScores, of: Callable[[Floats], Floats]) -> Estimate:
    interval = percentile_interval(np.asarray(of(one.drawn)))
    return Estimate(float(of(one.values)), interval.low, interval.high, min(one.counts))


def _estimate_all(shared: PairedScores) -> Estimate:
    interval = shared.interval()
    return Estimate(float(shared.values[0]), interval.low, interval.high, shared.counts[0])


def ablate_tables(
    items: pa.Table,
    with_image: pa.Table,
    ablated: pa.Table,
    image: str,
    *,
    measures: Sequence[Measure] | None = None,
    summaries: Sequence[Summary] | None = None,
    settings: ScoringSettings = _SETTINGS,
    where: str = "items.parquet",
) -> list[ImageAblation]:
    """How much of the score of a run is reached without its images, for every test."""
    signed = settings.add_parts("over:the-run-with-pictures", "pairs:kept-by-both")
    found = []
    for _, one in _side_by_side(items, [with_image, ablated], measures, summaries, settings, where):
        full, rest = (float(value) for value in one.values)
        ratio = np.full(len(one.drawn), np.nan)
        np.divide(one.drawn[:, 1], one.drawn[:, 0], out=ratio, where=one.drawn[:, 0] > 0)
        retained = percentile_interval(ratio)
        difference = percentile_interval(one.drawn[:, 0] - one.drawn[:, 1])
        n = min(one.counts)
        found.append(
            ImageAblation(
                measure=one.measure.name,
                group=one.group,
                image=image,
                with_image=full,
                ablated=rest,
                retained=rest / full if full else None,
                low=retained.low if full else None,
                high=retained.high if full else None,
                difference=full - rest,
                difference_low=difference.low,
                difference_high=difference.high,
                n=n,
                signature=signed.sign(one.group, n),
            )
        )
    return found


_QUESTIONS = tuple(
    Measure(
        name=f"correct_{name}",
        title=f"{name} correct",
        description=f"Whether the {name} is answered correctly.",
        grain="pair",
        where=(pl.col("task") == "answer") & side("outcome").is_not_null(),
        sums={"part": correct(side), "n": ONE},
    )
    for name, side in (("original", o), ("variant", v))
)
"""What is correct one by one. Where texts are ranked, no reply is by itself, only one text above the other."""


def overlap_tables(
    items: pa.Table,
    replies: Sequence[pa.Table],
    *,
    settings: ScoringSettings = _SETTINGS,
    where: str = "items.parquet",
) -> list[Overlap]:
    """How much of what each run gets right each other run gets right as well, for every test."""
    if len(replies) < 2:
        raise UsageError("overlap is between runs: give two or more")
    whole = [measure for measure in all_measures() if measure.counts_correct and not measure.items]
    runs = paired(items, replies, measures=[*_QUESTIONS, *whole], settings=settings, where=where)
    rows = runs.runs[0].pairs
    if not len(rows):
        return []
    test, included = rows.test[rows.cell], runs.included_by_run("pair")

    def count(flags: Sequence[Bools]) -> list[int]:
        """By test how many rows are flagged, over one or more flags."""
        counted = np.bincount(np.concatenate([test[one] for one in flags]), minlength=len(rows.tests))
        return [int(number) for number in counted]

    found: list[tuple[int, Overlap]] = []
    units: dict[OverlapUnit, Sequence[Measure]] = {"instances": _QUESTIONS, "pairs": whole}
    for unit, measures in units.items():
        of_measures = [own for measure in measures if (own := runs.rows_with(measure)) is not None]
        correct = list(zip(*(by_run for by_run, _ in of_measures), strict=True))
        if unit == "pairs":
            correct = [(np.logical_or.reduce(flags),) for flags in correct]
        occurring = count([about for _, about in of_measures])
        for run, given in permutations(range(len(replies)), 2):
            shared = count([one & other for one, other in zip(correct[run], correct[given], strict=True)])
            n = count([included[run] & other for other in correct[given]])
            found += [
                (number, _overlap(Group(*name), unit, run, given, shared[number], n[number], settings))
                for number, name in enumerate(rows.tests)
                if occurring[number]
            ]
    return [overlap for _, overlap in sorted(found, key=lambda one: one[0])]


def _overlap(
    group: Group, unit: OverlapUnit, run: int, given: int, shared: int, n: int, settings: ScoringSettings
) -> Overlap:
    signed = settings.add_parts(f"over:{unit}", "pairs:kept-by-both")
    return Overlap(
        group=group,
        over=unit,
        run=run,
        given=given,
        value=shared / n if n else None,
        n=n,
        signature=signed.sign_count(group, n),
    )
