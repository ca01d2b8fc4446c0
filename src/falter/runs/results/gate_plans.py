"""The table of planned gates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from falter.line_wrap import PIPE_WIDTH, wrap_lines
from falter.measures.gate_plans import GatePlan
from falter.runs.results.table_cells import text_cells
from falter.tables import Block, Column, Grid, ResultTable, format_count

__all__ = ["GatePlans"]


class GatePlans(ResultTable[GatePlan]):
    """How many calls a gate that may stop early takes, for one or more true differences."""

    noun = "plans"

    def __init__(self, rows: Iterable[GatePlan]) -> None:
        super().__init__(rows)

    def replace_rows(self, rows: Sequence[GatePlan]) -> GatePlans:
        return GatePlans(rows)

    def json_value(self) -> Any:
        return self.rows

    def blocks(self) -> Iterator[Block]:
        if not self.rows:
            yield "There is nothing to plan."
            return
        first = self.rows[0]
        yield wrap_lines(
            f"Pairs asked by a gate that is met where a model is worse by at most {100 * first.margin:g} points, of "
            f"{format_count(first.pairs, 'pairs')}, alpha {100 * first.alpha:g} %",
            PIPE_WIDTH,
        )

        def column(heading: str, texts: Iterable[str]) -> Column:
            return Column(heading, text_cells(texts), right=True)

        yield Grid(
            [Column("true difference", text_cells(f"{100 * one.difference:+.1f} points" for one in self.rows))],
            [
                column("disagree\non", (f"{100 * one.rates.disagreement:.1f} %" for one in self.rows)),
                column("mean", (f"{one.mean:,.0f}" for one in self.rows)),
                column("share", (f"{100 * one.mean / one.pairs:.0f} %" for one in self.rows)),
                *(
                    column(f"{share} % ask\nat most", (f"{one.calls[place]:,}" for one in self.rows))
                    for place, share in enumerate((10, 50, 90))
                ),
                column("ask all", (f"{100 * one.everything:.0f} %" for one in self.rows)),
                column("say met", (f"{100 * one.met:.0f} %" for one in self.rows)),
            ],
            most=PIPE_WIDTH,
        )
        yield wrap_lines(
            f"Rates: {first.rates.origin}. 200 simulated gates each, tested round by round as by falter run --until.",
            PIPE_WIDTH,
        )
