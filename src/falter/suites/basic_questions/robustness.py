"""Accuracy under noise of rising strength: by level and answer type, with the R_score of each level and its curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt

from falter.evaluation.measures.outcomes import FACET
from falter.evaluation.measures.outcomes.coding import Floats
from falter.evaluation.measures.results import Estimate, Group, signature
from falter.evaluation.measures.statistics import bootstrap_sums, percentile_interval
from falter.evaluation.runs import Run
from falter.evaluation.runs.scoring import outcomes_of_run
from falter.evaluation.score_options import PLAIN, ScoreOptions
from falter.suites.basic_questions.measures import LIMIT, TOLERANCE, kendall_tau, r_score

if TYPE_CHECKING:
    import polars as pl

ALL = "all"
_TYPES = ("other", "number", "yes/no")
_LEVELS = ("partition", "similarity", "appended")
"""Facets that say how strong the noise is; the first that a test has."""

_T = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)
_M = (6.0, 8.0, 10.0, 12.5, 15.0, 17.5, 20.0, 25.0, 30.0, 35.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0)


class NoiseLevel(msgspec.Struct, frozen=True, kw_only=True):
    """One strength of noise: by answer type the accuracy, and what it lost against the same questions without noise."""

    name: str
    accuracy: dict[str, Estimate]
    drop: dict[str, Estimate]
    r_score: Estimate


class CurvePoint(msgspec.Struct, frozen=True):
    """The R_score of the first level under other parameters."""

    t: float
    m: float
    value: float | None
    low: float | None = None
    high: float | None = None


class Robustness(msgspec.Struct, frozen=True, kw_only=True):
    """One test of one run. Accuracies and drops are shares; t and m are percent points."""

    suite: str
    test: str
    facet: str | None
    """What tells the levels apart; None where there is one."""
    types: tuple[str, ...]
    original: dict[str, Estimate]
    levels: tuple[NoiseLevel, ...]
    monotonicity: Estimate
    """Kendall's tau between the number of a level and its drop: 1 where each level harms more than the one before."""
    over_t: tuple[CurvePoint, ...]
    over_m: tuple[CurvePoint, ...]
    t: float
    m: float
    images: int
    signature: str


def robustness_of_run(
    run: Run,
    options: ScoreOptions = PLAIN,
    *,
    t: float = TOLERANCE,
    m: float = LIMIT,
    tests: Sequence[str] | None = None,
) -> list[Robustness]:
    """The robustness of a run on each of its tests (or on some) in which the answer must stay."""
    return robustness_of_frame(outcomes_of_run(run, options).table_of_pairs(), options, t=t, m=m, tests=tests)


def robustness_of_frame(
    frame: pl.DataFrame,
    options: ScoreOptions = PLAIN,
    *,
    t: float = TOLERANCE,
    m: float = LIMIT,
    tests: Sequence[str] | None = None,
) -> list[Robustness]:
    """The same from outcomes in memory (:meth:`falter.evaluation.measures.Outcomes.table_of_pairs`)."""
    import polars as pl

    r_score(0.0, t, m)
    found = []
    kept = frame.filter(
        pl.col("included")
        & (pl.col("expects") == "same")
        & (pl.col("task") == "answer")
        # A single question has no variant.
        & pl.col("variant_credit").cast(pl.Float64).is_finite().fill_null(value=False)
    )
    for (suite, test), own in kept.group_by("suite", "test", maintain_order=True):
        if tests is None or test in tests:
            table = _Table(own, options, (suite, test))
            found.append(table.robustness(str(suite), str(test), t, m))
    return found


