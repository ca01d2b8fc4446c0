"""Repeatability: how often a model that is asked the very same thing again says something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import polars as pl
import pyarrow as pa

from falter.measures.measure import Measure
from falter.measures.outcomes import OutcomeRows, Outcomes, answer_vocabulary, outcomes
from falter.measures.outcomes.expressions import ONE, expects, judged
from falter.measures.results import Group, Score
from falter.measures.scoring import ScoringSettings, SummedMeasure, score_sums
from falter.measures.statistics import Sample

__all__ = ["CONS_IDENTICAL", "NOISE_FLOOR", "ORDER_NOISE", "score_repeats"]

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


def score_repeats(
    items: pa.Table, replies: Sequence[pa.Table], settings: ScoringSettings, where: str = "items.parquet"
) -> list[Score]:
    """The repeatability of every test, from the replies of each repetition."""
    words = answer_vocabulary()
    runs = [outcomes(items, table, vqa_rule=settings.vqa_rule, where=where, words=words) for table in replies]
    rows = _rows(runs)
    pairs = _pairs(rows, runs[0].pairs, len(runs))
    settings = settings._replace(signature_parts=(*settings.signature_parts, f"repeat:{len(replies)}"))
    scores: list[Score] = []
    for suite, test in runs[0].pairs.tests:
        group, own = Group(suite, test), (pl.col("suite") == suite) & (pl.col("test") == test)
        distinct = rows.filter(own).unique("reply", keep="first", maintain_order=True)
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
        if "rank" in run.frame.columns:
            columns[f"rank{number}"] = run.frame["rank"]
    frame = runs[0].frame.select("suite", "test", "task", "expects", "cluster", "reply").with_columns(**columns)
    return frame.with_columns(agreement=_agreement("answer", len(runs)), said_agreement=_agreement("said", len(runs)))


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
