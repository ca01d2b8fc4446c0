"""From tables of items and replies to scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from falter.evaluation.measures.catalogue import measures_for, summaries_for
from falter.evaluation.measures.counting import Counted, GroupCounts, Grouping, Summary, groupings
from falter.evaluation.measures.evaluation import (
    EvaluatedCells,
    EvaluatedRows,
    Tally,
    evaluate,
    evaluate_sets,
    mean_of_known,
    sets_matter,
    tally_mean,
)
from falter.evaluation.measures.intervals import (
    NO_INTERVAL,
    ScoreInterval,
    choose_interval,
    leave_out_sums,
    leave_out_weights,
    shares_of,
)
from falter.evaluation.measures.measure import Grain, Measure, RowsFinalizer
from falter.evaluation.measures.outcomes import OutcomeRows, Outcomes, outcomes, subset_signature, suites_in
from falter.evaluation.measures.outcomes.coding import Floats, Integers
from falter.evaluation.measures.outcomes.frame import FACET
from falter.evaluation.measures.results import NO_REPLIES, Group, Score, signature
from falter.evaluation.measures.statistics import Sample, Shares, bootstrap_sums, draw_clusters, generator
from falter.evaluation.score_options import PLAIN, ScoreOptions

_WEIGHTS_AT_ONCE = 1 << 17
"""So many numbers stay in the processor's cache from one step to the next."""


class ScoringSettings(NamedTuple):
    """The options of scores, and what their signatures say besides."""

    options: ScoreOptions = PLAIN
    signature_parts: tuple[str, ...] = ()
    """How the model was asked, and the subset."""

    def draw(self, blocks: Mapping[str, Floats], *names: object) -> dict[str, Floats]:
        """The sums of every resample of the clusters; nothing where intervals are left out."""
        if not self.options.n_resamples:
            return {}
        return bootstrap_sums(blocks, n_resamples=self.options.n_resamples, seed=self.options.seed, names=names)

    def add_parts(self, *parts: str, first: bool = False) -> ScoringSettings:
        """The same with more parts of the signature: behind those that there are, or before them."""
        own = self.signature_parts
        return self._replace(signature_parts=(*parts, *own) if first else (*own, *parts))

    def sign(self, group: Group, n: int, parts: tuple[str, ...] = ()) -> str:
        """The signature of a score with an interval."""
        options = self.options
        return signature(
            group,
            n=n,
            seed=options.seed,
            vqa_rule=options.vqa_rule,
            n_resamples=options.n_resamples,
            parts=(*parts, *self.signature_parts),
        )

    def sign_count(self, group: Group, n: int) -> str:
        """The signature of what is counted: nothing of it is drawn."""
        return signature(group, n=n, seed=None, vqa_rule=self.options.vqa_rule, parts=self.signature_parts)


def score_tables(
    items: pa.Table,
    replies: pa.Table,
    options: ScoreOptions = PLAIN,
    *,
    where: str = "items.parquet",
    signature_parts: tuple[str, ...] = (),
    measures: Sequence[Measure] | None = None,
    summaries: Sequence[Summary] | None = None,
    on_outcomes: Callable[[Outcomes], None] | None = None,
) -> list[Score]:
    """The scores of one run: by test its measures and counts; then, for every facet to break down by, by value.

    ``items`` are those of the subset alone, which signatures name. Tests of captions and foils are
    also summarized: as a test ``all`` (over pairs) and a test ``mean`` (over tests, each counting the same).
    ``on_outcomes`` is called with the outcomes before they are scored.
    """
    suites = suites_in(items)
    measures = measures_for(suites) if measures is None else measures
    summaries = summaries_for(suites) if summaries is None else summaries
    found = outcomes(
        items,
        replies,
        vqa_rule=options.vqa_rule,
        facets=options.by,
        optional_facets=facets_used(measures, summaries),
        where=where,
    )
    del items, replies
    if on_outcomes is not None:
        on_outcomes(found)
    settings = ScoringSettings(options, (*signature_parts, *subset_signature(options.subset)))
    return score_outcomes(found, by=options.by, measures=measures, summaries=summaries, settings=settings)


