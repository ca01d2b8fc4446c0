"""Repeatability: how often a model that is asked the very same thing again says something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl
import pyarrow as pa

from falter.answers import normalize
from falter.measures.measure import Measure, Sums
from falter.measures.outcomes.expressions import ONE, expects
from falter.measures.outcomes.grading import THRESHOLD
from falter.measures.results import Group, Score
from falter.measures.scoring import ScoringSettings
from falter.measures.statistics import Interval, Sample, bootstrap_sums, percentile_interval

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
        "probability that two replies to one identical question agree, over both questions of every pair, from all "
        "repetitions. A sampling model cannot be expected to be more consistent under a change than without one."
    ),
    grain="pair",
    where=(pl.col("task") == "answer")
    & expects("same", "different")
    & pl.col("agreement").is_not_null()
    & pl.col("original_agreement").is_not_null(),
    sums={"part": (pl.col("agreement") + pl.col("original_agreement")) / 2, "n": ONE},
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


def score_repeats(items: pa.Table, replies: Sequence[pl.DataFrame], settings: ScoringSettings) -> list[Score]:
    """The repeatability of every test, from the replies of each repetition."""
    repeats = _reply_texts(replies[0], 0)
    for number, table in enumerate(replies[1:], start=1):
        repeats = repeats.join(_reply_texts(table, number), on="item_id", how="full", coalesce=True)
    rows = _rows(items).join(_agreement(repeats, len(replies)), on="item_id", how="left", maintain_order="left")
    settings = settings._replace(signature_parts=(*settings.signature_parts, f"repeat:{len(replies)}"))
    scores: list[Score] = []
    for (suite, test), found in rows.group_by(["suite", "test"], maintain_order=True):
        group = Group(str(suite), str(test))
        pairs = _pairs(found, len(replies))
        scores += _score(NOISE_FLOOR, group, found.unique("item_id", maintain_order=True), settings)
        scores += _score(CONS_IDENTICAL, group, pairs, settings)
        scores += _score(ORDER_NOISE, group, pairs, settings)
    return scores


def _rows(items: pa.Table) -> pl.DataFrame:
    """Every row of the suite with its cluster: the image, or the probe where there is none."""
    names = ("suite", "test", "task", "expects", "probe_id", "variant", "item_id", "image_id")
    frame = pl.DataFrame(
        {
            name: pl.Series(name, pl.from_arrow(items[name])).cast(pl.Int64 if name == "variant" else pl.String)
            for name in names
        }
    )
    alone = pl.lit("probe ") + pl.col("probe_id")
    return frame.with_columns(pl.coalesce(pl.lit("image ") + pl.col("image_id"), alone).alias("cluster"))


def _reply_texts(table: pl.DataFrame, number: int) -> pl.DataFrame:
    """What each reply of a repetition says, as a text to compare, and where it ranks; null where there is none."""
    answers = table["answer"].drop_nulls().unique().to_list()
    normal = {answer: normalize(answer) for answer in answers}
    ok = pl.col("status") == "ok"
    probable = ok & (pl.col("score_kind") == "probability") & pl.col("score").is_not_null()
    answer = pl.col("answer").replace_strict(normal, default=None, return_dtype=pl.String)
    said = (
        pl.when(pl.col("status").is_in(["unparsed", "truncated"]))
        .then(pl.lit("\0unparsed"))
        .when(ok & pl.col("answer").is_not_null())
        .then(answer)
        .when(probable)
        .then(pl.when(pl.col("score") > THRESHOLD).then(pl.lit("yes")).otherwise(pl.lit("no")))
        .otherwise(None)
    )
    by_answer = pl.when(answer == "yes").then(1.0).when(answer == "no").then(0.0).otherwise(None)
    rank = pl.when(ok).then(pl.coalesce(pl.col("score"), by_answer)).otherwise(None)
    return table.select("item_id", said.alias(f"said{number}"), rank.alias(f"rank{number}"))


def _agreement(repeats: pl.DataFrame, times: int) -> pl.DataFrame:
    """By item how likely two of its repetitions agree; null where one was not received."""
    columns = [pl.col(f"said{number}") for number in range(times)]
    pairs = [columns[i] == columns[j] for i in range(times) for j in range(i + 1, times)]
    agreement = pl.sum_horizontal([pair.cast(pl.Float64) for pair in pairs]) / len(pairs)
    received = pl.all_horizontal([column.is_not_null() for column in columns])
    return repeats.with_columns(pl.when(received).then(agreement).otherwise(None).alias("agreement"))


def _pairs(rows: pl.DataFrame, times: int) -> pl.DataFrame:
    """Every variant with its original, and whether the order of their ranks is the same in all repetitions."""
    ranks = [f"rank{number}" for number in range(times)]
    originals = rows.filter(pl.col("variant") == 0).select(
        "probe_id", pl.col("cluster", "agreement", *ranks).name.prefix("original_")
    )
    orders = [(pl.col(f"original_{name}") - pl.col(name)).sign() for name in ranks]
    known = pl.all_horizontal([order.is_not_null() for order in orders])
    same = pl.all_horizontal([order == orders[0] for order in orders])
    return (
        rows.filter(pl.col("variant") > 0)
        .join(originals, on="probe_id", how="inner", maintain_order="left")
        .with_columns(pl.col("original_cluster").alias("cluster"), order_repeats=pl.when(known).then(same))
    )


def _score(measure: Measure, group: Group, rows: pl.DataFrame, settings: ScoringSettings) -> Iterator[Score]:
    """The mean over the rows that the measure is about; nothing where there are none."""
    assert measure.where is not None
    rows = rows.filter(measure.where)
    if not len(rows):
        return
    names = tuple(measure.sums)
    each = rows.with_columns(one.alias(f"sum {name}") for name, one in measure.sums.items()).select(
        pl.col([f"sum {name}" for name in names]).cast(pl.Float64)
    )
    _, cluster = np.unique(rows["cluster"].to_numpy().astype(np.str_), return_inverse=True)
    sums = Sample(each.to_numpy(), cluster).sums()
    interval = Interval(None, None)
    if settings.n_resamples and len(sums) > 1:
        drawn = bootstrap_sums(
            {measure.stream: sums},
            n_resamples=settings.n_resamples,
            seed=settings.seed,
            names=(group.suite, group.test, "noise"),
        )
        finalize = measure.finalize
        assert callable(finalize)
        interval = percentile_interval(finalize(Sums(names, drawn[measure.stream])))
    yield Score(
        measure=measure.name,
        group=group,
        value=float(each.to_series(0).to_numpy().mean()),
        low=interval.low,
        high=interval.high,
        n=len(rows),
        signature=settings.sign(group, len(rows)),
    )
