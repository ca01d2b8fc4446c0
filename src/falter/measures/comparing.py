"""Two runs on the same questions: which is better, where, and by how much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from falter.measures.auroc import AUROC
from falter.measures.catalogue import MEASURES
from falter.measures.cells import Cells, Floats, SetCells
from falter.measures.comparing_areas import areas_compared
from falter.measures.comparison import Comparison
from falter.measures.counting import Counted, count_by_cluster
from falter.measures.facets import read_facets
from falter.measures.grading import Graded, grade
from falter.measures.interning import NONE, Codes, code_rows
from falter.measures.loading import in_probes, intern
from falter.measures.matching import MatchedPairs, matched_pairs
from falter.measures.means import mean_tally
from falter.measures.measure import Measure, Tally
from falter.measures.pairs import Pairs, Sets, pairs_of, sets_of
from falter.measures.score import Group
from falter.measures.scoring import Settings, groupings
from falter.measures.shared_items import items_of_runs
from falter.measures.signature import signature
from falter.measures.statistics import Interval, bootstrap_sums, holm, mcnemar, percentile_interval
from falter.measures.subsets import Subset, mark
from falter.measures.together import MEAN, Grouping, is_whole_suite, tests_of
from falter.measures.vqa_accuracy import Rule
from falter.runs import Run

__all__ = ["COMPARED", "Comparison", "compare_runs", "compare_tables"]

COMPARED = ("acc_r", "acc", "min_pc_pf", "auroc", "cons", "c_acc", "set_acc", "vqa_accuracy")
"""The measures of which more is better."""

SIGNIFICANT = 0.05

_ITEMS_OF = {"acc": ("original", "variant"), "acc_original": ("original",), "acc_perturbed": ("variant",)}
"""Measures over questions: McNemar's test takes every distinct question once, however many pairs it is in."""


def compare_runs(
    a: Run,
    b: Run,
    *,
    by: Sequence[str] = (),
    measures: Sequence[str] = COMPARED,
    seed: int = 0,
    draws: int = 1000,
    rule: Rule = "vqa-v2",
    subset: str | None = None,
) -> list[Comparison]:
    """Compare two runs of one suite on the pairs that both answered; ``subset`` as in :func:`score_run`."""
    shared = items_of_runs((a, b), facets=bool(by), subset=subset)
    return compare_tables(
        shared.items,
        *shared.replies,
        by=by,
        measures=measures,
        seed=seed,
        draws=draws,
        rule=rule,
        where=shared.where,
        subset=shared.subset,
    )


def compare_tables(
    items: pa.Table,
    first: pa.Table,
    second: pa.Table,
    *,
    by: Sequence[str] = (),
    measures: Sequence[str] = COMPARED,
    seed: int = 0,
    draws: int = 1000,
    rule: Rule = "vqa-v2",
    where: str = "items.parquet",
    subset: Subset | None = None,
) -> list[Comparison]:
    """:func:`compare_runs` from tables in memory; of ``items`` those of the subset alone."""
    items = in_probes(items, where)
    facets = read_facets(items["facets"], by) if by else {}
    both = _Both.of(grade(intern(items, first, where), rule), grade(intern(items, second, where), rule))
    chosen = [MEASURES.get(name) for name in measures]
    comparisons: list[Comparison] = []
    settings = Settings(seed, draws, rule, mark(subset))
    for grouping in groupings(both.pairs[0], both.sets[0], facets):
        comparisons += _of_grouping(both, grouping, chosen, settings)
    corrected = holm([one.p for one in comparisons])
    return [
        msgspec.structs.replace(one, p_holm=p_holm, better=_better(one, p_holm))
        for one, p_holm in zip(comparisons, corrected, strict=True)
    ]


def _better(one: Comparison, p_holm: float | None) -> Literal["first", "second"] | None:
    if p_holm is not None and p_holm >= SIGNIFICANT:
        return None
    if one.low is not None and one.low > 0:
        return "second"
    if one.high is not None and one.high < 0:
        return "first"
    return None


class _Joint(NamedTuple):
    """Units that both runs have kept (-1 for the others), each with the number of its pair of cells."""

    cell: Codes
    of_first: npt.NDArray[np.int64]
    of_second: npt.NDArray[np.int64]
    kept: npt.NDArray[np.bool_]


