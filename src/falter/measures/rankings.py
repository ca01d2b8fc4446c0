"""Measures over the scores of texts themselves, which no count of cells holds."""

from __future__ import annotations

from dataclasses import dataclass

from falter.measures.cells import Cells, SetCells
from falter.measures.measure import Tally, Unit

__all__ = ["RankingMeasure"]


@dataclass(frozen=True, kw_only=True)
class RankingMeasure:
    """The name and the meaning of a measure that is computed from scores; see :mod:`falter.measures.matching`."""

    name: str
    title: str
    meaning: str
    tasks: frozenset[str]
    expects: frozenset[str]
    unit: Unit = "item"

    def tally(self, cells: Cells | SetCells) -> Tally | None:
        """Nothing: cells do not hold scores."""
        del cells
        return None
