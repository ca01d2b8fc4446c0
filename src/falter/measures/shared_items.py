"""The items that several runs of one suite have in common, and what each of them replied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from falter.errors import UsageError
from falter.measures.scoring import items_to_score, load_replies
from falter.measures.subsets import Subset, subset_of
from falter.measures.tables import asks_to_match
from falter.runs import Run

__all__ = ["SharedItems", "items_of_runs"]


class SharedItems(NamedTuple):
    """Tables to measure runs over the same pairs with."""

    items: pa.Table
    replies: list[pa.Table]
    """One table a run."""
    where: str
    subset: Subset | None


def items_of_runs(runs: Sequence[Run], *, facets: bool = False, subset: str | None = None) -> SharedItems:
    """The items that no run's limit leaves out; ``subset`` as in :func:`~falter.measures.score_run`."""
    first = runs[0]
    for run in runs[1:]:
        if run.manifest.suite.fingerprint != first.manifest.suite.fingerprint:
            raise UsageError(f"{first.folder} and {run.folder} are runs of different suites: give runs of the same one")
    path = first.suite().items_path
    limits = [limit for run in runs if (limit := run.probe_ids()) is not None]
    chosen = subset_of(path, subset)
    items = items_to_score(
        path, facets=facets, subset=chosen, probes=frozenset.intersection(*limits) if limits else None
    )
    matching = asks_to_match(items)
    return SharedItems(items, [load_replies(run, scores=matching) for run in runs], str(path), chosen)