class _Both(NamedTuple):
    first: Graded
    second: Graded
    pairs: tuple[Pairs, Pairs]
    sets: tuple[Sets, Sets]
    joint_pairs: _Joint
    joint_sets: _Joint
    matched: tuple[MatchedPairs, MatchedPairs] | None

    @classmethod
    def of(cls, first: Graded, second: Graded) -> _Both:
        pairs = pairs_of(first), pairs_of(second)
        sets = sets_of(pairs[0]), sets_of(pairs[1])
        one, two = matched_pairs(pairs[0]), matched_pairs(pairs[1])
        matched = None if one is None or two is None else (one, two)
        return cls(first, second, pairs, sets, _joint(*pairs), _joint(*sets), matched)


def _joint(first: Pairs | Sets, second: Pairs | Sets) -> _Joint:
    cell, rows = code_rows([first.cell, second.cell])
    kept = first.cells.kept[first.cell] & second.cells.kept[second.cell]
    return _Joint(cell, rows[:, 0], rows[:, 1], kept)


def _of_grouping(
    both: _Both, grouping: Grouping, measures: Sequence[Measure], settings: Settings
) -> Iterator[Comparison]:
    pairs, sets = both.pairs[0], both.sets[0]
    of_pair = np.where(both.joint_pairs.kept, grouping.of_pair, NONE).astype(np.int32)
    of_set = np.where(both.joint_sets.kept, grouping.of_set, NONE).astype(np.int32)
    counted = _counted(of_pair, pairs, both.joint_pairs, len(grouping.groups))
    counted_sets = _counted(of_set, sets, both.joint_sets, len(grouping.groups))
    for number, group in enumerate(grouping.groups):
        members = None
        for measure in measures:
            if measure.name == AUROC.name and both.matched is not None:
                members = np.flatnonzero(of_pair == number) if members is None else members
                yield from areas_compared(both.matched, [members], group, settings)
            of_pairs = measure.unit == "pair"
            own = (counted if of_pairs else counted_sets).get(number)
            tables = (
                (both.pairs[0].cells, both.pairs[1].cells) if of_pairs else (both.sets[0].cells, both.sets[1].cells)
            )
            paired = own and _tally(measure, own, both.joint_pairs if of_pairs else both.joint_sets, *tables)
            if not own or not paired or (hasattr(measure, "needs") and measure.needs and not paired.measured):
                continue
            cases = paired.cases
            if measure.name in _ITEMS_OF:
                members = np.flatnonzero(of_pair == number) if members is None else members
                cases = _question_cases(both, members, _ITEMS_OF[measure.name])
            yield _comparison(measure, group, paired, cases, settings)
        if number in counted and both.matched is not None and is_whole_suite(group, pairs):
            yield from _of_means(both, np.flatnonzero(of_pair == number), counted[number], measures, group, settings)


def _of_means(
    both: _Both,
    members: npt.NDArray[np.int64],
    counted: Counted,
    measures: Sequence[Measure],
    whole: Group,
    settings: Settings,
) -> Iterator[Comparison]:
    """The unweighted means over the matching tests of a suite."""
    assert both.matched is not None
    pairs = both.pairs[0]
    tests = tests_of(pairs, whole.suite)
    group = Group(whole.suite, MEAN)
    settings = settings._replace(extra=(*settings.extra, f"mean-of:{len(tests)}"))
    for measure in measures:
        if measure.name == AUROC.name:
            own = [members[pairs.test[pairs.cell[members]] == test] for test in tests]
            yield from areas_compared(both.matched, own, group, settings)
        if measure.unit == "pair":
            cells = both.pairs[0].cells, both.pairs[1].cells
            paired = _tally(measure, counted, both.joint_pairs, *cells, test=pairs.test)
            if paired is not None and paired.measured:
                yield _comparison(measure, group, paired, None, settings)


def _counted(of_unit: Codes, units: Pairs | Sets, joint: _Joint, groups: int) -> dict[int, Counted]:
    return dict(
        count_by_cluster(
            of_unit,
            units.cluster,
            joint.cell,
            groups=groups,
            clusters=units.clusters,
            cells=len(joint.of_first),
        )
    )


