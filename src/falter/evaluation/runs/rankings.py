"""Rankings of the runs of one suite: runs that no comparison tells apart are tied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import erfc, sqrt

import msgspec
import numpy as np
import numpy.typing as npt

from falter.evaluation.measures.measure import Measure, RowsFinalizer
from falter.evaluation.measures.outcomes.coding import Bools, Floats
from falter.evaluation.measures.paired import PairedGroup, PairedRuns, PairedScores
from falter.evaluation.measures.results import Group
from falter.evaluation.measures.statistics import holm, mcnemar
from falter.evaluation.runs.scoring import pair_runs
from falter.evaluation.runs.store import Run
from falter.evaluation.score_options import PLAIN, ScoreOptions

_SIGNIFICANT = 0.05


class RankedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run in a ranking; runs are numbered as they were given.

    ``rank`` is one more than the number of runs that are clearly better, ``last`` the place it would have if it lost
    every undecided comparison. ``tied`` are the runs that the data cannot order against it.
    """

    run: int
    value: float
    rank: int
    last: int
    tied: tuple[int, ...] = ()

    @property
    def places(self) -> str:
        """The places it may have: ``2``, or ``2–4``."""
        return str(self.rank) if self.rank == self.last else f"{self.rank}–{self.last}"


class ModelRanking(msgspec.Struct, frozen=True, kw_only=True):
    """Runs by one measure over the pairs that all of them include, best first.

    Two runs are ordered where the 95 % interval of their difference (paired, over images) excludes 0 and the
    p-value, corrected by Holm over all pairs of runs, is below 0.05. ``sets`` are the largest sets of runs of which
    no two are ordered, best first; a run may be in several.
    """

    measure: str
    group: Group
    n: int
    runs: tuple[RankedRun, ...]
    sets: tuple[tuple[int, ...], ...]

    @property
    def is_decisive(self) -> bool:
        """Whether the data order all runs."""
        return all(not one.tied for one in self.runs)

    def in_words(self, names: Sequence[str]) -> str:
        """The ranking in one sentence: ``1 a; 2–3 b, c; 4 d``."""
        places: dict[str, list[str]] = {}
        for one in self.runs:
            places.setdefault(one.places, []).append(names[one.run])
        return "; ".join(f"{place} {', '.join(own)}" for place, own in places.items())


def rank_paired(runs: PairedRuns, *, measures: Sequence[str] | None = None) -> list[ModelRanking]:
    """Rank runs by every measure that they were joined for, in every group; ``measures`` keeps some."""
    return [
        found
        for group in runs.groups()
        for measure in runs.measures
        if (measures is None or measure.name in measures)
        and (group.summary is None or group.summary.has(measure.name))
        and (found := _rank(group, measure)) is not None
    ]


def _rank(group: PairedGroup, measure: Measure) -> ModelRanking | None:
    if measure.higher_is_better is None:
        return None
    found = group.scores(measure, "rank")
    if found is None or not all(found.counts):
        return None
    better = _clearly_above(group, measure, found)
    if not measure.higher_is_better:
        better = better.T
    ranked = rank_values(found.values if measure.higher_is_better else -found.values, better)
    values = [msgspec.structs.replace(one, value=float(found.values[one.run])) for one in ranked]
    return ModelRanking(
        measure=measure.name,
        group=group.group,
        n=min(found.counts),
        runs=tuple(values),
        sets=tied_sets([one.run for one in ranked], better),
    )


def _clearly_above(group: PairedGroup, measure: Measure, found: PairedScores) -> Bools:
    """By two runs whether the first has clearly the higher value."""
    count = len(found.values)
    by_row = isinstance(measure.finalize, RowsFinalizer)
    cases = None if by_row else group.cases_between(measure)
    pairs = [(one, other) for one in range(count) for other in range(one + 1, count)]
    p_values, signs = [], []
    for one, other in pairs:
        interval = found.difference(other, one)
        above = interval.low is not None and interval.low > 0
        below = interval.high is not None and interval.high < 0
        signs.append(1 if above else -1 if below else 0)
        if cases is not None:
            p_values.append(mcnemar(int(cases[one, other]), int(cases[other, one])))
        else:
            drawn = found.drawn[:, one] - found.drawn[:, other]
            p_values.append(_normal_p(float(found.values[one] - found.values[other]), drawn))
    better = np.zeros((count, count), dtype=bool)
    for (one, other), sign, p in zip(pairs, signs, holm(p_values), strict=True):
        if sign and p is not None and p < _SIGNIFICANT:
            better[(one, other) if sign > 0 else (other, one)] = True
    return better


