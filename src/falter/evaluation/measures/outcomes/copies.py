"""Copies: probes whose items are all equal count once, and equal images are one cluster under whatever names.

An item is equal to another if a model sees the same (task, text, earlier turns, choices and image, by the hash of its
bytes where that is known) and its gold is the same; a probe is a copy if all its items are, in one test and in one of
the groups that measures of its suite tell apart. Of copies the first counts, with its reply.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from falter.core.files import open_parquet
from falter.core.tables import format_count
from falter.data.normalize import normalize
from falter.evaluation.measures.outcomes.coding import NONE, Bools, Integers, Vocabulary, code_rows
from falter.evaluation.measures.outcomes.reading import read_facets, sort_by_probe

_Hashes = npt.NDArray[np.uint64]

# Odd multipliers of the splitmix64 generator, which spread every bit over the product.
_FIRST, _SECOND, _THIRD = (np.uint64(one) for one in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


class Copies(NamedTuple):
    """What is in a suite more than once."""

    probes: int
    copies: int
    """Of the probes, those that are equal to one before them."""
    contradictions: int
    """Items that have several golds."""
    example: str
    """One of these, with the probes that disagree."""

    def notes(self, suite: str) -> Iterator[str]:
        """What a reader of figures must know, a sentence each."""
        if self.copies:
            verb = "is a copy" if self.copies == 1 else "are copies"
            yield (
                f"{self.copies:,} of {format_count(self.probes, 'probes')} of {suite} {verb} of others (equal items "
                f"and golds): each counts once, so n and intervals are over {self.probes - self.copies:,}"
            )
        if self.contradictions:
            yield (
                f"{format_count(self.contradictions, 'items')} of {suite} with several golds, such as {self.example}: "
                "no reply is correct by all of them; fix the data"
            )


def merge_copies(items: pa.Table, path: Path, facets: Sequence[str] = ()) -> pa.Table:
    """The items without copies, those of a probe together; an image under several names has the first of them.

    Probes that differ in one of ``facets`` are not copies: measures tell groups of probes apart by them.
    """
    items = sort_by_probe(items, str(path))
    copied = _find(items, facets)
    if copied.any():
        items = items.filter(pa.array(~copied))
    return _merge_images(items, path)


def count_copies(items: pa.Table, path: Path, facets: Sequence[str] = ()) -> Copies:
    """How many probes are copies, and how many items contradict others."""
    items = sort_by_probe(items, str(path))
    copied = _find(items, facets)[items["variant"].to_numpy() == 0]
    return Copies(len(copied), int(copied.sum()), *_contradictions(items))


def _hash(column: pa.ChunkedArray) -> _Hashes:
    return pl.Series(pl.from_arrow(column)).hash().to_numpy()


def _find(items: pa.Table, facets: Sequence[str]) -> Bools:
    """By row whether its probe is equal to one before it, by 64 bits of hash: a million probes collide once in 10^7."""
    variant = items["variant"].to_numpy()
    starts = np.flatnonzero(variant == 0)
    if not len(starts):
        return np.zeros(0, dtype=bool)
    rows = _hash(items["item_id"]).copy()
    rows ^= (Vocabulary().encode(items["gold"]).astype(np.int64) + 2).astype(np.uint64) * _FIRST
    rows *= _SECOND
    rows ^= rows >> np.uint64(29)
    rows += variant.astype(np.uint64) * _FIRST
    rows *= _THIRD
    rows ^= rows >> np.uint64(32)
    names = [Vocabulary().encode(items[name])[starts] + 1 for name in ("suite", "test", "expects")]
    if facets and "facets" in items.column_names:
        names += [facet.codes[starts] + 1 for facet in read_facets(items["facets"], facets, optional=True).values()]
    group, _ = code_rows(names)
    probes = np.add.reduceat(rows, starts) + group.astype(np.uint64) * _SECOND
    _, first = np.unique(probes, return_index=True)
    copied = np.ones(len(starts), dtype=bool)
    copied[first] = False
    if not copied.any():
        return np.zeros(len(variant), dtype=bool)
    return np.asarray(copied[np.cumsum(variant == 0) - 1], dtype=bool)


def _contradictions(items: pa.Table) -> tuple[int, str]:
    """How many items have golds that differ, and an example; a gold that is another spelling of one does not."""
    gold = Vocabulary(normalize).encode(items["gold"])
    known = np.flatnonzero(gold != NONE)
    ids = _hash(items["item_id"])[known]
    order = np.argsort(ids, kind="stable")
    differ = (ids[order][1:] == ids[order][:-1]) & (gold[known][order][1:] != gold[known][order][:-1])
    if not differ.any():
        return 0, ""
    pairs = np.flatnonzero(differ)
    first = int(pairs[np.argmin(known[order][pairs + 1])])
    rows = items.take(pa.array(known[order][[first, first + 1]])).to_pylist()
    example = " and ".join(f"{row['gold']!r} in {row['probe_id']}" for row in rows)
    return len(np.unique(ids[order][pairs])), example


def _merge_images(items: pa.Table, path: Path) -> pa.Table:
    names_of_images = ("image_id", "image_sha256")
    columns = (*names_of_images, "variant")
    reader = open_parquet(path, columns, hint="make it anew", dictionaries=names_of_images, memory_map=True)
    table = reader.read(columns)
    if table["image_sha256"].null_count == len(table):
        return items
    # Clusters are the images of originals; those of variants may be changed until they are equal.
    table = table.filter(pc.equal(table["variant"], 0))
    names = Vocabulary()
    image, content = names.encode(table["image_id"]), Vocabulary().encode(table["image_sha256"])
    known = (image != NONE) & (content != NONE)
    _, found = code_rows([content[known], image[known]])
    contents: Integers = found[:, 0] if len(found) else np.zeros(0, dtype=np.int64)
    again = np.flatnonzero(contents[1:] == contents[:-1]) + 1
    if not len(again):
        return items
    # Names are numbered in the order met, and these are sorted: the first of a content is met first.
    words = names.words
    replaced: dict[str, str] = {}
    for row in again.tolist():
        name = words[found[row - 1, 1]]
        replaced[words[found[row, 1]]] = replaced.get(name, name)
    own = pc.cast(items["image_id"], pa.string()).combine_chunks()
    at = pc.index_in(own, value_set=pa.array(list(replaced), pa.string()))
    merged = pc.coalesce(pa.array(list(replaced.values()), pa.string()).take(at), own)
    return items.set_column(items.schema.get_field_index("image_id"), "image_id", merged)
