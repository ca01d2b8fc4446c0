"""The facets of pairs: any name of the suite's facets, for breakdowns."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from falter.errors import UsageError
from falter.measures.interning import NONE, Codes, Vocabulary
from falter.measures.pairs import Rows

__all__ = ["Facet", "of_pairs", "read_facets"]

Facet = tuple[Codes, list[str]]
"""The value of each item as a code (-1 for none), and the values by code."""


def read_facets(column: pa.ChunkedArray, wanted: Iterable[str] | None = None) -> dict[str, Facet]:
    """The wanted facets (all where None), by name, for every item."""
    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy().astype(np.int64)
    flat = pc.list_flatten(column)
    names = Vocabulary()
    name = names.encode(pc.struct_field(flat, "name"))
    every = sorted(names.words)
    chosen = every if wanted is None else list(dict.fromkeys(wanted))
    unknown = [facet for facet in chosen if facet not in names.words]
    if unknown:
        raise UsageError(f"there is no facet {unknown[0]!r}: there are {', '.join(every) or 'none'}")
    values = Vocabulary()
    value = values.encode(pc.struct_field(flat, "value"))
    item = np.repeat(np.arange(len(lengths)), lengths)
    facets = {}
    for facet in chosen:
        rows = np.flatnonzero(name == names.code(facet))
        codes = np.full(len(lengths), NONE, dtype=np.int32)
        codes[item[rows]] = value[rows]
        facets[facet] = (codes, values.words)
    return facets


def of_pairs(facet: Facet, original: Rows, variant: Rows) -> Codes:
    """A pair's value is its variant's, or the original's where the variant has none."""
    codes = facet[0]
    own = codes[variant]
    return np.where(own == NONE, codes[original], own).astype(np.int32)
