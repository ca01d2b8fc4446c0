"""The table of scores that stored runs of other models make more exact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from falter.measures.results import Group
from falter.runs.results.table_cells import format_group, format_percent, measure_title, text_cells
from falter.tables import Block, Column, Grid, ResultTable

if TYPE_CHECKING:
    from falter.measures import Measure

__all__ = ["ControlledScore", "ControlledScores"]


class ControlledScore(msgspec.Struct, frozen=True, kw_only=True):
    """One value over the whole suite, estimated from a sample and from what other models replied.

    ``plain`` and its interval are those of the sample alone. ``gain`` says how many times as many calls the plain
    estimate would need to be as exact.
    """

    model: str
    group: Group
    measure: str
    value: float
    low: float
    high: float
    plain: float
    plain_low: float
    plain_high: float
    gain: float
    n: int
    """How many probes were asked."""
    of: int
    """How many there are."""
    signature: str


class ControlledScores(ResultTable[ControlledScore]):
    """Scores over the whole suite, with the runs of other models as controls."""

    noun = "estimates"

    def __init__(
        self, rows: Iterable[ControlledScore], *, others: Sequence[str] = (), measures: Sequence[Measure] = ()
    ) -> None:
        super().__init__(rows)
        self.others = tuple(others)
        self.measures = tuple(measures)

    def replace_rows(self, rows: Sequence[ControlledScore]) -> ControlledScores:
        return ControlledScores(rows, others=self.others, measures=self.measures)

    def json_value(self) -> Any:
        return {"helpers": self.others, "estimates": self.rows}

    def blocks(self) -> Iterator[Block]:
        found = self.rows
        if not found:
            yield "There is no sample to make more exact: the run asked everything, or nothing that is a share."
            return
        yield Grid(
            [
                Column("test", text_cells(format_group(one.group) for one in found)),
                Column("measure", text_cells(measure_title(one.measure, self.measures) for one in found)),
                Column("model", text_cells(one.model for one in found)),
            ],
            [
                Column("value", text_cells(format_percent(one.value) for one in found), right=True),
                Column("interval", text_cells(_interval(one.low, one.high) for one in found)),
                Column("without\nhelpers", text_cells(_interval(one.plain_low, one.plain_high) for one in found)),
                Column("asked", text_cells(f"{one.n:,} of {one.of:,}" for one in found), right=True),
                Column("as good as", text_cells(f"{one.gain:.1f} times as many calls" for one in found)),
            ],
        )
        named = f"{len(self.others)} run{'s' * (len(self.others) != 1)} ({', '.join(self.others)})"
        yield (
            "Percent over the whole suite, with 95 % intervals for a sample whose size was fixed beforehand. "
            f"Helpers: {named}.\nThe intervals hold whatever the helpers are worth."
        )


def _interval(low: float, high: float) -> str:
    return f"{format_percent(low)}–{format_percent(high)}"
