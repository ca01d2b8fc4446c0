"""How the tests of VALSE are summarized: all pairs together are broken down by piece, as in the paper's tables."""

from __future__ import annotations

from falter.measures.counting import MICRO, Summary

__all__ = ["SUMMARIES"]

SUMMARIES = (Summary(name=MICRO, how="pooled", facets=("piece",)),)
