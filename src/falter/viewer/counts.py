"""How many of the pairs that filters leave each model gets right: in all, and by the values of a facet."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from falter.measures.statistics import Shares
from falter.safe import escape_invisible
from falter.viewer.pair_index import FLAGS, RIGHT, WRONG, PairIndex

__all__ = ["count_by", "count_models"]

_MOST_VALUES = 200
_Z = 1.959963984540054
_RIGHT, _WRONG = (1 << FLAGS.index(name) for name in (RIGHT, WRONG))


def count_models(index: PairIndex, rows: npt.NDArray[np.int64]) -> list[dict[str, Any]]:
    """By model the pairs that count, those that are right, and a 95 % interval clustered by image."""
    chosen = index.frame[rows] if len(rows) < len(index) else index.frame
    cluster = chosen["cluster"].to_numpy()
    found = []
    for column in index.columns:
        flags = chosen[column.name].to_numpy()
        right = (flags & _RIGHT) > 0
        counts = right | ((flags & _WRONG) > 0)
        n, hits = int(counts.sum()), int(right.sum())
        low, high = _interval(right, counts, cluster, index.clusters)
        found.append({"model": column.model, "n": n, "right": hits, "low": low, "high": high})
    return found


def _interval(
    right: npt.NDArray[np.bool_], counts: npt.NDArray[np.bool_], cluster: npt.NDArray[np.uint32], clusters: int
) -> tuple[float | None, float | None]:
    """The interval of a share: from its standard error over images, or the exact one where there are few."""
    counted = np.bincount(cluster[counts], minlength=clusters)
    hits = np.bincount(cluster[right], minlength=clusters)[counted > 0].astype(np.float64)
    n = counted[counted > 0].astype(np.float64)
    if not len(n):
        return None, None
    if hits.sum() in (0, n.sum()):
        # Nothing varies, as where a filter asks for what a model gets wrong.
        return None, None
    shares = Shares.from_sums(np.stack([hits, n], axis=1))
    if shares.is_few():
        low, high = shares.exact()
        return float(low), float(high)
    share, away = float(shares.value()), _Z * float(shares.error())
    return max(share - away, 0.0), min(share + away, 1.0)


def count_by(index: PairIndex, rows: npt.NDArray[np.int64], name: str) -> list[dict[str, Any]]:
    """The same by the values of a facet, or by ``test``: the values with the most wrong pairs first."""
    column = name if name == "test" else f"facet:{name}"
    if column not in index.frame.columns:
        return []
    chosen = index.frame.select(column, *(one.name for one in index.columns))
    chosen = chosen[rows] if len(rows) < len(index) else chosen
    sums = [pl.len().alias("pairs")]
    for one in index.columns:
        sums.append(((pl.col(one.name) & _RIGHT) > 0).sum().alias(f"right{one.model}"))
        sums.append(((pl.col(one.name) & (_RIGHT | _WRONG)) > 0).sum().alias(f"n{one.model}"))
    grouped = chosen.group_by(column).agg(sums).drop_nulls(column)
    wrong = sum(pl.col(f"n{one.model}") - pl.col(f"right{one.model}").cast(pl.Int64) for one in index.columns)
    grouped = grouped.with_columns(wrong=wrong).sort(
        ["wrong", pl.col(column).cast(pl.String)], descending=[True, False]
    )
    return [
        {
            "value": escape_invisible(str(row[column]), one_line=True),
            "pairs": row["pairs"],
            "models": [[one.model, row[f"right{one.model}"], row[f"n{one.model}"]] for one in index.columns],
        }
        for row in grouped.head(_MOST_VALUES).iter_rows(named=True)
    ]
