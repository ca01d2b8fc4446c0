"""VQABQ: accuracy with basic questions appended where Algorithm 1 says so, and thresholds tuned on a part.

Algorithm 1 says how many basic questions are similar enough to append.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from falter.core.errors import UsageError
from falter.core.files import JsonDecoder, open_parquet, sha256_of_bytes
from falter.data.suite import ITEM_SCHEMA
from falter.evaluation.measures.outcomes import FACET
from falter.evaluation.measures.outcomes.coding import Floats
from falter.evaluation.measures.results import Estimate, Group, signature
from falter.evaluation.measures.statistics import bootstrap_sums, percentile_interval
from falter.evaluation.runs import Run
from falter.evaluation.runs.scoring import outcomes_of_run
from falter.evaluation.score_options import PLAIN, ScoreOptions
from falter.suites.basic_questions.options import Thresholds
from falter.suites.basic_questions.robustness import ALL, answer_types

MOST = 3

Scores = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


class MeanAndDeviation(NamedTuple):
    """A mean, the standard deviation around it, and over how many main questions."""

    mean: float | None
    deviation: float | None
    n: int


class ScoreStatistics(msgspec.Struct, frozen=True):
    """Table 5: the first score, the second over the first, the third over the second."""

    score1: MeanAndDeviation
    score2_over_score1: MeanAndDeviation
    score3_over_score2: MeanAndDeviation


def count_each(scores: Scores, thresholds: Thresholds) -> Numbers:
    """How many basic questions Algorithm 1 appends to each main question (rows of up to three scores, NaN for none)."""
    first, second, third = scores.T
    with np.errstate(divide="ignore", invalid="ignore"):
        one = first > thresholds[0]
        two = one & (second / first > thresholds[1])
        three = two & (third / second > thresholds[2])
    return np.asarray(one.astype(np.int64) + two + three)


def appended(scores: Sequence[float], thresholds: Thresholds) -> int:
    """The same for one main question: the first if its score is above s1, and so on while ratios hold.

    >>> appended([0.7, 0.5, 0.1], (0.60, 0.58, 0.41))
    2
    """
    return int(count_each(np.array([pad_scores(scores)]), thresholds)[0])


def pad_scores(scores: Sequence[float]) -> list[float]:
    """The first three scores, NaN for those there are not."""
    return [*scores[:MOST], *[float("nan")] * (MOST - len(scores))]


def score_statistics(rankings: Iterable[Sequence[float]]) -> ScoreStatistics:
    """The means and deviations of the first scores and their ratios, over main questions that have them."""
    first, second, third = [], [], []
    for scores in rankings:
        if scores:
            first.append(scores[0])
        if len(scores) > 1 and scores[0] > 0:
            second.append(scores[1] / scores[0])
        if len(scores) > 2 and scores[1] > 0:
            third.append(scores[2] / scores[1])
    return ScoreStatistics(_mean_and_deviation(first), _mean_and_deviation(second), _mean_and_deviation(third))


def _mean_and_deviation(values: Sequence[float]) -> MeanAndDeviation:
    if not values:
        return MeanAndDeviation(None, None, 0)
    return MeanAndDeviation(round(float(np.mean(values)), 6), round(float(np.std(values)), 6), len(values))


def auto_thresholds(statistics: ScoreStatistics) -> Thresholds:
    """A first estimate from mean and deviation.

    The paper takes "avg ± std" without saying which end of which. Its tuned values, 0.60, 0.58 and 0.41, lie above the
    first mean plus its deviation (0.53), at the second mean (0.61), and below the third mean less its deviation (0.52).
    So these are the three ends taken here: mean + deviation, mean, mean - deviation.
    """
    first, second, third = statistics.score1, statistics.score2_over_score1, statistics.score3_over_score2
    s1 = (first.mean or 0.0) + (first.deviation or 0.0)
    s3 = (third.mean or 0.0) - (third.deviation or 0.0)
    return _share(s1), _share(second.mean or 0.0), _share(s3)


def _share(value: float) -> float:
    return round(min(max(value, 0.0), 1.0), 4)


def count_appended(rankings: Iterable[Sequence[float]], thresholds: Thresholds) -> dict[int, int]:
    """Table 6: how many main questions get 0, 1, 2 and 3 basic ones."""
    counted = Counter(appended(scores, thresholds) for scores in rankings)
    return {number: counted[number] for number in range(MOST + 1)}


_STEPS = 21


class Vqabq(msgspec.Struct, frozen=True, kw_only=True):
    """What appending basic questions does to accuracy: Tables 6 and 7 of the paper."""

    test: str
    thresholds: Thresholds
    tuned: bool
    """Whether the thresholds were chosen on other images than those measured here."""
    appended: dict[int, int]
    without: dict[str, Estimate]
    with_: dict[str, Estimate] = msgspec.field(name="with")
    gain: Estimate
    signature: str


class _Asked(NamedTuple):
    """Main questions with all replies: scores of the first three basic questions, credit with 0 to 3 of them."""

    scores: Floats
    credit: Floats
    kind: list[str]
    image: list[str]
    stored: Thresholds


def tune(scores: Floats, credit: Floats) -> Thresholds:
    """The thresholds on a grid that give the highest accuracy; of equal ones those that append least."""
    firsts = _grid(scores[:, 0])
    with np.errstate(divide="ignore", invalid="ignore"):
        seconds, thirds = _grid(scores[:, 1] / scores[:, 0]), _grid(scores[:, 2] / scores[:, 1])
    best: tuple[float, int, Thresholds] = (-1.0, 0, (1.0, 1.0, 1.0))
    rows = np.arange(len(scores))
    for s1 in firsts:
        for s2 in seconds:
            for s3 in thirds:
                number = count_each(scores, (s1, s2, s3))
                found = (round(float(credit[rows, number].sum()), 9), -int(number.sum()), (s1, s2, s3))
                best = max(best, found)
    return best[2]


def _grid(values: Floats) -> list[float]:
    known = values[np.isfinite(values)]
    if not len(known):
        return [1.0]
    steps = np.quantile(known, np.linspace(0, 1, _STEPS))
    return sorted({round(float(min(max(step, 0.0), 1.0)), 4) for step in steps} | {1.0})


def vqabq_of_run(
    run: Run,
    options: ScoreOptions = PLAIN,
    *,
    thresholds: Thresholds | None = None,
    tune_share: float | None = None,
) -> list[Vqabq]:
    """Accuracy with and without basic questions, on each test of this sort in a run.

    With the suite's own thresholds, with others, or with thresholds tuned on a share of the images and measured on
    the rest.
    """
    if tune_share is not None and not 0 < tune_share < 1:
        raise UsageError("the share of images to tune on must lie between 0 and 1")
    found = []
    for test, asked in _asked(run, options).items():
        taken = np.ones(len(asked.kind), dtype=bool)
        used = thresholds or asked.stored
        if tune_share is not None:
            learn = np.array([_draw(options.seed, image) < tune_share for image in asked.image])
            if not learn.any() or learn.all():
                raise UsageError(f"{test} has too few images to tune on some and measure on others")
            used, taken = tune(asked.scores[learn], asked.credit[learn]), ~learn
        found.append(_measure(test, asked, used, taken, tune_share is not None, options))
    return found


def _draw(seed: int, image: str) -> float:
    return int(sha256_of_bytes(f"{seed}|tune|{image}".encode())[:8], 16) / 16**8


def _measure(
    test: str,
    asked: _Asked,
    thresholds: Thresholds,
    taken: npt.NDArray[np.bool_],
    tuned: bool,
    options: ScoreOptions,
) -> Vqabq:
    scores, credit = asked.scores[taken], asked.credit[taken]
    number = count_each(scores, thresholds)
    before, after = credit[:, 0], credit[np.arange(len(credit)), number]
    kinds = np.array(asked.kind)[taken]
    types = answer_types(kinds.tolist())
    _, cluster = np.unique(np.array(asked.image)[taken], return_inverse=True)
    columns = []
    for kind in types:
        rows = np.ones(len(kinds), dtype=bool) if kind == ALL else kinds == kind
        columns += [np.bincount(cluster, rows * one) for one in (np.ones(len(kinds)), before, after)]
    sums = np.stack(columns, axis=1).astype(np.float64)
    drawn = sums[:0]
    if options.n_resamples and len(sums) > 1:
        every = bootstrap_sums({"vqabq": sums}, n_resamples=options.n_resamples, seed=options.seed, names=(test,))
        drawn = every["vqabq"]
    total = sums.sum(axis=0)[None]

    def told(kind: str, plus: int, minus: int | None = None) -> Estimate:
        begin = 3 * types.index(kind)

        def value(of: Floats) -> Floats:
            share = of[:, begin + plus] / np.maximum(of[:, begin], 1)
            return share if minus is None else share - of[:, begin + minus] / np.maximum(of[:, begin], 1)

        low, high = percentile_interval(value(drawn)) if len(drawn) else (None, None)
        return Estimate(float(value(total)[0]), low, high, int(total[0, begin]))

    marks = ("s:" + ",".join(f"{one:g}" for one in thresholds), *(("tuned",) if tuned else ()))
    return Vqabq(
        test=test,
        thresholds=thresholds,
        tuned=tuned,
        appended={count: int((number == count).sum()) for count in range(MOST + 1)},
        without={kind: told(kind, 1) for kind in types},
        with_={kind: told(kind, 2) for kind in types},
        gain=told(ALL, 2, 1),
        signature=signature(
            Group("basic-questions", test), n=len(number), seed=options.seed, vqa_rule=options.vqa_rule, parts=marks
        ),
    )


def _asked(run: Run, options: ScoreOptions) -> dict[str, _Asked]:
    """By test the main questions all of whose replies were had."""
    import polars as pl

    told = _read_extras(run)
    if not told:
        return {}
    frame = outcomes_of_run(run, options, facets=["answer_type"]).table_of_pairs()
    frame = frame.filter(pl.col("probe_id").is_in(sorted(told)))
    found = {}
    for (test,), own in frame.group_by("test", maintain_order=True):
        whole = own.filter(pl.col("included").all().over("probe_id"))
        first = whole.filter(whole["probe_id"].is_first_distinct())
        probes = first["probe_id"].to_list()
        if not probes:
            continue
        place = {probe: row for row, probe in enumerate(probes)}
        credit = np.full((len(probes), MOST + 1), np.nan)
        credit[:, 0] = first["original_credit"].to_numpy()
        rows = np.array([place[probe] for probe in whole["probe_id"].to_list()])
        credit[rows, whole["variant"].to_numpy()] = whole["variant_credit"].to_numpy()
        found[str(test)] = _Asked(
            scores=np.array([pad_scores(told[probe].scores) for probe in probes]),
            credit=credit,
            kind=first[f"{FACET}answer_type"].fill_null("unknown").to_list(),
            image=first.select(pl.coalesce("image_id", "probe_id")).to_series().to_list(),
            stored=told[probes[0]].thresholds,
        )
    return found


class _Extra(msgspec.Struct):
    scores: list[float]
    thresholds: Thresholds


def _read_extras(run: Run) -> dict[str, _Extra]:
    """By probe the scores that the suite keeps with its originals."""
    path = run.suite().items_path
    table = open_parquet(path, ITEM_SCHEMA).read(["probe_id", "test", "extra"], where=("variant", [0]))
    decoder = JsonDecoder(_Extra, "what an item of VQABQ adds")
    return {
        row["probe_id"]: decoder.decode(row["extra"], path, record=row["probe_id"])
        for row in table.to_pylist()
        if row["extra"] is not None and row["test"].startswith("vqabq")
    }
