"""The facets of a suite beside the outcomes of a run, read a part of the file at a time."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import polars as pl
import pyarrow as pa

from falter.files import open_parquet
from falter.measures.outcomes import FACET, Outcomes
from falter.measures.outcomes.coding import NONE, Codes
from falter.measures.outcomes.reading import read_facets
from falter.probes import Suite
from falter.probes.schema import ITEM_SCHEMA

__all__ = ["MOST_VALUES", "add_facets"]

MOST_VALUES = 400
"""A facet with more values than this is a name, not a facet."""

_AT_ONCE = 65_536


class _Column:
    """The values of one facet, numbered in the order met."""

    def __init__(self, rows: int) -> None:
        self.codes: Codes = np.full(rows, NONE, dtype=np.int32)
        self.values: dict[str, int] = {}

    def add(self, start: int, codes: Codes, words: list[str]) -> None:
        table = np.full(len(words) + 1, NONE, dtype=np.int32)
        for code in np.unique(codes[codes != NONE]).tolist():
            table[code] = self.values.setdefault(words[code], len(self.values))
        self.codes[start : start + len(codes)] = table[codes]

    def series(self, name: str) -> pl.Series:
        """An enumeration of the values that occur, sorted."""
        names = sorted(self.values)
        place = np.array([*(names.index(value) for value in self.values), 0], dtype=np.uint32)
        column = pl.Series(names, dtype=pl.Enum(names)).gather(pl.Series(place[self.codes]))
        present = pl.Series(self.codes != NONE)
        return pl.select(pl.when(present).then(column)).to_series().alias(FACET + name)


def add_facets(found: Outcomes, suite: Suite, keep: Collection[str] = ()) -> Outcomes | None:
    """The outcomes with a column for every facet that has few values, or that ``keep`` names.

    None where the outcomes are not of all items in the order of the file.
    """
    file = open_parquet(suite.items_path, ITEM_SCHEMA)
    if found.ids is None or file.num_rows != len(found):
        return None
    columns: dict[str, _Column] = {}
    dropped: set[str] = set()
    start = 0
    for batch in file.iter_batches(["item_id", "facets"], batch_size=_AT_ONCE):
        ids = pl.Series(pl.from_arrow(batch["item_id"])).cast(pl.String)
        if not ids.equals(found.ids["item_id"][start : start + len(ids)]):
            return None
        for name, facet in read_facets(pa.chunked_array([batch["facets"]])).items():
            if name in dropped:
                continue
            column = columns.setdefault(name, _Column(len(found)))
            column.add(start, facet.codes, facet.values)
            if len(column.values) > MOST_VALUES and name not in keep:
                dropped.add(name)
                del columns[name]
        start += len(ids)
    names = sorted(columns)
    return replace(found, frame=found.frame.with_columns([columns.pop(name).series(name) for name in names]))
