"""The table of planned numbers of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from falter.measures.power import PowerPlan
from falter.runs.results.table_cells import text_cells
from falter.tables import Block, Column, Grid, ResultTable

__all__ = ["PowerPlans"]


class PowerPlans(ResultTable[PowerPlan]):
    """How many pairs a comparison needs, under one or more assumptions on how often two models disagree."""

    noun = "plans"

    def __init__(self, rows: Iterable[PowerPlan]) -> None:
        super().__init__(rows)

    def replace_rows(self, rows: Sequence[PowerPlan]) -> PowerPlans:
        return PowerPlans(rows)

    def json_value(self) -> Any:
        return self.rows

    def blocks(self) -> Iterator[Block]:
        if not self.rows:
            yield "There is nothing to plan."
            return
        first = self.rows[0]
        yield (
            f"Pairs needed to find a difference of {100 * first.detect:g} points with power {first.power:g} "
            f"(two-sided, {100 * first.alpha:g} %)"
        )
        yield Grid(
            [
                Column(
                    "the models disagree on", text_cells(f"{100 * one.rates.disagreement:.1f} %" for one in self.rows)
                )
            ],
            [
                Column("pairs", text_cells(f"{one.pairs:,}" for one in self.rows), right=True),
                Column("images", text_cells(f"{one.images:,}" for one in self.rows), right=True),
                Column("design\neffect", text_cells(f"{one.rates.design_effect:.2f}" for one in self.rows), right=True),
                Column(
                    "pairs per\nimage", text_cells(f"{one.rates.pairs_per_image:.1f}" for one in self.rows), right=True
                ),
            ],
        )
        yield f"Rates: {first.rates.origin}."
        yield (
            "The number is that of McNemar's exact test, times the design effect: pairs of\n"
            "one image tell less than pairs of several. falter compare also corrects for the\n"
            "number of its rows; plan for the row that decides."
        )
