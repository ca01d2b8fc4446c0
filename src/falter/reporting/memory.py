"""Giving memory back between the steps of a report, each of which reads columns of its own."""

from __future__ import annotations

import gc

import pyarrow as pa

from falter.probes import Suite

__all__ = ["release_memory"]

_LARGE = 100_000
"""Items of a suite from which it is worth the time."""


def release_memory(suite: Suite) -> None:
    """Free outcomes that refer to themselves, and what Arrow keeps for later; nothing where a suite is small."""
    if suite.item_count >= _LARGE:
        gc.collect()
        pa.default_memory_pool().release_unused()
