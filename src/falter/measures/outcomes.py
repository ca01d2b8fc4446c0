"""Replies joined to a suite: what became of every pair."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from falter.measures.cells import CLASSES
from falter.measures.facets import of_pairs, read_facets
from falter.measures.grading import Graded, grade
from falter.measures.interning import NONE, Codes
from falter.measures.loading import in_probes, intern
from falter.measures.pairs import Rows, pairs_of
from falter.measures.subsets import in_subset, subset_of
from falter.measures.tables import read_items, replies_of_frame
from falter.measures.vqa_accuracy import Rule
from falter.probes import Suite

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FACET", "outcomes", "outcomes_of_tables"]

FACET = "facet:"
"""What the name of a facet's column begins with."""


def outcomes(
    suite: Suite,
    replies: pl.DataFrame,
    *,
    rule: Rule = "vqa-v2",
    facets: Sequence[str] | None = None,
    probes: Collection[str] | None = None,
    subset: str | None = None,
) -> pl.DataFrame:
    """One row a pair, in the order of the suite.

    Columns: ``probe_id``, ``variant``, ``suite``, ``test``, ``task``, ``expects``, ``image_id``; one ``facet:NAME`` for
    each facet (all of them, unless named); for either side ``original_`` and ``variant_`` with ``item_id``, ``class``
    (right, wrong, other, unparsed, failed, missing, unsupported, scored), ``answer`` (as the model gave it, null where
    no clear answer was given), ``right`` and ``credit`` (null without a reply); then ``kept`` (false: the pair is left
    out of the measures) and ``consistent`` (null where it is not kept or nothing is expected between the answers).
    Where texts are matched, either side has a ``score``, and ``preferred`` says whether the original's is the higher.
    ``probes`` are the probes a limited run is about (:meth:`falter.runs.Run.probe_ids`); ``subset`` is all, valid or
    unanimous where the suite marks its pairs so, the valid ones by default.
    """
    chosen = subset_of(suite.items_path, subset)
    wants_facets = facets is None or bool(facets) or chosen is not None
    items = in_subset(read_items(suite.items_path, facets=wants_facets, probes=probes), chosen)
    return outcomes_of_tables(items, replies_of_frame(replies), rule=rule, facets=facets, where=str(suite.items_path))


def outcomes_of_tables(
    items: pa.Table,
    replies: pa.Table,
    *,
    rule: Rule = "vqa-v2",
    facets: Sequence[str] | None = None,
    where: str = "items.parquet",
) -> pl.DataFrame:
    """:func:`outcomes` from tables in memory."""
    import polars as pl

    items = in_probes(items, where)
    interned = intern(items, replies, where)
    graded = grade(interned, rule)
    pairs = pairs_of(graded)
    what = interned.what[pairs.variant]
    columns: dict[str, pl.Series] = {
        "probe_id": _strings(items["probe_id"], pairs.variant),
        "variant": pl.Series(interned.variant[pairs.variant]),
        "suite": _named([one.suite for one in interned.whats], what),
        "test": _named([one.test for one in interned.whats], what),
        "task": _named([one.task for one in interned.whats], what),
        "expects": _named([one.expects for one in interned.whats], what),
        "image_id": _named(interned.images, interned.image[pairs.original]),
    }
    if facets is None or facets:
        for name, facet in read_facets(items["facets"], facets).items():
            columns[FACET + name] = _named(facet[1], of_pairs(facet, pairs.original, pairs.variant))
    written = pl.Series(pl.from_arrow(replies["answer"])).cast(pl.String)
    for side, rows in (("original", pairs.original), ("variant", pairs.variant)):
        columns |= _side(side, rows, graded, items, written)
    kept = pairs.cells.kept[pairs.cell]
    tied = np.isin(pairs.cells.expects, ("same", "different"))[pairs.cell]
    columns["kept"] = pl.Series(kept)
    columns["consistent"] = _masked(pl.Series(pairs.cells.consistent[pairs.cell]), kept & tied)
    if interned.match is not None:
        matching = (pairs.cells.task == "match")[pairs.cell]
        for side, rows in (("original", pairs.original), ("variant", pairs.variant)):
            ranks = interned.ranks(rows)
            columns[f"{side}_score"] = _masked(pl.Series(ranks), matching & ~np.isnan(ranks))
        preferring = matching & (pairs.cells.expects == "prefer")[pairs.cell]
        columns["preferred"] = _masked(pl.Series(pairs.cells.won[pairs.cell]), kept & preferring)
    return pl.DataFrame(columns)


def _side(side: str, rows: Rows, graded: Graded, items: pa.Table, written: pl.Series) -> dict[str, pl.Series]:
    import polars as pl

    state, interned = graded.state[rows], graded.interned
    kind = graded.states.kind.astype(np.uint8)[state]
    had = kind <= CLASSES.index("unparsed")
    answer = written.gather(np.maximum(interned.row[rows], 0)) if len(written) else pl.Series([None] * len(rows))
    return {
        f"{side}_item_id": _strings(items["item_id"], rows),
        f"{side}_class": _named(CLASSES, kind),
        f"{side}_answer": _masked(answer.cast(pl.String), interned.replies.answer[interned.reply[rows]] != NONE),
        f"{side}_right": _masked(pl.Series(kind == CLASSES.index("right")), had),
        f"{side}_credit": _masked(pl.Series(graded.states.credit[state], dtype=pl.Float64), had),
    }


def _masked(series: pl.Series, where: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> pl.Series:
    import polars as pl

    return pl.select(pl.when(pl.Series(where)).then(series).otherwise(None)).to_series()


def _named(words: Sequence[str], codes: Codes | np.ndarray[tuple[int], np.dtype[np.uint8]]) -> pl.Series:
    import polars as pl

    table = pl.Series([*words, None], dtype=pl.String)
    return table.gather(np.where(codes.astype(np.int64) == NONE, len(words), codes).astype(np.uint32))


def _strings(column: pa.ChunkedArray, rows: Rows) -> pl.Series:
    import polars as pl

    series = pl.Series(pl.from_arrow(column), dtype=pl.String)
    return series.gather(rows)
