"""Part of a suite by what annotators said of its pairs: all, those they confirmed, those they all confirmed."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import pyarrow as pa
import pyarrow.parquet as pq

from falter.errors import UsageError
from falter.measures.facets import read_facets

__all__ = ["SUBSETS", "Subset", "in_subset", "mark", "subset_of"]

Subset = Literal["all", "valid", "unanimous"]
SUBSETS: tuple[Subset, ...] = get_args(Subset)

_MARKS = ("valid", "unanimous")
_NAMES = "facets.list.element.name"


def subset_of(path: Path, wanted: str | None) -> Subset | None:
    """The subset to score: the one wanted, else the valid pairs of a suite whose pairs are marked; None of others."""
    if wanted is not None and wanted not in SUBSETS:
        raise UsageError(f"unknown subset {wanted!r}: there are {', '.join(SUBSETS)}")
    marked = _marked(path)
    for name in SUBSETS:
        if name == wanted:
            if name != "all" and name not in marked:
                raise UsageError(f"no pair of {path.parent} is marked as {name}: leave --subset out, or give all")
            return name if marked else None
    return "valid" if "valid" in marked else None


def in_subset(items: pa.Table, subset: Subset | None) -> pa.Table:
    """The items of a subset; what bears no mark belongs to every one."""
    if subset is None or subset == "all":
        return items
    codes, words = read_facets(items["facets"], [subset])[subset]
    out = words.index("no") if "no" in words else len(words)
    return items.filter(pa.array(codes != out))


def mark(subset: Subset | None) -> tuple[str, ...]:
    """What a signature says of the subset."""
    return () if subset is None else (f"subset:{subset}",)


def _marked(path: Path) -> frozenset[str]:
    """Which marks occur; only row groups whose statistics allow for one are read."""
    file = pq.ParquetFile(path, read_dictionary=[_NAMES])
    place = next((number for number in range(len(file.schema)) if file.schema.column(number).path == _NAMES), None)
    found: set[str] = set()
    for number in range(file.metadata.num_row_groups) if place is not None else ():
        statistics = file.metadata.row_group(number).column(place).statistics
        if statistics is not None and statistics.has_min_max and statistics.max < min(_MARKS):
            continue
        column = file.read_row_group(number, columns=[_NAMES])["facets"]
        names = column.combine_chunks().flatten().field("name")
        found.update(name for name in names.unique().to_pylist() if name in _MARKS)
        if len(found) == len(_MARKS):
            break
    return frozenset(found)