def facets_used(measures: Sequence[Measure], summaries: Sequence[Summary]) -> list[str]:
    """The facets that measures and summaries name themselves."""
    of_measures = (name.removeprefix(FACET) for one in measures for name in one.columns if name.startswith(FACET))
    return sorted({*of_measures, *(facet for one in summaries for facet in one.facets)})


def score_outcomes(
    found: Outcomes,
    *,
    by: Sequence[str] = (),
    measures: Sequence[Measure],
    summaries: Sequence[Summary] = (),
    settings: ScoringSettings,
) -> list[Score]:
    """The scores of one run from its outcomes."""
    pairs = found.pairs
    if not len(pairs):
        return []
    grains = evaluate_grains(found, measures)
    order = {measure.name: number for number, measure in enumerate(measures)}
    by_rows = any(isinstance(one, EvaluatedRows) for one in grains["pair"].measures)
    clustered = bool(settings.options.n_resamples or by or by_rows or len(grains) > 1)
    scores: list[Score] = []
    for ways in group_grains(grains, by, summaries):
        grouping = ways["pair"]
        counts = [
            (grains[grain], GroupCounts(grains[grain].rows, way, clustered=clustered)) for grain, way in ways.items()
        ]
        of_row = grouping.of_row(pairs) if by_rows else None
        for number in counts[0][1].of(pairs):
            members = np.zeros(0, dtype=np.int64) if of_row is None else np.flatnonzero(of_row == number)
            own = _score_group(grouping, number, counts, members, settings)
            scores += sorted(own, key=lambda score: order[score.measure])
    return scores


class EvaluatedGrain(NamedTuple):
    """The rows of one grain and the measures over them."""

    rows: OutcomeRows
    measures: Sequence[EvaluatedCells | EvaluatedRows]

    def find(self, measure: Measure) -> EvaluatedCells | EvaluatedRows | None:
        """One of the measures; None where its columns are not there."""
        return next((one for one in self.measures if one.measure is measure), None)


def evaluate_grains(found: Outcomes, measures: Sequence[Measure]) -> dict[Grain, EvaluatedGrain]:
    """The measures over pairs; over sets and items where there are any to measure."""
    grains: dict[Grain, EvaluatedGrain] = {}
    of_pairs, of_items = ([one for one in measures if one.grain == grain] for grain in ("pair", "item"))
    grains["pair"] = EvaluatedGrain(found.pairs, list(evaluate(found.pairs, of_pairs)))
    if sets_matter(found.pairs):
        grains["set"] = EvaluatedGrain(*evaluate_sets(found.pairs, measures))
    over_items = [one for one in of_items if one.columns <= {*found.states.columns, *found.frame.columns}]
    if over_items:
        grains["item"] = EvaluatedGrain(found.rows, list(evaluate(found.rows, over_items)))
    return grains


def group_grains(
    grains: Mapping[Grain, EvaluatedGrain], by: Sequence[str], summaries: Sequence[Summary]
) -> Iterator[dict[Grain, Grouping]]:
    """One way after the other to divide the rows of every grain into groups; summaries are of pairs, some of sets."""
    others = {grain: groupings(own.rows, by) for grain, own in grains.items() if grain != "pair"}
    for grouping in groupings(grains["pair"].rows, by, summaries):
        divided: dict[Grain, Grouping] = {"pair": grouping}
        if grouping.summary is None:
            divided |= {grain: next(rest) for grain, rest in others.items()}
        elif grouping.summary.sets and "set" in grains:
            divided["set"] = grouping.over_sets(grains["pair"].rows, grains["set"].rows)
        yield divided


