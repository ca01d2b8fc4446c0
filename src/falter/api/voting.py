"""Votes of annotators on captions and foils: valid pairs, unanimity and agreement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from falter.api.paths import PathOrStr, SuiteLike, as_suite
from falter.inspection.validation import ValidatedTest
from falter.line_wrap import PIPE_WIDTH, wrap_lines
from falter.tables import Block, Column, Grid, ResultTable

if TYPE_CHECKING:
    from falter.inspection.debias import PairSubset

__all__ = ["Validation", "add_votes"]


class Validation(ResultTable[ValidatedTest]):
    """By test how many pairs annotators confirmed, and how far they agree."""

    noun = "tests"

    def __init__(self, rows: Iterable[ValidatedTest], screened: Mapping[str, float] | None = None) -> None:
        super().__init__(rows)
        self.screened = dict(screened or {})
        """By annotator who does not count the share of votes for the caption."""

    def replace_rows(self, rows: Sequence[ValidatedTest]) -> Validation:
        return Validation(rows, self.screened)

    def blocks(self) -> Iterator[Block]:
        """What ``falter votes`` prints."""
        yield votes_grid(self.rows)
        if any(row.alpha_over == "texts" for row in self.rows):
            said = "alpha is over caption and foil, not over first and second: the order of the texts is not known"
            yield wrap_lines(said, PIPE_WIDTH)
        if self.screened:
            names = ", ".join(f"{name} ({100 * share:.0f} %)" for name, share in self.screened.items())
            yield wrap_lines(f"screened out, by the share of votes for the caption: {names}", PIPE_WIDTH)


def add_votes(
    suite: SuiteLike,
    votes: PathOrStr,
    *,
    out: PathOrStr,
    screen: float = 0.7,
    subset: PairSubset = "all",
    overwrite: bool = False,
) -> Validation:
    """Write a suite with the votes of annotators on its pairs, marked as valid and unanimous; give the agreement.

    ``votes`` is a CSV, JSONL, JSON or Parquet file with the columns probe_id, annotator and answer. Annotators who
    choose the caption in less than ``screen`` of their votes do not count; ``subset`` leaves out other pairs.
    """
    from falter.inspection.mark_votes import mark_votes

    found = mark_votes(as_suite(suite), Path(votes), Path(out), screen=screen, subset=subset, overwrite=overwrite)
    return Validation(found.tests, found.screened)


def votes_grid(rows: Sequence[ValidatedTest]) -> Grid:
    """The table of votes, a row per test."""
    from rich.text import Text

    def column(heading: str, cells: Sequence[str]) -> Column:
        return Column(heading, [Text(cell) for cell in cells], right=True)

    return Grid(
        [Column("votes", [Text(row.test) for row in rows])],
        [
            column("pairs", [f"{row.pairs:,}" for row in rows]),
            column("with two\nvotes", [f"{row.judged:,}" for row in rows]),
            column("votes", [f"{row.votes:,}" for row in rows]),
            column("annotators", [f"{row.annotators:,}" for row in rows]),
            column("valid", [_part(row.valid, row.judged) for row in rows]),
            column("unanimous", [_part(row.unanimous, row.judged) for row in rows]),
            column("alpha", [_three_digits(row.alpha) for row in rows]),
            column("alpha\nvalid", [_three_digits(row.alpha_valid) for row in rows]),
            column("caption\nfirst", ["-" if row.caption_first is None else _share(row.caption_first) for row in rows]),
        ],
        most=PIPE_WIDTH,
    )


def _part(number: int, whole: int) -> str:
    return f"{number:,} ({_share(number / max(whole, 1))})"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _three_digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