class _Table:
    """Sums by image of everything that is measured, and their bootstrap resamples.

    Columns are grouped in threes: number of pairs, sum of the originals' credit, sum of the variants' credit; one group
    for each answer type and level, then one for each answer type over distinct questions.
    """

    def __init__(self, frame: pl.DataFrame, options: ScoreOptions, names: tuple[object, ...]) -> None:
        self.options = options
        facets = [name for name in _LEVELS if _tells(frame, name)]
        self.facet = facets[0] if facets else None
        values = frame[FACET + self.facet].fill_null("").to_list() if self.facet else [""] * len(frame)
        self.levels = _ordered(values, self.facet)
        kinds = frame[f"{FACET}answer_type"].fill_null("unknown").to_list() if _has(frame, "answer_type") else []
        self.types = answer_types(kinds)
        clusters = _clusters(frame)
        self.images = int(clusters.max()) + 1 if len(clusters) else 0
        level = np.array([self.levels.index(value) for value in values], dtype=np.int64)
        first = frame["probe_id"].is_first_distinct().to_numpy()
        added = (
            np.ones(len(frame)),
            frame["original_credit"].to_numpy().astype(np.float64),
            frame["variant_credit"].to_numpy().astype(np.float64),
        )
        columns: list[Floats] = []
        for kind in self.types:
            of_kind = np.ones(len(frame), dtype=bool) if kind == ALL else np.array([one == kind for one in kinds])
            for number in range(len(self.levels)):
                rows = of_kind & (level == number)
                columns += [_by_cluster(clusters[rows], one[rows], self.images) for one in added]
            rows = of_kind & first
            columns += [_by_cluster(clusters[rows], one[rows], self.images) for one in added]
        sums = np.stack(columns, axis=1) if columns else np.zeros((0, 0))
        self.total = sums.sum(axis=0)[None]
        self.drawn = self.total[:0]
        if options.n_resamples and self.images > 1:
            drawn = bootstrap_sums(
                {"robustness": sums}, n_resamples=options.n_resamples, seed=options.seed, names=names
            )
            self.drawn = drawn["robustness"]

    def robustness(self, suite: str, test: str, t: float, m: float) -> Robustness:
        levels = tuple(self._level(place, name, t, m) for place, name in enumerate(self.levels))
        first = [100 * self._drop(sums, ALL, 0) for sums in (self.total, self.drawn)] if levels else None
        n = int(self._group(self.total, ALL, len(self.levels))[0, 0])
        marks = (f"t:{t:g}", f"m:{m:g}")
        return Robustness(
            suite=suite,
            test=test,
            facet=self.facet,
            types=self.types,
            original={kind: self._measured(self._original, kind) for kind in self.types},
            levels=levels,
            monotonicity=self._measured(self._tau) if len(levels) > 1 else Estimate(None),
            over_t=tuple(_point(first, one, m) for one in _T if one < m) if first else (),
            over_m=tuple(_point(first, t, one) for one in _M if one > t) if first else (),
            t=t,
            m=m,
            images=self.images,
            signature=signature(
                Group(suite, test),
                n=n,
                seed=self.options.seed,
                vqa_rule=self.options.vqa_rule,
                n_resamples=self.options.n_resamples or 1000,
                parts=marks,
            ),
        )

    def _level(self, place: int, name: str, t: float, m: float) -> NoiseLevel:
        def robust(sums: Floats) -> Floats:
            return r_score(100 * self._drop(sums, ALL, place), t, m)

        return NoiseLevel(
            name=name,
            accuracy={kind: self._measured(self._variant, kind, place) for kind in self.types},
            drop={kind: self._measured(self._drop, kind, place) for kind in self.types},
            r_score=self._measured(robust),
        )

    def _measured(self, value: object, *about: object) -> Estimate:
        assert callable(value)
        whole = float(value(self.total, *about)[0])
        if np.isnan(whole):
            return Estimate(None)
        low, high = percentile_interval(value(self.drawn, *about)) if len(self.drawn) else (None, None)
        number = self.images
        if about and isinstance(about[0], str):
            place = about[1] if len(about) > 1 and isinstance(about[1], int) else len(self.levels)
            number = int(self._group(self.total, about[0], place)[0, 0])
        return Estimate(whole, low, high, number)

    def _group(self, sums: Floats, kind: str, place: int) -> Floats:
        """Number, originals' credit and variants' credit of an answer type at a level (the last: of the originals)."""
        begin = 3 * (self.types.index(kind) * (len(self.levels) + 1) + place)
        return sums[:, begin : begin + 3]

    def _original(self, sums: Floats, kind: str) -> Floats:
        return _ratio(self._group(sums, kind, len(self.levels)), 1)

    def _variant(self, sums: Floats, kind: str, place: int) -> Floats:
        return _ratio(self._group(sums, kind, place), 2)

    def _drop(self, sums: Floats, kind: str, place: int) -> Floats:
        group = self._group(sums, kind, place)
        return _ratio(group, 1) - _ratio(group, 2)

    def _tau(self, sums: Floats) -> Floats:
        drops = np.stack([self._drop(sums, ALL, place) for place in range(len(self.levels))], axis=-1)
        # Differences of rounding are no differences: a drop is a sum of tenths over a number of questions.
        return kendall_tau(np.round(drops, 12))


def answer_types(kinds: Iterable[str]) -> tuple[str, ...]:
    """All, then the answer types that occur in the paper's order; all alone where there is one."""
    order = {kind: place for place, kind in enumerate(_TYPES)}
    present = sorted(set(kinds), key=lambda kind: (order.get(kind, len(order)), kind))
    return (ALL, *present) if len(present) > 1 else (ALL,)


def _ratio(group: Floats, column: int) -> Floats:
    number = group[:, 0]
    return np.asarray(np.divide(group[:, column], number, out=np.full(len(group), np.nan), where=number > 0))


def _by_cluster(cluster: npt.NDArray[np.int64], values: Floats, clusters: int) -> Floats:
    return np.bincount(cluster, values, clusters).astype(np.float64)


def _point(drops: Sequence[Floats], t: float, m: float) -> CurvePoint:
    whole, drawn = (r_score(one, t, m) for one in drops)
    if np.isnan(whole[0]):
        return CurvePoint(t, m, None)
    low, high = percentile_interval(drawn) if len(drawn) else (None, None)
    return CurvePoint(t, m, float(whole[0]), low, high)


def _has(frame: pl.DataFrame, facet: str) -> bool:
    return FACET + facet in frame.columns


def _tells(frame: pl.DataFrame, facet: str) -> bool:
    """The facet is there and no pair lacks it: pairs of other tests share the table of facets."""
    return _has(frame, facet) and frame[FACET + facet].null_count() == 0


def _ordered(values: Sequence[str], facet: str | None) -> list[str]:
    """Levels from weak noise to strong: partitions and numbers rise, similarities fall."""
    names = sorted(set(values), key=lambda name: (_leading(name), name))
    return names[::-1] if facet == "similarity" else names


def _leading(name: str) -> float:
    try:
        return float(name.split(" ", 1)[0])
    except ValueError:
        return float("inf")


def _clusters(frame: pl.DataFrame) -> npt.NDArray[np.int64]:
    """The number of each pair's image; a probe without an image is a cluster of its own."""
    import polars as pl

    named = pl.coalesce(pl.format("image {}", "image_id"), pl.format("probe {}", "probe_id"))
    return frame.select(named.rank("dense").cast(pl.Int64) - 1).to_series().to_numpy()
