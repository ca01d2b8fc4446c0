"""The noise floor: how often a model that is asked the very same thing again says something else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from falter.answers import normalise
from falter.measures.rankings import RankingMeasure
from falter.measures.score import Group, Score
from falter.measures.signature import signature
from falter.measures.statistics import Interval, bootstrap_sums, percentile_interval
from falter.runs import Run

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CONS_IDENTICAL", "NOISE_FLOOR", "ORDER_NOISE", "noise_of_run", "noise_of_tables"]

Floats = npt.NDArray[np.float64]

_EVERY = frozenset({"same", "different", "each", "prefer"})
_TIED = ("same", "different")
_HALF = 0.5

NOISE_FLOOR = RankingMeasure(
    name="noise_floor",
    title="noise floor",
    meaning=(
        "Where every item was asked several times (--repeat): the share of distinct items whose replies do not all "
        "agree. Answers are compared after normalisation, matches by yes and no (a probability by the threshold of one "
        "half); a reply that cannot be read agrees with another such. What a perturbation seems to change is the "
        "model's doing only as far as it exceeds this."
    ),
    tasks=frozenset({"answer", "match"}),
    expects=_EVERY,
)

CONS_IDENTICAL = RankingMeasure(
    name="cons_identical",
    title="CONS ident.",
    meaning=(
        "The CONS that the model would have if nothing were changed between the two questions of a pair: the "
        "probability that two replies to one identical question agree, over both questions of every pair, from all "
        "repetitions. A sampling model cannot be expected to be more consistent under a change than without one."
    ),
    tasks=frozenset({"answer"}),
    expects=frozenset(_TIED),
)

ORDER_NOISE = RankingMeasure(
    name="order_noise",
    title="order noise",
    meaning=(
        "Where caption and foil were scored several times (--repeat): the share of pairs whose order (caption above, "
        "equal, below) is not the same in all repetitions."
    ),
    tasks=frozenset({"match"}),
    expects=frozenset({"prefer"}),
)


def noise_of_run(
    run: Run, items: pa.Table, *, seed: int = 0, draws: int = 1000, rule: str = "vqa-v2", extra: tuple[str, ...] = ()
) -> list[Score]:
    """The noise floor of every test of a run that asked everything several times; nothing for any other."""
    if run.repeat < 2:
        return []
    replies = [run.replies(number) for number in range(1, run.repeat + 1)]
    return noise_of_tables(items, replies, seed=seed, draws=draws, rule=rule, extra=extra)


def noise_of_tables(
    items: pa.Table,
    replies: Sequence[pl.DataFrame],
    *,
    seed: int = 0,
    draws: int = 1000,
    rule: str = "vqa-v2",
    extra: tuple[str, ...] = (),
) -> list[Score]:
    """:func:`noise_of_run` from tables in memory; ``replies`` has one table a repetition."""
    import polars as pl

    rows = _rows(items)
    said = rows.select("item_id").unique(maintain_order=True)
    for number, table in enumerate(replies):
        said = said.join(_said(table, number), on="item_id", how="left", maintain_order="left")
    rows = rows.join(_steadiness(said, len(replies)), on="item_id", how="left", maintain_order="left")
    drawing = _Drawing(seed, draws, rule, (*extra, f"repeat:{len(replies)}"))
    scores: list[Score] = []
    for (suite, test), found in rows.group_by(["suite", "test"], maintain_order=True):
        group = Group(str(suite), str(test))
        distinct = found.unique("item_id", maintain_order=True).filter(pl.col("agree").is_not_null())
        scores += _share(NOISE_FLOOR.name, group, distinct, 1 - distinct["unanimous"].cast(pl.Float64), drawing)
        pairs = _pairs(found)
        tied = pairs.filter(
            (pl.col("task") == "answer")
            & pl.col("expects").is_in(_TIED)
            & pl.col("agree").is_not_null()
            & pl.col("agree_original").is_not_null()
        )
        scores += _share(CONS_IDENTICAL.name, group, tied, (tied["agree"] + tied["agree_original"]) / 2, drawing)
        scores += _order(group, pairs, len(replies), drawing)
    return scores


class _Drawing(NamedTuple):
    seed: int
    draws: int
    rule: str
    extra: tuple[str, ...]


def _rows(items: pa.Table) -> pl.DataFrame:
    """Every row of the suite with its cluster: the image, or the probe where there is none."""
    import polars as pl

    names = ("suite", "test", "task", "expects", "probe_id", "variant", "item_id", "image_id")
    frame = pl.DataFrame(
        {
            name: pl.Series(name, pl.from_arrow(items[name])).cast(pl.Int64 if name == "variant" else pl.String)
            for name in names
        }
    )
    alone = pl.lit("probe ") + pl.col("probe_id")
    return frame.with_columns(pl.coalesce(pl.lit("image ") + pl.col("image_id"), alone).alias("cluster"))


def _said(table: pl.DataFrame, number: int) -> pl.DataFrame:
    """What each reply of a repetition says, as a text to compare, and where it ranks; null where there is none."""
    import polars as pl

    answers = table["answer"].drop_nulls().unique().to_list()
    normal = {answer: normalise(answer) for answer in answers}
    ok = pl.col("status") == "ok"
    probable = ok & (pl.col("score_kind") == "probability") & pl.col("score").is_not_null()
    answer = pl.col("answer").replace_strict(normal, default=None, return_dtype=pl.String)
    said = (
        pl.when(pl.col("status") == "unparsed")
        .then(pl.lit("\0unparsed"))
        .when(ok & pl.col("answer").is_not_null())
        .then(answer)
        .when(probable)
        .then(pl.when(pl.col("score") > _HALF).then(pl.lit("yes")).otherwise(pl.lit("no")))
        .otherwise(None)
    )
    by_answer = pl.when(answer == "yes").then(1.0).when(answer == "no").then(0.0).otherwise(None)
    rank = pl.when(ok).then(pl.coalesce(pl.col("score"), by_answer)).otherwise(None)
    return table.select("item_id", said.alias(f"said{number}"), rank.alias(f"rank{number}"))


def _steadiness(said: pl.DataFrame, times: int) -> pl.DataFrame:
    """By item whether all repetitions agree, and how likely two of them do; null where one was not had."""
    import polars as pl

    columns = [pl.col(f"said{number}") for number in range(times)]
    pairs = [columns[i] == columns[j] for i in range(times) for j in range(i + 1, times)]
    agree = pl.sum_horizontal([pair.cast(pl.Float64) for pair in pairs]) / len(pairs)
    had = pl.all_horizontal([column.is_not_null() for column in columns])
    return said.with_columns(pl.when(had).then(agree).otherwise(None).alias("agree")).with_columns(
        (pl.col("agree") == 1).alias("unanimous")
    )


def _pairs(rows: pl.DataFrame) -> pl.DataFrame:
    """Every variant beside its original."""
    import polars as pl

    originals = rows.filter(pl.col("variant") == 0)
    kept = ["probe_id", "cluster", "agree", *(name for name in rows.columns if name.startswith("rank"))]
    beside = originals.select(kept).rename({name: f"{name}_original" for name in kept if name != "probe_id"})
    return (
        rows.filter(pl.col("variant") > 0)
        .join(beside, on="probe_id", how="inner", maintain_order="left")
        .with_columns(pl.col("cluster_original").alias("cluster"))
    )


def _order(group: Group, pairs: pl.DataFrame, times: int, drawing: _Drawing) -> Iterator[Score]:
    import polars as pl

    orders = [
        (pl.col(f"rank{number}_original") - pl.col(f"rank{number}")).sign().alias(f"order{number}")
        for number in range(times)
    ]
    wanted = (pl.col("task") == "match") & (pl.col("expects") == "prefer")
    found = pairs.filter(wanted).with_columns(orders)
    found = found.filter(pl.all_horizontal([pl.col(f"order{number}").is_not_null() for number in range(times)]))
    same = found.select(pl.all_horizontal([pl.col(f"order{number}") == pl.col("order0") for number in range(times)]))
    changed = 1 - same.to_series().cast(pl.Float64) if len(found) else pl.Series([], dtype=pl.Float64)
    yield from _share(ORDER_NOISE.name, group, found, changed, drawing)


def _share(measure: str, group: Group, rows: pl.DataFrame, values: pl.Series, drawing: _Drawing) -> Iterator[Score]:
    """The mean of some values with its interval over clusters; nothing where there are none."""
    if not len(rows):
        return
    clusters = rows["cluster"].to_numpy()
    _, cluster = np.unique(clusters.astype(np.str_), return_inverse=True)
    each: Floats = values.to_numpy().astype(np.float64)
    sums = np.stack([np.bincount(cluster, weights=each), np.bincount(cluster)], axis=1).astype(np.float64)
    seed, draws, rule, extra = drawing
    interval = Interval(None, None)
    if draws and len(sums) > 1:
        drawn = bootstrap_sums({measure: sums}, draws=draws, seed=seed, names=(group.suite, group.test, "noise"))
        interval = percentile_interval(drawn[measure][:, 0] / drawn[measure][:, 1])
    yield Score(
        measure=measure,
        group=group,
        value=float(each.mean()),
        low=interval.low,
        high=interval.high,
        n=len(rows),
        signature=signature(group, n=len(rows), seed=seed, rule=rule, draws=draws, extra=extra),
    )
