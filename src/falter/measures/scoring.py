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
from falter.measures.loading import Interned, in_probes, intern
from falter.measures.measure import Measure, Tally
from falter.measures.pairs import Pairs, Sets, pairs_of, sets_of
from falter.measures.score import Group, Score
from falter.measures.signature import signature
from falter.measures.statistics import Interval, bootstrap_sums, percentile_interval
from falter.measures.tables import read_items, read_replies, replies_of_frame
from falter.measures.vqa_accuracy import Rule
from falter.runs import Run
from falter.runs.store import PARQUET_NAME

__all__ = ["Grouping", "groupings", "load_replies", "score_graded", "score_run", "score_tables"]


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
    sets = sets_of(graded.interned, pairs)
    measures = every_measure()
    scores: list[Score] = []
    for grouping in groupings(graded.interned, pairs, sets, facets):
        by_set = dict(
            count_by_cluster(
                grouping.of_set,
                sets.cluster,
                sets.cell,
                groups=len(grouping.groups),
                clusters=sets.clusters,
                cells=len(sets.cells),
            )
        )
        for number, counted in count_by_cluster(
            grouping.of_pair,
            pairs.cluster,
            pairs.cell,
            groups=len(grouping.groups),
            clusters=pairs.clusters,
            cells=len(pairs.cells),
        ):
            group = grouping.groups[number]
            tallied = list(_tallied(measures, pairs.cells, counted, sets.cells, by_set.get(number)))
            scores += _scores(group, tallied, seed=seed, draws=draws, rule=rule)
            scores += _counts(group, pairs.cells, counted, rule)
    return scores


class Grouping(NamedTuple):
    """One way to part pairs and sets into groups: the group of each (-1 for none), and the groups in order."""

    of_pair: Codes
    of_set: Codes
    groups: list[Group]


def groupings(interned: Interned, pairs: Pairs, sets: Sets, facets: Mapping[str, Facet]) -> Iterator[Grouping]:
    """Whole tests first; then for each facet every test by value, values in order."""
    tests = sorted(range(len(interned.tests)), key=lambda code: interned.tests[code])
    place = np.argsort(np.array(tests, dtype=np.int64)).astype(np.int32) if tests else np.zeros(0, dtype=np.int32)
    test_of_pair, test_of_set = place[pairs.test], place[sets.test]
    whole = [Group(*interned.tests[code]) for code in tests]
    yield Grouping(test_of_pair, test_of_set, whole)
    for name, facet in facets.items():
        words = facet[1]
        order = sorted(range(len(words)), key=lambda code: words[code])
        rank = np.append(np.argsort(np.array(order, dtype=np.int64)), NONE).astype(np.int32)
        pair_value = rank[of_pairs(facet, pairs.original, pairs.variant)]
        set_value = rank[of_pairs(facet, sets.original, sets.original)]
        yield Grouping(
            np.where(pair_value < 0, NONE, test_of_pair * len(words) + pair_value).astype(np.int32),
            np.where(set_value < 0, NONE, test_of_set * len(words) + set_value).astype(np.int32),
            [Group(group.suite, group.test, name, words[code]) for group in whole for code in order],
        )


class _Tallied(NamedTuple):
    measure: Measure
    tally: Tally
    sums: Floats


def _tallied(
    measures: Sequence[Measure], cells: Cells, counted: Counted, set_cells: SetCells, sets: Counted | None
) -> Iterator[_Tallied]:
    """Each measure that applies to a group, with its sums by image."""
    for measure in measures:
        own, table = (counted, cells) if measure.unit == "pair" else (sets, set_cells)
        if own is None:
            continue
        present = own.cells()
        applies = np.isin(table.task[present], list(measure.tasks)) & np.isin(
            table.expects[present], list(measure.expects)
        )
        present = present[applies]
        tally = measure.tally(table.take(present)) if len(present) else None
        if tally is not None:
            yield _Tallied(measure, tally, own.sums(present, tally.adds))


def _scores(group: Group, tallied: list[_Tallied], *, seed: int, draws: int, rule: Rule) -> Iterator[Score]:
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
