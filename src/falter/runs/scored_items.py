"""The items that runs are scored over, and the columns of replies that this takes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path

import pyarrow as pa

from falter.measures.catalogue import measures_for, summaries_for
from falter.measures.counting import Summary
from falter.measures.measure import Measure
from falter.measures.outcomes import (
    Copies,
    Subset,
    count_copies,
    has_matching,
    merge_copies,
    read_items,
    read_replies,
    replies_from_frame,
    suites_in,
)
from falter.measures.scoring import facets_used
from falter.runs.store import Run

__all__ = ["find_copies", "load_replies", "read_distinct_items", "read_scored_items"]


def read_scored_items(
    path: Path,
    by: Sequence[str],
    measures: Sequence[Measure] | None,
    *,
    subset: Subset | None,
    probes: Collection[str] | None,
    summaries: Sequence[Summary] | None = (),
    requested: Collection[str] = (),
    facets: bool = False,
) -> tuple[pa.Table, Sequence[Measure]]:
    """The items to score and the measures of their suites; facets are read where they or a breakdown need them.

    Copies of a probe are left out: each counts once.
    """
    items = read_distinct_items(path, facets=facets or bool(by), subset=subset, probes=probes)
    suites = suites_in(items)
    own = measures_for(suites, requested) if measures is None else measures
    used = facets_used(own, summaries_for(suites) if summaries is None else summaries)
    if "facets" not in items.column_names and used:
        items = read_distinct_items(path, facets=True, subset=subset, probes=probes)
    return items, own


def read_distinct_items(
    path: Path, *, facets: bool = False, subset: Subset | None = None, probes: Collection[str] | None = None
) -> pa.Table:
    """The columns of items that scoring needs, without copies."""
    items, groups = _read_with_groups(path, facets=facets, subset=subset, probes=probes)
    return merge_copies(items, path, groups)


def _read_with_groups(
    path: Path, *, facets: bool = False, subset: Subset | None = None, probes: Collection[str] | None = None
) -> tuple[pa.Table, list[str]]:
    """The items, and the facets by which measures of their suites tell groups apart."""
    items = read_items(path, facets=facets, subset=subset, probes=probes)
    suites = suites_in(items)
    groups = facets_used(measures_for(suites), summaries_for(suites))
    if groups and "facets" not in items.column_names:
        items = read_items(path, facets=True, subset=subset, probes=probes)
    return items, groups


@lru_cache(maxsize=8)
def _count(path: Path, stamp: tuple[int, int], subset: Subset | None, probes: frozenset[str] | None) -> Copies:
    """``stamp`` is the time and size of the file, so that one written anew is read anew."""
    del stamp
    items, groups = _read_with_groups(path, subset=subset, probes=probes)
    return count_copies(items, path, groups)


def find_copies(path: Path, *, subset: Subset | None = None, probes: frozenset[str] | None = None) -> Copies:
    """How many probes of a suite (or of some of them) are copies, and how many items contradict others."""
    stat = path.stat()
    return _count(path, (stat.st_mtime_ns, stat.st_size), subset, probes)


def load_replies(run: Run, items: pa.Table) -> pa.Table:
    """The columns of a run's replies that scoring these items needs."""
    run.check_replies()
    if run.manifest.complete and run.is_read_now:
        return read_replies(run.replies_path(), scores=has_matching(items), texts="text" in items.column_names)
    return replies_from_frame(run.replies())
