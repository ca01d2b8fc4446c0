"""From a run to its scores."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from falter.measures.catalogue import every_measure
from falter.measures.cells import Cells, Floats, SetCells
from falter.measures.counting import Counted, count_by_cluster
from falter.measures.facets import Facet, of_pairs, read_facets
from falter.measures.grading import Graded, grade
from falter.measures.interning import NONE, Codes
from falter.measures.loading import in_probes, intern
from falter.measures.marks import marks_of
from falter.measures.matching import Estimated, matched_pairs
from falter.measures.means import mean_tally
from falter.measures.measure import Measure, Tally
from falter.measures.noise import noise_of_run
from falter.measures.pairs import Pairs, Sets, pairs_of, sets_of
from falter.measures.score import NO_REPLIES, Group, Score
from falter.measures.signature import signature
from falter.measures.statistics import Interval, bootstrap_sums, percentile_interval
from falter.measures.subsets import Subset, in_subset, mark, subset_of
from falter.measures.tables import asks_to_match, read_items, read_replies, replies_of_frame, tasks_of
from falter.measures.together import MEAN, PIECE, Grouping, is_whole_suite, tests_of, tests_together
from falter.measures.vqa_accuracy import Rule
from falter.runs import Run
from falter.runs.store import PARQUET_NAME

__all__ = ["Grouping", "Settings", "groupings", "load_replies", "score_graded", "score_run", "score_tables"]


def score_run(
    run: Run,
    *,
    by: Sequence[str] = (),
    seed: int = 0,
    draws: int = 1000,
    rule: Rule = "vqa-v2",
    subset: str | None = None,
) -> list[Score]:
    """The scores of a run: for every test its measures and counts; then, for every facet in ``by``, the same by value.

    ``draws=0`` leaves the intervals out. ``subset`` is all, valid or unanimous where a suite marks its pairs so; the
    valid ones by default. Tests that match texts with pictures come also together: as a test ``all`` (over pairs) and a
    test ``mean`` (over tests, each counting the same).
    """
    path = run.suite().items_path
    chosen = subset_of(path, subset)
    items = items_to_score(path, facets=bool(by), subset=chosen, probes=run.probe_ids())
    replies = load_replies(run, scores=asks_to_match(items))
    asked = marks_of(run.manifest, tasks_of(items))
    scores = score_tables(
        items, replies, by=by, seed=seed, draws=draws, rule=rule, where=str(path), subset=chosen, extra=asked
    )
    return scores + noise_of_run(run, items, seed=seed, draws=draws, rule=rule, extra=(*asked, *mark(chosen)))


def items_to_score(path: Path, *, facets: bool, subset: Subset | None, probes: Collection[str] | None) -> pa.Table:
    """The items of a subset as far as scoring needs them; facets where they are wanted or tests come together."""
    items = read_items(path, facets=facets or subset is not None, probes=probes)
    if "facets" not in items.column_names and asks_to_match(items):
        items = read_items(path, facets=True, probes=probes)
    return in_subset(items, subset)


def load_replies(run: Run, *, scores: bool = False) -> pa.Table:
    """The replies of a run as far as scoring needs them; ``scores`` where texts are matched."""
    if run.manifest.complete:
        return read_replies(run.folder / PARQUET_NAME, scores=scores)
    return replies_of_frame(run.replies())


def score_tables(
    items: pa.Table,
    replies: pa.Table,
    *,
    by: Sequence[str] = (),
    seed: int = 0,
    draws: int = 1000,
    rule: Rule = "vqa-v2",
    where: str = "items.parquet",
    subset: Subset | None = None,
    extra: tuple[str, ...] = (),
) -> list[Score]:
    """:func:`score_run` from tables in memory; of ``items`` those of the subset alone."""
    items = in_probes(items, where)
    graded = grade(intern(items, replies, where), rule)
    facets = read_facets(items["facets"], by) if by else {}
    return score_graded(
        graded,
        facets=facets,
        together=facets_together(items),
        seed=seed,
        draws=draws,
        rule=rule,
        extra=(*extra, *mark(subset)),
    )


def facets_together(items: pa.Table) -> dict[str, Facet]:
    """The facets by which tests that match texts come together: the pieces of VALSE."""
    if "facets" not in items.column_names or not asks_to_match(items):
        return {}
    return {name: facet for name, facet in read_facets(items["facets"]).items() if name == PIECE}


def score_graded(
    graded: Graded,
    *,
    facets: Mapping[str, Facet] = MappingProxyType({}),
    together: Mapping[str, Facet] = MappingProxyType({}),
    seed: int = 0,
    draws: int = 1000,
    rule: Rule = "vqa-v2",
    extra: tuple[str, ...] = (),
) -> list[Score]:
    """The scores of items that are graded already."""
    pairs = pairs_of(graded)
    sets = sets_of(pairs) if _sets_matter(pairs) else None
    settings = Settings(seed, draws, rule, extra)
    matched = matched_pairs(pairs)
    measures = every_measure()
    scores: list[Score] = []
    for found in _counted_groups(pairs, sets, facets, together, clustered=draws > 0 or matched is not None):
        group, of_pair, of_set, members = found
        units = {"pair": Units(pairs.cells, of_pair)}
        if sets is not None and of_set is not None:
            units["set"] = Units(sets.cells, of_set)
        scores += _scores(group, list(_tallied(measures, units)), settings)
        if matched is not None and members is not None:
            scores += _estimated(group, matched.estimates(members, group, seed=seed, draws=draws), settings)
        scores += _counts(group, pairs.cells, of_pair, settings)
        if matched is not None and members is not None and is_whole_suite(group, pairs):
            tests = tests_of(pairs, group.suite)
            averaged = Group(group.suite, MEAN)
            of_tests = settings._replace(extra=(*extra, f"mean-of:{len(tests)}"))
            scores += _scores(averaged, list(mean_tallied(measures, units["pair"], pairs.test)), of_tests)
            own = [members[pairs.test[pairs.cell[members]] == test] for test in tests]
            scores += _estimated(averaged, matched.mean(own, averaged, seed=seed, draws=draws), of_tests)
    return scores


class Settings(NamedTuple):
    """How intervals are drawn and answers judged."""

    seed: int
    draws: int
    rule: Rule
    extra: tuple[str, ...] = ()
    """What signatures say besides: how the model was asked, and the subset."""


class Units(NamedTuple):
    """The pairs or the sets of one group: the cells there may be, and how often each occurs."""

    cells: Cells | SetCells
    counted: Counted


def _sets_matter(pairs: Pairs) -> bool:
    """With one variant a set is a pair; then no measure of sets is shown."""
    return len(pairs) > 0 and bool((pairs.cells.expects == "each").any() or pairs.interned.variant.max() > 1)


class _CountedGroup(NamedTuple):
    group: Group
    of_pair: Counted
    of_set: Counted | None
    members: npt.NDArray[np.int64] | None = None
    """The pairs themselves, where tests match texts."""


def _counted_groups(
    pairs: Pairs, sets: Sets | None, facets: Mapping[str, Facet], together: Mapping[str, Facet], *, clustered: bool
) -> Iterator[_CountedGroup]:
    """Every group that occurs with the counts of its pairs and of its sets."""
    if not clustered and not facets and sets is None:
        for number, name in enumerate(pairs.tests):
            cell = np.flatnonzero(pairs.test == number)
            if len(cell):
                counted = Counted(1, np.zeros(len(cell), dtype=np.int64), cell, pairs.number[cell])
                yield _CountedGroup(Group(*name), counted, None)
        return
    for grouping in groupings(pairs, sets, facets, together):
        by_set = {} if sets is None else count_groups(grouping.of_set, sets, len(grouping.groups))
        for number, counted in count_groups(grouping.of_pair, pairs, len(grouping.groups)).items():
            members = None if pairs.interned.match is None else np.flatnonzero(grouping.of_pair == number)
            yield _CountedGroup(grouping.groups[number], counted, by_set.get(number), members)


def count_groups(of_unit: Codes, units: Pairs | Sets, groups: int) -> dict[int, Counted]:
    """By group the counts of its units."""
    return dict(
        count_by_cluster(
            of_unit, units.cluster, units.cell, groups=groups, clusters=units.clusters, cells=len(units.cells)
        )
    )


def groupings(
    pairs: Pairs, sets: Sets | None, facets: Mapping[str, Facet], together: Mapping[str, Facet] = MappingProxyType({})
) -> Iterator[Grouping]:
    """Whole tests first; then for each facet every test by value, values in order.

    Tests that match texts are followed by all of them together, whole and by the facets of ``together``.
    """
    test_of_pair = pairs.test[pairs.cell]
    test_of_set = sets.test[sets.cell] if sets is not None else test_of_pair[:0]
    originals = sets.original if sets is not None else pairs.original[:0]
    whole = [Group(*name) for name in pairs.tests]
    yield Grouping(test_of_pair, test_of_set, whole)
    yield from tests_together(pairs, test_of_set, {**together, **facets})
    for name, facet in facets.items():
        words = facet[1]
        order = sorted(range(len(words)), key=lambda code: words[code])
        rank = np.append(np.argsort(np.array(order, dtype=np.int64)), NONE).astype(np.int32)
        pair_value = rank[of_pairs(facet, pairs.original, pairs.variant)]
        set_value = rank[of_pairs(facet, originals, originals)]
        yield Grouping(
            np.where(pair_value < 0, NONE, test_of_pair * len(words) + pair_value).astype(np.int32),
            np.where(set_value < 0, NONE, test_of_set * len(words) + set_value).astype(np.int32),
            [Group(group.suite, group.test, name, words[code]) for group in whole for code in order],
        )


class _Tallied(NamedTuple):
    measure: Measure
    tally: Tally
    sums: Floats
    scored: bool = False
    """Some replies rank, but are neither right nor wrong by themselves."""


def _tallied(measures: Sequence[Measure], units: Mapping[str, Units]) -> Iterator[_Tallied]:
    """Each measure that applies to a group, with its sums by image."""
    for measure in measures:
        if measure.unit not in units:
            continue
        cells, counted = units[measure.unit]
        present = counted.cells()
        applies = np.isin(cells.task[present], list(measure.tasks)) & np.isin(
            cells.expects[present], list(measure.expects)
        )
        present = present[applies]
        tally = measure.tally(cells.take(present)) if len(present) else None
        if tally is not None:
            yield _Tallied(measure, tally, counted.sums(present, tally.adds), holds_scores(cells, present))


def holds_scores(cells: Cells | SetCells, present: npt.NDArray[np.int64]) -> bool:
    """Whether some of the cells are of replies that rank without being right or wrong by themselves."""
    return isinstance(cells, Cells) and not (cells.original.judged & cells.variant.judged)[present].all()


def mean_tallied(measures: Sequence[Measure], units: Units, test: Codes) -> Iterator[_Tallied]:
    """Each measure of matching pairs as the unweighted mean of its values in several tests."""
    cells, counted = units
    assert isinstance(cells, Cells)
    everything = counted.cells()
    for measure in measures:
        if measure.unit != "pair":
            continue
        applies = np.isin(cells.task[everything], list(measure.tasks)) & np.isin(
            cells.expects[everything], list(measure.expects)
        )
        present = everything[applies]
        mean = mean_tally(measure, cells.take(present), test[present])
        if mean is not None:
            yield _Tallied(measure, mean, counted.sums(present, mean.adds), holds_scores(cells, present))


def _scores(group: Group, tallied: list[_Tallied], settings: Settings) -> Iterator[Score]:
    seed, draws, rule, extra = settings
    blocks = {one.measure.name: _of_clusters_that_count(one.sums) for one in tallied}
    names = (group.suite, group.test, group.facet, group.value)
    drawn: dict[str, Floats] = {}
    for unit in ("pair", "set"):
        of_unit = {one.measure.name: blocks[one.measure.name] for one in tallied if one.measure.unit == unit}
        for clusters in sorted({len(block) for block in of_unit.values()}):
            alike = {name: block for name, block in of_unit.items() if len(block) == clusters}
            if draws and clusters > 1:
                drawn |= bootstrap_sums(alike, draws=draws, seed=seed, names=(*names, unit))
    for one in tallied:
        sums = one.sums.sum(axis=0)
        n = int(one.tally.size(sums))
        value = float(one.tally.value(sums)) if n else None
        name = one.measure.name
        interval = Interval(None, None)
        if value is not None and name in drawn:
            interval = percentile_interval(one.tally.value(drawn[name]))
        yield Score(
            measure=name,
            group=group,
            value=value,
            low=interval.low,
            high=interval.high,
            n=n,
            signature=signature(group, n=n, seed=seed, rule=rule, draws=draws, extra=(*_marks(one.measure), *extra)),
            reason=None if value is not None else _why_nothing(one),
        )


def _why_nothing(one: _Tallied) -> str:
    """Why a measure that applies to a group has no value there."""
    needs = str(getattr(one.measure, "needs", ""))
    return needs if needs and one.scored else NO_REPLIES


def _estimated(group: Group, found: Iterable[Estimated], settings: Settings) -> Iterator[Score]:
    seed, draws, rule, extra = settings
    for one in found:
        yield Score(
            measure=one.measure,
            group=group,
            value=one.value,
            low=one.interval.low,
            high=one.interval.high,
            n=one.n,
            signature=signature(group, n=one.n, seed=seed, rule=rule, draws=draws, extra=extra),
            reason=None if one.value is not None else NO_REPLIES,
        )


def _marks(measure: Measure) -> tuple[str, ...]:
    """What the signature of a measure with parameters says of them."""
    return tuple(getattr(measure, "marks", ()))


def _of_clusters_that_count(sums: Floats) -> Floats:
    """An image none of whose pairs counts is no part of the sample."""
    return sums[sums.any(axis=1)]


def _counts(group: Group, cells: Cells, counted: Counted, settings: Settings) -> Iterator[Score]:
    number = counted.totals(len(cells))
    total = int(number.sum())
    rest = np.ones(len(cells), dtype=bool)
    yield _count("pairs", group, total, total, settings)
    preferring = (cells.expects == "prefer") & (cells.task == "match")
    if number[preferring].any():
        yield _count("ties", group, int(number[preferring & cells.kept & cells.tied].sum()), total, settings)
    holds = cells.original.is_("unparsed") | cells.variant.is_("unparsed")
    yield _count("unparsed", group, int(number[holds & cells.kept].sum()), total, settings)
    for name in ("unsupported", "failed", "missing"):
        holds = rest & (cells.original.is_(name) | cells.variant.is_(name))
        rest &= ~holds
        yield _count(name, group, int(number[holds].sum()), total, settings)


def _count(name: str, group: Group, value: int, total: int, settings: Settings) -> Score:
    return Score(
        measure=name,
        group=group,
        value=float(value),
        n=total,
        signature=signature(group, n=total, seed=None, rule=settings.rule, extra=settings.extra),
    )
