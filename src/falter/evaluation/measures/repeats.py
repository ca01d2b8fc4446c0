"""Repeatability: how often a model that is asked the very same thing again says something else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import msgspec
import numpy as np
import polars as pl
import pyarrow as pa

from falter.evaluation.measures.measure import Measure, Sums
from falter.evaluation.measures.outcomes import OutcomeRows, Outcomes, answer_vocabulary, outcomes
from falter.evaluation.measures.outcomes.coding import Floats
from falter.evaluation.measures.outcomes.expressions import ONE, expects, judged
from falter.evaluation.measures.results import Group, Score
from falter.evaluation.measures.scoring import ScoringSettings, SummedMeasure, score_sums
from falter.evaluation.measures.statistics import Sample

NOISE_FLOOR = Measure(
    name="noise_floor",
    title="noise floor",
    description=(
        "Where every item was asked several times (--repeat): the share of distinct items whose replies do not all "
        "agree. Answers are compared after normalization, matches by yes and no (a probability by the threshold of one "
        "half); a reply that cannot be read agrees with another such. What a perturbation seems to change is the "
        "model's doing only as far as it exceeds this."
    ),
    grain="item",
    where=pl.col("agreement").is_not_null(),
    sums={"part": pl.col("agreement") != 1, "n": ONE},
    higher_is_better=False,
)

CONS_IDENTICAL = Measure(
    name="cons_identical",
    title="CONS over repeats",
    description=(
        "The CONS that the model would have if nothing were changed between the two questions of a pair: the "
        "probability that two replies to one identical question are equal, compared as CONS compares them, over both "
        "questions of every pair, from all repetitions. A sampling model cannot be expected to be more consistent "
        "under a change than without one."
    ),
    grain="pair",
    where=(pl.col("task") == "answer")
    & expects("same", "different")
    & pl.col("said_agreement").is_not_null()
    & pl.col("original_said_agreement").is_not_null(),
    sums={"part": (pl.col("said_agreement") + pl.col("original_said_agreement")) / 2, "n": ONE},
    higher_is_better=True,
)

ORDER_NOISE = Measure(
    name="order_noise",
    title="order noise",
    description=(
        "Where caption and foil were scored several times (--repeat): the share of pairs whose order (caption above, "
        "equal, below) is not the same in all repetitions."
    ),
    grain="pair",
    where=(pl.col("task") == "match") & expects("prefer") & pl.col("order_repeats").is_not_null(),
    sums={"part": ~pl.col("order_repeats"), "n": ONE},
    higher_is_better=False,
)


EXPECTED_ACC = Measure(
    name="acc_expected",
    title="expected ACC",
    description=(
        "Where every item was asked several times (--repeat): the accuracy to be expected of one reply, which is the "
        "mean over the repetitions of the share of distinct items answered correctly."
    ),
    grain="item",
    where=pl.col("correct_share").is_not_null(),
    sums={"part": pl.col("correct_share"), "n": ONE},
    higher_is_better=True,
)

CONSENSUS_ACC = Measure(
    name="acc_consensus",
    title="consensus ACC",
    description=(
        "Where every item was asked several times (--repeat): the share of distinct items whose commonest answer is "
        "correct. Where several answers are equally common, each counts as its part; a reply that cannot be read is an "
        "answer of its own, and incorrect."
    ),
    grain="item",
    where=pl.col("consensus").is_not_null(),
    sums={"part": pl.col("consensus"), "n": ONE},
    higher_is_better=True,
)

AGREEMENT = Measure(
    name="repeat_agreement",
    title="agreement over repeats",
    description=(
        "Where every item was asked several times (--repeat): the probability that two replies to one item are the "
        "same answer, over distinct items."
    ),
    grain="item",
    where=pl.col("agreement").is_not_null(),
    sums={"part": pl.col("agreement"), "n": ONE},
    higher_is_better=True,
)

REPEAT_SD = Measure(
    name="repeat_sd",
    title="sd over repeats",
    description=(
        "Where every item was asked several times (--repeat): the standard deviation of the accuracy over distinct "
        "items from one repetition to the next (n - 1). Scores of two models that lie closer than this cannot be told "
        "apart by one repetition of each."
    ),
    grain="item",
    where=pl.col("correct_share").is_not_null(),
    sums={"part": pl.col("correct_share"), "n": ONE},
    scale="difference",
    higher_is_better=False,
)
"""Its sums depend on the number of repetitions; :func:`score_repeats` makes them."""


def score_repeats(
    items: pa.Table, replies: Sequence[pa.Table], settings: ScoringSettings, where: str = "items.parquet"
) -> list[Score]:
    """The repeatability of every test, from the replies of each repetition."""
    words = answer_vocabulary()
    runs = [outcomes(items, table, vqa_rule=settings.options.vqa_rule, where=where, words=words) for table in replies]
    rows = _rows(runs)
    pairs = _pairs(rows, runs[0].pairs, len(runs))
    settings = settings.add_parts(f"repeat:{len(replies)}")
    scores: list[Score] = []
    for suite, test in runs[0].pairs.tests:
        group, own = Group(suite, test), (pl.col("suite") == suite) & (pl.col("test") == test)
        distinct = rows.filter(own).unique("reply", keep="first", maintain_order=True)
        scores += _score(EXPECTED_ACC, group, distinct, settings)
        scores += _score(CONSENSUS_ACC, group, distinct, settings)
        # Resampled images vary by themselves, so a bootstrap interval of a deviation lies above it: there is none.
        scores += [
            msgspec.structs.replace(one, low=None, high=None, se=None, interval=None)
            for one in _score(_deviation(len(runs)), group, distinct, settings)
        ]
        scores += _score(AGREEMENT, group, distinct, settings)
        scores += _score(NOISE_FLOOR, group, distinct, settings)
        scores += _score(CONS_IDENTICAL, group, pairs.filter(own), settings)
        scores += _score(ORDER_NOISE, group, pairs.filter(own), settings)
    return scores


def _rows(runs: Sequence[Outcomes]) -> pl.DataFrame:
    """Every item with its ranks, and how likely two of its repetitions agree: null where one was not received.

    Replies that hold no answer agree with each other; by ``said`` they agree where their texts are equal.
    """
    columns: dict[str, pl.Series] = {}
    for number, run in enumerate(runs):
        received = run.states.select(judged(pl.col)).to_series().gather(run.frame["state"])
        for name in ("answer", "said"):
            columns[f"{name}{number}"] = run.frame[name].set(~received, None)
        correct = (run.states["outcome"] == "correct").gather(run.frame["state"])
        columns[f"correct{number}"] = correct.cast(pl.Float64).set(~received, None)
        if "rank" in run.frame.columns:
            columns[f"rank{number}"] = run.frame["rank"]
    frame = runs[0].frame.select("suite", "test", "task", "expects", "cluster", "reply").with_columns(**columns)
    return frame.with_columns(
        agreement=_agreement("answer", len(runs)),
        said_agreement=_agreement("said", len(runs)),
        correct_share=_mean_of(f"correct{number}" for number in range(len(runs))),
        consensus=_consensus(len(runs)),
    )


def _mean_of(names: Iterable[str]) -> pl.Expr:
    """The mean of columns; null where one is."""
    columns = [pl.col(name) for name in names]
    known = pl.all_horizontal([column.is_not_null() for column in columns])
    return pl.when(known).then(pl.sum_horizontal(columns) / len(columns))


def _consensus(times: int) -> pl.Expr:
    """The part of the commonest answers that is correct; null where a repetition was not received."""
    answers = [pl.col(f"answer{number}") for number in range(times)]
    correct = [pl.col(f"correct{number}") for number in range(times)]
    votes = [pl.sum_horizontal([(one == other).cast(pl.UInt16) for other in answers]) for one in answers]
    most = pl.max_horizontal(votes)
    common = [(count == most).cast(pl.Float64) for count in votes]
    known = pl.all_horizontal([column.is_not_null() for column in (*answers, *correct)])
    agreed = pl.sum_horizontal([one * flag for one, flag in zip(common, correct, strict=True)])
    return pl.when(known).then(agreed / pl.sum_horizontal(common))


def _deviation(times: int) -> Measure:
    """The measure with the sums of so many repetitions."""
    sums = {f"correct{number}": pl.col(f"correct{number}") for number in range(times)}

    def finalize(found: Sums) -> Floats:
        n = found["n"]
        shares = np.stack([found[name] for name in sums], axis=-1) / np.where(n > 0, n, np.nan)[..., None]
        return np.asarray(shares.std(axis=-1, ddof=1))

    return replace(REPEAT_SD, sums={**sums, "n": ONE}, finalize=finalize)


def _agreement(name: str, times: int) -> pl.Expr:
    columns = [pl.col(f"{name}{number}") for number in range(times)]
    equal = [(one == other).cast(pl.Float64) for one, other in combinations(columns, 2)]
    received = pl.all_horizontal([column.is_not_null() for column in columns])
    return pl.when(received).then(pl.sum_horizontal(equal) / len(equal))


def _pairs(rows: pl.DataFrame, pairs: OutcomeRows, times: int) -> pl.DataFrame:
    """Every variant with its original, and whether the order of their ranks is the same in all repetitions."""
    paired = pairs.original != pairs.variant
    originals, variants = (
        rows.select(pl.all().gather(pl.Series(side[paired]))) for side in (pairs.original, pairs.variant)
    )
    found = variants.with_columns(originals["said_agreement"].alias("original_said_agreement"))
    if "rank0" not in rows.columns:
        return found.with_columns(order_repeats=pl.lit(None, dtype=pl.Boolean))
    orders = [(originals[f"rank{number}"] - variants[f"rank{number}"]).sign() for number in range(times)]
    known = pl.all_horizontal([order.is_not_null() for order in orders])
    same = pl.all_horizontal([order == orders[0] for order in orders])
    return found.with_columns(order_repeats=pl.when(known).then(same))


def _score(measure: Measure, group: Group, rows: pl.DataFrame, settings: ScoringSettings) -> Iterator[Score]:
    """The mean over the rows that the measure is about; nothing where there are none."""
    assert measure.where is not None
    rows = rows.filter(measure.where)
    if len(rows):
        columns = rows.select(one.cast(pl.Float64).alias(name) for name, one in measure.sums.items()).to_numpy()
        _, cluster = np.unique(rows["cluster"].to_numpy(), return_inverse=True)
        summed = SummedMeasure.from_sample(measure, Sample(columns, cluster))
        yield from score_sums(group, [summed], settings, (group.suite, group.test, "noise"))