def _normal_p(difference: float, drawn: Floats) -> float:
    """The two-sided p-value of a difference from the deviation of its resamples."""
    known = drawn[~np.isnan(drawn)]
    deviation = float(known.std(ddof=1)) if len(known) > 1 else 0.0
    if deviation == 0:
        return 1.0 if difference == 0 or len(known) < 2 else 0.0
    return float(erfc(abs(difference) / deviation / sqrt(2)))


def rank_values(values: npt.ArrayLike, better: npt.ArrayLike) -> list[RankedRun]:
    """Runs by value, highest first; ``better[i, j]`` says that run i is clearly better than run j.

    >>> [(one.run, one.places) for one in rank_values([0.5, 0.9, 0.6], [[0, 0, 0], [1, 0, 0], [0, 0, 0]])]
    [(1, '1–2'), (2, '1–3'), (0, '2–3')]
    """
    value, above = np.asarray(values, dtype=np.float64), np.asarray(better, dtype=bool)
    tied = ~(above | above.T)
    return [
        RankedRun(
            run=int(run),
            value=float(value[run]),
            rank=1 + int(above[:, run].sum()),
            last=len(value) - int(above[run].sum()),
            tied=tuple(int(other) for other in np.flatnonzero(tied[run]) if other != run),
        )
        for run in np.argsort(-value, kind="stable")
    ]


def tied_sets(order: Sequence[int], better: npt.ArrayLike) -> tuple[tuple[int, ...], ...]:
    """The largest sets of runs of which no two are ordered, each and all in the given order.

    >>> tied_sets([1, 2, 0], [[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    ((1, 2), (2, 0))
    """
    above = np.asarray(better, dtype=bool)
    ordered = above | above.T
    place = {run: number for number, run in enumerate(order)}
    sets = [frozenset(order)]
    for one, other in _ordered_pairs(order, ordered):
        # A set that holds two ordered runs falls into one without the first and one without the second.
        split = [part for own in sets if {one, other} <= own for part in (own - {one}, own - {other})]
        sets = [own for own in sets if not {one, other} <= own]
        for part in sorted(set(split), key=lambda own: -len(own)):
            if not any(part <= own for own in sets):
                sets.append(part)
    return tuple(
        sorted((tuple(sorted(own, key=place.__getitem__)) for own in sets), key=lambda own: [place[one] for one in own])
    )


def _ordered_pairs(order: Sequence[int], ordered: Bools) -> Iterator[tuple[int, int]]:
    for number, one in enumerate(order):
        for other in order[number + 1 :]:
            if ordered[one, other]:
                yield one, other


def rank_runs(runs: Sequence[Run], options: ScoreOptions = PLAIN) -> list[ModelRanking]:
    """Rank two or more runs of one suite by every headline measure, in every test and summary.

    The options may name others. Runs are numbered as they were given.
    """
    return rank_paired(pair_runs(runs, options))


def runs_by_suite(runs: Sequence[Run]) -> list[list[int]]:
    """The numbers of the runs of each suite that can be ranked, by fingerprint, in the order given."""
    found: dict[str, list[int]] = {}
    for number, run in enumerate(runs):
        found.setdefault(run.manifest.suite.fingerprint, []).append(number)
    competing = ([own[one] for one in competing_runs([runs[number] for number in own])] for own in found.values())
    return [own for own in competing if own]


def competing_runs(runs: Sequence[Run]) -> list[int]:
    """The numbers of the runs of one suite that can be ranked.

    A run that asked a part in random order has no place among others: it has other pairs, and other intervals. Where
    two or more runs asked more, one that asked a part would leave little to rank by; and control runs, whose models
    did not get their images, are no competitors.
    """
    given = [number for number, run in enumerate(runs) if run.sampled() is None]
    seeing = [number for number in given if not runs[number].manifest.is_control] or given
    most = max((runs[number].manifest.asked for number in seeing), default=0)
    whole = [number for number in seeing if runs[number].manifest.asked == most]
    return whole if len(whole) > 1 else seeing
