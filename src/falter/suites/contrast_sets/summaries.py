"""How the tests of contrast sets are summarized: all sets together, as in Table 2 and the last line of Table 3."""

from __future__ import annotations

from falter.measures import ANSWERS, PAIRED, Summary
from falter.measures.counting import MICRO

__all__ = ["SUMMARIES"]

SUMMARIES = (Summary(name=MICRO, how="pooled", where=ANSWERS & PAIRED, facets=("variants",), sets=True),)