def _score_group(
    grouping: Grouping,
    number: int,
    counts: Sequence[tuple[EvaluatedGrain, GroupCounts]],
    members: Integers,
    settings: ScoringSettings,
) -> Iterator[Score]:
    group, mean = grouping.groups[number], grouping.is_mean
    if mean:
        rows, of_pairs = counts[0][0].rows, counts[0][1]
        tests = np.unique(rows.test[of_pairs.of(rows)[number].cells()])
        settings = settings.add_parts(f"mean-of:{len(tests)}")
    summed: list[SummedMeasure] = []
    for evaluated, counts_of_grain in counts:
        for one in evaluated.measures:
            counted = counts_of_grain.of(one.rows).get(number)
            if counted is None or (mean and one.measure.scale == "count"):
                continue
            if grouping.summary is not None and not grouping.summary.has(one.measure.name):
                continue
            present = counted.cells()
            if isinstance(one, EvaluatedRows):
                if one.about[present].any():
                    yield from _score_rows(one, one.parts(members, by_test=mean), group, settings, mean=mean)
                continue
            tally = tally_mean(one, present) if mean else one.tally(present)
            if tally is None:
                continue
            if one.measure.scale == "count":
                yield _score_count(one, tally, counted, group, settings)
            else:
                sums = counted.sums(tally.cells, tally.adds)
                rank_only = bool(one.measure.requires) and bool(one.rows.rank_only[tally.cells].any())
                summed.append(SummedMeasure(one.measure, tally, sums, rank_only))
    yield from score_sums(group, summed, settings)


