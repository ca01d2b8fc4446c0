"""The table of how far runs give the same correct answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from falter.measures.results import Overlap
from falter.runs.results.run_names import RunName
from falter.runs.results.table_cells import overlap_cell, text_cells
from falter.tables import Block, Column, Grid, ResultTable

if TYPE_CHECKING:
    from rich.text import Text


__all__ = ["Overlaps"]

_WIDTH, _NAME = 80, 18


class Overlaps(ResultTable[Overlap]):
    """For every two runs, the share of one's correct answers that the other gives as well."""

    noun = "overlaps"

    def __init__(self, rows: Iterable[Overlap], *, runs: Sequence[RunName] = ()) -> None:
        super().__init__(rows)
        self.runs = tuple(runs)

    def replace_rows(self, rows: Sequence[Overlap]) -> Overlaps:
        return Overlaps(rows, runs=self.runs)

    def json_value(self) -> Any:
        return {"runs": self.runs, "coverage": self.rows}

    def blocks(self) -> Iterator[Block]:

        groups = list(dict.fromkeys(one.group for one in self.rows))
        if not groups:
            yield "The runs have no pair in common that all answered."
            return
        names = [one.model for one in self.runs]
        by_place = {(one.group, one.over, one.run, one.given): one for one in self.rows}

        def cell(row: tuple[int, int], given: int) -> Text:
            over = [by_place.get((groups[row[0]], each, row[1], given)) for each in ("instances", "pairs")]
            return overlap_cell([one for one in over if one is not None])

        rows = [(group, model) for group in range(len(groups)) for model in range(len(names))]
        tests = [f"{groups[group].suite}:{groups[group].test}" if not model else "" for group, model in rows]
        yield Grid(
            [
                Column("test", text_cells(tests), wrap=_NAME),
                Column("model", text_cells(names[model] for _, model in rows), wrap=_NAME),
            ],
            [
                Column(f"given\n{name}", [cell(row, place) for row in rows], right=True, wrap=_NAME)
                for place, name in enumerate(names)
            ],
            frozenset(range(0, len(rows), len(names))),
            _WIDTH,
        )
        yield (
            "Percent of the correct answers of the model at the head of a column that the\n"
            "model of the row gives, too: over single questions, and below over pairs with\n"
            "both answers correct; of captions and foils, over pairs whose caption scores\n"
            "above its foil. --json adds the counts."
        )
