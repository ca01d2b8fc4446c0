"""Which probes a limited run asks: whole ones, evenly over the tests, a larger limit always holding the smaller."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import groupby

from falter.files import open_parquet
from falter.probes import Suite
from falter.probes.schema import ITEM_SCHEMA

__all__ = ["draw_order", "draw_probes", "select_probes"]


def select_probes(suite: Suite, *, limit: int, seed: int = 0) -> frozenset[str]:
    """The ids of ``limit`` probes, taken in turn from each test in an order drawn by the seed.

    The first 100 are among the first 200, and a test that has few probes gives all of them before others give more.
    """
    return frozenset(draw_probes(suite, seed=seed)[:limit])


def draw_probes(suite: Suite, *, seed: int = 0) -> list[str]:
    """All probes in the order in which limits take them: within a test it is random, whatever the probes hold."""
    table = open_parquet(suite.items_path, ITEM_SCHEMA).read(["test", "probe_id", "variant"])
    rows = zip(*(column.to_pylist() for column in table.itercolumns()), strict=True)
    originals = [(test, probe_id) for test, probe_id, variant in rows if variant == 0]
    drawn = sorted((test, _draw(seed, probe_id), probe_id) for test, probe_id in originals)
    ranked = [
        (rank, test, probe_id)
        for test, group in groupby(drawn, key=lambda entry: entry[0])
        for rank, (_, _, probe_id) in enumerate(group)
    ]
    return [probe_id for _, _, probe_id in sorted(ranked)]


def draw_order(probe_ids: Iterable[str], seed: int) -> list[str]:
    """Probes in the order in which :func:`select_probes` takes them from a test."""
    return sorted(probe_ids, key=lambda probe_id: (_draw(seed, probe_id), probe_id))


def _draw(seed: int, probe_id: str) -> bytes:
    return hashlib.sha256(f"{seed}\n{probe_id}".encode()).digest()
