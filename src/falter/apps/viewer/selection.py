"""Which pairs filters and words leave, and how many of them each model gets right, in all and by a facet.

Filters are over codes in memory, words in the texts that polars scans on disk.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl

from falter.apps.viewer.pair_index import FLAGS, OUTCOMES, RIGHT, WRONG, PairIndex
from falter.core.errors import UsageError
from falter.core.untrusted_text import escape_invisible
from falter.evaluation.measures.statistics import Shares

Bools = npt.NDArray[np.bool_]

ANY = "any"
_MOST_WORDS = 8
_LONGEST = 400


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """What a page asks for; models by name, empty for no matter."""

    suite: str = ""
    test: str = ""
    wrong: str = ""
    """A model, or ``any``."""
    right: str = ""
    outcome: str = ""
    facets: tuple[tuple[str, str], ...] = ()
    q: str = ""
    commented: bool = False

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Filters:
        """The filters of an address: ``test=negation&wrong=B&right=A&facet=class&value=pose&q=dog``."""
        outcome = query.get("outcome", "")
        if outcome and outcome not in OUTCOMES:
            raise UsageError(f"unknown outcome {outcome!r}: there are {', '.join(OUTCOMES)}")
        facet, value = query.get("facet", ""), query.get("value", "")
        return cls(
            suite=query.get("suite", ""),
            test=query.get("test", ""),
            wrong=query.get("wrong", ""),
            right=query.get("right", ""),
            outcome=outcome,
            facets=((facet, value),) if facet and value else (),
            q=query.get("q", "").strip()[:_LONGEST],
            commented=query.get("commented", "") == "1",
        )


def select_pairs(
    index: PairIndex, filters: Filters, models: Mapping[str, int], commented: Bools | None = None
) -> npt.NDArray[np.int64]:
    """The rows of the pairs that filters leave, in the order of the suite."""
    frame = index.frame
    wanted: list[pl.Expr] = []
    for name in ("suite", "test"):
        value = getattr(filters, name)
        if value:
            wanted.append(_equals(frame, name, value))
    for facet, value in filters.facets:
        column = f"facet:{facet}"
        wanted.append(_equals(frame, column, value) if column in frame.columns else pl.lit(value=False))
    runs = {column.model: column.name for column in index.columns}
    if filters.right:
        wanted.append(_has(runs, _model(models, filters.right), _bits(RIGHT)))
    if filters.wrong or filters.outcome:
        bits = _bits(filters.outcome or WRONG)
        if filters.wrong in ("", ANY):
            wanted.append(pl.any_horizontal([_has(runs, model, bits) for model in runs] or [pl.lit(value=False)]))
        else:
            wanted.append(_has(runs, _model(models, filters.wrong), bits))
    if wanted:
        found: Bools = frame.select(pl.all_horizontal(wanted).alias("found"))["found"].fill_null(False).to_numpy()
    else:
        found = np.ones(len(frame), dtype=bool)
    if filters.commented:
        found = found & (np.zeros(len(frame), dtype=bool) if commented is None else commented)
    words = [word for word in filters.q.split() if word][:_MOST_WORDS]
    for word in words:
        if not found.any():
            break
        found = found & _with_word(index, word)
    return np.flatnonzero(found)


def _equals(frame: pl.DataFrame, column: str, value: str) -> pl.Expr:
    """A comparison by code: a value that does not occur equals nothing."""
    dtype = frame.schema[column]
    if not isinstance(dtype, pl.Enum) and not any(mark == "⟨" or "␀" <= mark <= "␡" for mark in value):
        # Nothing in it stands for an invisible character, so it need not be looked up.
        return pl.col(column) == value
    known = dtype.categories if isinstance(dtype, pl.Enum) else frame[column].unique().cast(pl.String).drop_nulls()
    meant = find_shown(value, known.to_list())
    return pl.any_horizontal([pl.col(column) == one for one in meant] or [pl.lit(value=False)])


def find_shown(shown: str, known: Collection[str]) -> list[str]:
    """The known values that a page shows in this way: invisible characters are shown by their names.

    >>> find_shown("a", ["a", "b"]), find_shown("a⟨U+200B⟩", ["a\\u200b", "b"])
    (['a'], ['a\\u200b'])
    """
    if shown in known:
        return [shown]
    return [one for one in known if escape_invisible(one, one_line=True) == shown]


def _model(models: Mapping[str, int], shown: str) -> int:
    """The number of a model by the name that a page shows; -1 where there is none."""
    return next((models[name] for name in find_shown(shown, models)), -1)


def _bits(name: str) -> int:
    return 1 << FLAGS.index(name)


def _has(runs: Mapping[int, str], model: int, bits: int) -> pl.Expr:
    return (pl.col(runs[model]) & bits) > 0 if model in runs else pl.lit(value=False)


def _with_word(index: PairIndex, word: str) -> Bools:
    """By pair whether a word is in its texts, its gold answers, its id or a reply; case does not matter."""
    pattern = f"(?i){re.escape(word)}"
    texts = pl.scan_parquet(index.items_path).select(
        pl.any_horizontal(pl.col(name).str.contains(pattern).fill_null(False) for name in ("text", "gold", "probe_id"))
    )
    in_item = texts.collect(engine="streaming").to_series().to_numpy()[index.file_row]
    for column in index.columns:
        replies = column.scan().select(
            pl.col("text").fill_null(pl.col("answer")).str.contains(pattern).fill_null(False)
        )
        in_reply = np.append(False, replies.collect(engine="streaming").to_series().to_numpy())
        in_item = in_item | in_reply[column.reply]
    return np.asarray(in_item[index.original] | in_item[index.variant])


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
