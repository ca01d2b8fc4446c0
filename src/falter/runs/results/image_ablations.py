"""The table of image ablations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from falter.measures.results import ImageAblation
from falter.runs.results.run_names import RunName
from falter.runs.results.table_cells import format_percent, interval_cell, measure_title, text_cells
from falter.tables import Block, Column, Grid, ResultTable

if TYPE_CHECKING:
    from falter.measures import Measure


__all__ = ["ImageAblations", "image_ablation_blocks"]

_NAME = 16
"""Columns of the names of tests and models; longer ones are broken into lines."""


class ImageAblations(ResultTable[ImageAblation]):
    """What a model's scores retain without its images."""

    noun = "image ablations"

    def __init__(
        self, rows: Iterable[ImageAblation], *, runs: Sequence[RunName] = (), measures: Sequence[Measure] = ()
    ) -> None:
        super().__init__(rows)
        self.runs = tuple(runs)
        """Two runs: with the images, and with another image input."""
        self.measures = tuple(measures)

    def replace_rows(self, rows: Sequence[ImageAblation]) -> ImageAblations:
        return ImageAblations(rows, runs=self.runs, measures=self.measures)

    def json_value(self) -> Any:
        return {"with_image_run": self.runs[0].run if self.runs else None, "scores": self.rows}

    def blocks(self) -> Iterator[Block]:
        yield from image_ablation_blocks([self])


def image_ablation_blocks(tables: Sequence[ImageAblations]) -> Iterator[Block]:
    """The ablations of several models as one table."""
    rows = [(one, table) for table in tables for one in table.rows]
    if not rows:
        return
    yield "Image ablation"
    yield Grid(
        [
            Column("test", text_cells(f"{one.group.suite}:{one.group.test}" for one, _ in rows), wrap=_NAME),
            Column("model", text_cells(table.runs[1].model for _, table in rows), wrap=_NAME),
            Column("measure", text_cells(measure_title(one.measure, table.measures) for one, table in rows)),
        ],
        [
            Column("with\nimages", text_cells(format_percent(one.with_image) for one, _ in rows), right=True),
            Column("ablated", text_cells(format_percent(one.ablated) for one, _ in rows), right=True),
            Column("retained", [interval_cell(one.retained, one.low, one.high) for one, _ in rows], right=True),
            Column("n", text_cells(f"{one.n:,}" for one, _ in rows), right=True),
        ],
    )
    yield ("Retained: the ablated score over the score with images, over the pairs that\nboth runs include.\n")