class _Paired(NamedTuple):
    first: Tally
    second: Tally
    sums: Floats
    """By image: the sums of the first run, then those of the second."""
    cases: tuple[int, int] | None

    @property
    def measured(self) -> bool:
        """Both runs have something that counts."""
        width, total = self.first.adds.shape[1], self.sums.sum(axis=0)
        return bool(self.first.size(total[:width])) and bool(self.second.size(total[width:]))


def _tally(
    measure: Measure,
    counted: Counted,
    joint: _Joint,
    first: Cells | SetCells,
    second: Cells | SetCells,
    *,
    test: Codes | None = None,
) -> _Paired | None:
    """A measure of both runs over some cells; its mean over tests, where ``test`` tells that of the first's cells."""
    present = counted.cells()
    of_first, of_second = joint.of_first[present], joint.of_second[present]
    applies = np.isin(first.task[of_first], list(measure.tasks)) & np.isin(
        first.expects[of_first], list(measure.expects)
    )
    present, of_first, of_second = present[applies], of_first[applies], of_second[applies]
    if not len(present):
        return None
    if test is None:
        one, two = measure.tally(first.take(of_first)), measure.tally(second.take(of_second))
    else:
        # A pair is of the same test in both runs.
        one, two = (
            mean_tally(measure, cells.take(of_run), test[of_first])
            for cells, of_run in ((first, of_first), (second, of_second))
        )
    if one is None or two is None:
        return None
    number = counted.totals(len(joint.of_first))[present]
    return _Paired(
        one, two, counted.sums(present, np.concatenate([one.adds, two.adds], axis=1)), _cases(one, two, number)
    )


def _cases(one: Tally, two: Tally, number: npt.NDArray[np.int64]) -> tuple[int, int] | None:
    """How many units only one run has, where a measure is the share of units that have something."""
    whole = one.adds[:, -1]
    if one.adds.shape != two.adds.shape or one.adds.shape[1] != 2 or not np.array_equal(whole, two.adds[:, 1]):
        return None
    parts = one.adds[:, 0], two.adds[:, 0]
    if not all(np.isin(column, (0.0, 1.0)).all() for column in (whole, *parts)):
        return None
    return int(number[parts[0] > parts[1]].sum()), int(number[parts[1] > parts[0]].sum())


def _question_cases(both: _Both, members: npt.NDArray[np.int64], sides: tuple[str, ...]) -> tuple[int, int]:
    """How many distinct questions only one run answers rightly."""
    rows = np.concatenate([getattr(both.pairs[0], side)[members] for side in sides])
    right = [graded.states.right[graded.state[rows]] for graded in (both.first, both.second)]
    differ = right[0] != right[1]
    # A pair that is kept has its replies, so the row of the reply tells questions apart.
    seen = np.unique(both.first.interned.row[rows[differ]].astype(np.int64) * 2 + right[0][differ])
    only_first = int((seen % 2).sum())
    return only_first, len(seen) - only_first


def _comparison(
    measure: Measure,
    group: Group,
    paired: _Paired,
    cases: tuple[int, int] | None,
    settings: Settings,
) -> Comparison:
    seed, draws, rule, extra = settings
    width = paired.first.adds.shape[1]

    def difference(sums: Floats) -> Floats:
        return np.asarray(paired.second.value(sums[..., width:]) - paired.first.value(sums[..., :width]))

    sums = paired.sums[paired.sums.any(axis=1)]
    total = sums.sum(axis=0)
    n = int(paired.first.size(total[:width]))
    interval = Interval(None, None)
    if draws and len(sums) > 1:
        names = (group.suite, group.test, group.facet, group.value, "compare")
        drawn = bootstrap_sums({measure.name: sums}, draws=draws, seed=seed, names=names)
        interval = percentile_interval(difference(drawn[measure.name]))
    return Comparison(
        measure=measure.name,
        group=group,
        first=float(paired.first.value(total[:width])) if n else None,
        second=float(paired.second.value(total[width:])) if n else None,
        difference=float(difference(total)) if n else None,
        low=interval.low,
        high=interval.high,
        n=n,
        only_first=cases[0] if cases else None,
        only_second=cases[1] if cases else None,
        p=mcnemar(*cases) if cases and n else None,
        signature=signature(group, n=n, seed=seed, rule=rule, draws=draws, extra=(*extra, "pairs:kept-by-both")),
    )