class SummedMeasure(NamedTuple):
    """A measure with its sums, of which its value and its interval follow."""

    measure: Measure
    tally: Tally
    sums: Floats
    """By cluster."""
    rank_only: bool = False
    """Some replies rank, but are not correct or incorrect by themselves."""

    @classmethod
    def from_sample(cls, measure: Measure, sample: Sample) -> SummedMeasure:
        """From rows that have values of their own."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(measure, Tally.plain(measure, nothing, np.zeros((0, len(measure.sums)))), sample.sums())


def score_sums(
    group: Group,
    found: Sequence[SummedMeasure],
    settings: ScoringSettings,
    stream: tuple[object, ...] | None = None,
) -> Iterator[Score]:
    """The scores of measures from their sums; ``stream`` names the random stream, else the group and the grain do."""
    names = (group.suite, group.test, group.facet, group.value)
    counted = [clusters_that_count(one.sums) for one in found]
    shares = [shares_of(one.measure, sums) if len(sums) else None for one, sums in zip(found, counted, strict=True)]
    drawn: dict[str, Floats] = {}
    for grain in ("item", "pair", "set"):
        blocks = {
            one.measure.stream: sums
            for one, sums, own in zip(found, counted, shares, strict=True)
            if one.measure.grain == grain and len(sums) > 1 and (own is None or not own.is_few())
        }
        for clusters in sorted({len(block) for block in blocks.values()}):
            alike = {name: block for name, block in blocks.items() if len(block) == clusters}
            drawn |= settings.draw(alike, *((*names, grain) if stream is None else stream))
    for one, sums, own in zip(found, counted, shares, strict=True):
        yield _score_summed(one, sums, own, drawn.get(one.measure.stream), group, settings)


def _score_summed(
    one: SummedMeasure,
    sums: Floats,
    shares: Shares | None,
    drawn: Floats | None,
    group: Group,
    settings: ScoringSettings,
) -> Score:
    """``sums`` are those of the images that count, ``drawn`` those of resamples, where any were drawn."""
    measure, tally = one.measure, one.tally
    total = one.sums.sum(axis=0)
    n = int(tally.size(total))
    interval, error = NO_INTERVAL, None
    if n and settings.options.n_resamples:
        resampled = np.zeros(0) if drawn is None else tally.value(drawn)
        interval = choose_interval(len(sums), shares, resampled, lambda: tally.value(leave_out_sums(sums)))
        if len(sums) > 1:
            error = _deviation(resampled) if shares is None else float(shares.error())
    value = float(tally.value(total)) if n else None
    reason = measure.requires if one.rank_only else NO_REPLIES
    return _score(measure, group, value, n, interval, settings, reason, error=error, images=len(sums))


def _deviation(values: Floats) -> float | None:
    """The standard deviation of what resamples have; None where fewer than two have anything."""
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else None


def _score(
    measure: Measure,
    group: Group,
    value: float | None,
    n: int,
    interval: ScoreInterval,
    settings: ScoringSettings,
    reason: str = NO_REPLIES,
    *,
    error: float | None = None,
    images: int | None = None,
) -> Score:
    return Score(
        measure=measure.name,
        group=group,
        value=value,
        low=interval.low,
        high=interval.high,
        n=n,
        signature=settings.sign(group, n, (*measure.signature_parts, *interval.signature_parts)),
        reason=None if value is not None else reason,
        se=error,
        images=images,
        interval=interval.kind,
    )


def clusters_that_count(sums: Floats) -> Floats:
    """An image none of whose rows counts is no part of the sample."""
    return sums[sums.any(axis=1)]


def _score_rows(
    one: EvaluatedRows, parts: list[Integers], group: Group, settings: ScoringSettings, *, mean: bool
) -> Iterator[Score]:
    """A measure from the values of rows; ``parts`` are the rows of a group, or of each test for a mean over tests."""
    measure, finalize = one.measure, one.measure.finalize
    if isinstance(finalize, RowsFinalizer):
        values = [finalize.value(one.columns[rows]) for rows in parts]
        known = [value for value in values if value is not None]
        if mean and not known:
            return
        samples = split_sample(one, parts)
        n = finalize.count(sum(map(len, parts)))
        value = float(np.mean(known)) if mean else values[0]
        images = len(np.unique(one.rows.cluster[np.concatenate(parts)])) if n else 0
        interval, error = NO_INTERVAL, None
        if n and settings.options.n_resamples:
            resampled = mean_of_known(resample_rows(one, samples, group, settings).T)
            interval = choose_interval(
                images, None, resampled, lambda: mean_of_known(leave_out_rows(finalize, samples).T)
            )
            error = _deviation(resampled)
        yield _score(measure, group, value, n, interval, settings, error=error, images=images)
    elif not mean:
        summed = SummedMeasure.from_sample(measure, one.sample(parts[0]))
        if summed.tally.size(summed.sums.sum(axis=0)) or measure.shown != "when it counts":
            stream = (group.suite, group.test, group.facet, group.value)
            yield from score_sums(group, [summed], settings, stream)


def split_sample(one: EvaluatedRows, parts: Sequence[Integers]) -> list[Sample]:
    """The values of each part, clusters numbered as in all parts together."""
    if not parts:
        return []
    whole = one.sample(np.concatenate(parts))
    ends = np.cumsum([len(part) for part in parts]).tolist()
    return [whole.take(np.arange(end - len(part), end)) for part, end in zip(parts, ends, strict=True)]


def resample_rows(
    one: EvaluatedRows, samples: Sequence[Sample], group: Group, settings: ScoringSettings, *purpose: str
) -> Floats:
    """The values of samples in every resample of their clusters, one row per sample; no resample of one cluster."""
    clusters = _clusters(samples)
    if not settings.options.n_resamples or clusters < 2:
        return np.zeros((len(samples), 0))
    finalize = one.measure.finalize
    assert isinstance(finalize, RowsFinalizer)
    names = (group.suite, group.test, group.facet, group.value, *purpose, one.measure.stream)
    at_once = max(1, _WEIGHTS_AT_ONCE // max(clusters, 2 * max(len(sample.cluster) for sample in samples)))
    weights = draw_clusters(generator(settings.options.seed, *names), clusters, settings.options.n_resamples, at_once)
    return finalize.resample(list(samples), weights)


def leave_out_rows(finalize: RowsFinalizer, samples: Sequence[Sample]) -> Floats:
    """The values of samples where each part of their clusters is left out in turn, one row per sample."""
    return finalize.resample(list(samples), [leave_out_weights(_clusters(samples))])


def _clusters(samples: Sequence[Sample]) -> int:
    return 1 + max((int(sample.cluster.max()) for sample in samples if len(sample.cluster)), default=0)


def _score_count(one: EvaluatedCells, tally: Tally, counted: Counted, group: Group, settings: ScoringSettings) -> Score:
    total = counted.totals(len(one.rows.cells))[tally.cells] @ tally.adds
    n = int(tally.size(total))
    return Score(
        measure=one.measure.name, group=group, value=float(total[0]), n=n, signature=settings.sign_count(group, n)
    )
