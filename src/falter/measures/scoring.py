"""From a run to its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from falter.measures.catalogue import every_measure
from falter.measures.cells import Cells, Floats, SetCells
from falter.measures.counting import Counted, count_by_cluster
from falter.measures.facets import Facet, of_pairs, read_facets
from falter.measures.grading import Graded, grade
from falter.measures.interning import NONE, Codes
from falter.measures.loading import in_probes, intern
from falter.measures.measure import Measure, Tally
from falter.measures.pairs import Pairs, Sets, pairs_of, sets_of
from falter.measures.score import Group, Score
from falter.measures.signature import signature
from falter.measures.statistics import Interval, bootstrap_sums, percentile_interval
from falter.measures.tables import read_items, read_replies, replies_of_frame
from falter.measures.vqa_accuracy import Rule
from falter.runs import Run
from falter.runs.store import PARQUET_NAME

__all__ = ["Grouping", "Settings", "groupings", "load_replies", "score_graded", "score_run", "score_tables"]


def score_run(
    run: Run, *, by: Sequence[str] = (), seed: int = 0, draws: int = 1000, rule: Rule = "vqa-v2"
) -> list[Score]:
    """The scores of a run: for every test its measures and counts; then, for every facet in ``by``, the same by value.

    ``draws=0`` leaves the intervals out.
    """
    path = run.suite().items_path
    items = read_items(path, facets=bool(by), probes=run.probe_ids())
    return score_tables(items, load_replies(run), by=by, seed=seed, draws=draws, rule=rule, where=str(path))


def load_replies(run: Run) -> pa.Table:
    """The replies of a run as far as scoring needs them."""
    if run.manifest.complete:
        return read_replies(run.folder / PARQUET_NAME)
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
) -> list[Score]:
    """:func:`score_run` from tables in memory."""
    items = in_probes(items, where)
    graded = grade(intern(items, replies, where), rule)
    facets = read_facets(items["facets"], by) if by else {}
    return score_graded(graded, facets=facets, seed=seed, draws=draws, rule=rule)


def score_graded(
    graded: Graded,
    *,
    facets: Mapping[str, Facet] = MappingProxyType({}),
    seed: int = 0,
    draws: int = 1000,
    rule: Rule = "vqa-v2",
) -> list[Score]:
    """The scores of items that are graded already."""
    pairs = pairs_of(graded)
    sets = sets_of(pairs) if _sets_matter(pairs) else None
    settings = Settings(seed, draws, rule)
    scores: list[Score] = []
    for group, of_pair, of_set in _counted_groups(pairs, sets, facets, clustered=draws > 0):
        units = {"pair": Units(pairs.cells, of_pair)}
        if sets is not None and of_set is not None:
            units["set"] = Units(sets.cells, of_set)
        scores += _scores(group, list(_tallied(every_measure(), units)), settings)
        scores += _counts(group, pairs.cells, of_pair, rule)
    return scores


class Settings(NamedTuple):
    """How intervals are drawn and answers judged."""

    seed: int
    draws: int
    rule: Rule


class Units(NamedTuple):
    """The pairs or the sets of one group: the cells there may be, and how often each occurs."""

    cells: Cells | SetCells
    counted: Counted


def _sets_matter(pairs: Pairs) -> bool:
    """With one variant a set is a pair; then no measure of sets is shown."""
    return len(pairs) > 0 and bool((pairs.cells.expects == "each").any() or pairs.interned.variant.max() > 1)


def _counted_groups(
    pairs: Pairs, sets: Sets | None, facets: Mapping[str, Facet], *, clustered: bool
) -> Iterator[tuple[Group, Counted, Counted | None]]:
    """Every group that occurs with the counts of its pairs and of its sets."""
    if not clustered and not facets and sets is None:
        for number, name in enumerate(pairs.tests):
            cell = np.flatnonzero(pairs.test == number)
            if len(cell):
                yield Group(*name), Counted(1, np.zeros(len(cell), dtype=np.int64), cell, pairs.number[cell]), None
        return
    for grouping in groupings(pairs, sets, facets):
        by_set = {} if sets is None else count_groups(grouping.of_set, sets, len(grouping.groups))
        for number, counted in count_groups(grouping.of_pair, pairs, len(grouping.groups)).items():
            yield grouping.groups[number], counted, by_set.get(number)


def count_groups(of_unit: Codes, units: Pairs | Sets, groups: int) -> dict[int, Counted]:
    """By group the counts of its units."""
    return dict(
        count_by_cluster(
            of_unit, units.cluster, units.cell, groups=groups, clusters=units.clusters, cells=len(units.cells)
        )
    )


class Grouping(NamedTuple):
    """One way to part pairs and sets into groups: the group of each (-1 for none), and the groups in order."""

    of_pair: Codes
    of_set: Codes
    groups: list[Group]


def groupings(pairs: Pairs, sets: Sets | None, facets: Mapping[str, Facet]) -> Iterator[Grouping]:
    """Whole tests first; then for each facet every test by value, values in order."""
    test_of_pair = pairs.test[pairs.cell]
    test_of_set = sets.test[sets.cell] if sets is not None else test_of_pair[:0]
    originals = sets.original if sets is not None else pairs.original[:0]
    whole = [Group(*name) for name in pairs.tests]
    yield Grouping(test_of_pair, test_of_set, whole)
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
            yield _Tallied(measure, tally, counted.sums(present, tally.adds))


def _scores(group: Group, tallied: list[_Tallied], settings: Settings) -> Iterator[Score]:
    seed, draws, rule = settings
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
            signature=signature(group, n=n, seed=seed, rule=rule, draws=draws),
        )


def _of_clusters_that_count(sums: Floats) -> Floats:
    """An image none of whose pairs counts is no part of the sample."""
    return sums[sums.any(axis=1)]


def _counts(group: Group, cells: Cells, counted: Counted, rule: Rule) -> Iterator[Score]:
    number = counted.totals(len(cells))
    total = int(number.sum())
    rest = np.ones(len(cells), dtype=bool)
    yield _count("pairs", group, total, total, rule)
    holds = cells.original.is_("unparsed") | cells.variant.is_("unparsed")
    yield _count("unparsed", group, int(number[holds & cells.kept].sum()), total, rule)
    for name in ("unsupported", "failed", "missing"):
        holds = rest & (cells.original.is_(name) | cells.variant.is_(name))
        rest &= ~holds
        yield _count(name, group, int(number[holds].sum()), total, rule)


def _count(name: str, group: Group, value: int, total: int, rule: Rule) -> Score:
    return Score(
        measure=name,
        group=group,
        value=float(value),
        n=total,
        signature=signature(group, n=total, seed=None, rule=rule),
    )
