"""The table of how far scores vary over prompts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from falter.measures.results import Estimate, PromptSpread
from falter.runs.results.run_names import RunName
from falter.runs.results.table_cells import interval_cell, measure_title, text_cells
from falter.tables import Block, Column, Grid, ResultTable

if TYPE_CHECKING:
    from falter.measures import Measure


__all__ = ["PromptSpreads"]


class PromptSpreads(ResultTable[PromptSpread]):
    """How far the scores of one model vary over several prompts."""

    noun = "prompt spreads"

    def __init__(
        self, rows: Iterable[PromptSpread], *, runs: Sequence[RunName] = (), measures: Sequence[Measure] = ()
    ) -> None:
        super().__init__(rows)
        self.runs = tuple(runs)
        self.measures = tuple(measures)

    def replace_rows(self, rows: Sequence[PromptSpread]) -> PromptSpreads:
        return PromptSpreads(rows, runs=self.runs, measures=self.measures)

    def json_value(self) -> Any:
        return {"runs": [one.run for one in self.runs], "spread": self.rows}

    def blocks(self) -> Iterator[Block]:
        rows = self.rows
        if not rows:
            return

        def column(heading: str, estimates: Iterable[Estimate | None]) -> Column:
            empty = Estimate(None)
            cells = [interval_cell(one.value, one.low, one.high) for one in (each or empty for each in estimates)]
            return Column(heading, cells, right=True)

        yield f"Over {len(self.runs)} prompts: {', '.join(one.model for one in self.runs)}"
        values = [
            column("worst", (one.worst for one in rows)),
            Column("worst\nprompt", text_cells(one.worst_prompt for one in rows)),
            column("best", (one.best for one in rows)),
            column("range", (one.range for one in rows)),
            column("sd", (one.sd for one in rows)),
        ]
        if any(one.all_prompts is not None for one in rows):
            values.append(column("correct under\nall prompts", (one.all_prompts for one in rows)))
        yield Grid(
            [
                Column("test", text_cells(f"{one.group.suite}:{one.group.test}" for one in rows)),
                Column("measure", text_cells(measure_title(one.measure, self.measures) for one in rows)),
            ],
            values,
        )
