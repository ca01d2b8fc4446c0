"""Tables of what people say: valid pairs, agreement by test and by person, and the error rate of a suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from falter.core.tables import PIPE_WIDTH, Block, Column, Grid, ResultTable, wrap_lines
from falter.data.validation import ValidatedTest

if TYPE_CHECKING:
    from falter.apps.people.agreement import PersonAgreement, TestAgreement
    from falter.apps.people.error_rate import TestErrors


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
        """What ``falter people votes`` prints."""
        yield votes_grid(self.rows)
        if any(row.alpha_over == "texts" for row in self.rows):
            said = "alpha is over caption and foil, not over first and second: the order of the texts is not known"
            yield wrap_lines(said, PIPE_WIDTH)
        if self.screened:
            names = ", ".join(f"{name} ({100 * share:.0f} %)" for name, share in self.screened.items())
            yield wrap_lines(f"screened out, by the share of votes for the caption: {names}", PIPE_WIDTH)


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


_MOST_ANSWERS = 12
"""Answers that people typed are too many to print."""


class PeopleAgreement(ResultTable["TestAgreement"]):
    """How far people agree and how often they are right, by test; :attr:`people` by person."""

    noun = "tests"

    def __init__(self, rows: Iterable[TestAgreement], people: Sequence[PersonAgreement] = ()) -> None:
        super().__init__(rows)
        self.people = list(people)

    def replace_rows(self, rows: Sequence[TestAgreement]) -> PeopleAgreement:
        return PeopleAgreement(rows, self.people)

    def json_value(self) -> Any:
        return {"tests": msgspec.to_builtins(self.rows), "people": msgspec.to_builtins(self.people)}

    def blocks(self) -> Iterator[Block]:
        """What ``falter people agreement`` prints."""
        rows = self.rows
        yield Grid(
            [_column("test", [row.test for row in rows], right=False)],
            [
                _column("questions", [f"{row.questions:,}" for row in rows]),
                _column("answers", [f"{row.answers:,}" for row in rows]),
                _column("alpha", [_number(row.alpha) for row in rows]),
                _column("95 %", [_range(row.alpha_low, row.alpha_high, 1) for row in rows]),
                _column("Fleiss'\nkappa", [_number(row.fleiss) for row in rows]),
                _column("Cohen's\nkappa", [_number(row.cohen) for row in rows]),
                _column("right", [_percent(row.accuracy) for row in rows]),
                _column("95 %", [_range(row.accuracy_low, row.accuracy_high, 100) for row in rows]),
                _column("originals", [_percent(row.originals) for row in rows]),
                _column("variants", [_percent(row.variants) for row in rows]),
            ],
        )
        yield "right: more than half give the expected answer; no majority is wrong. Alpha: Krippendorff's, nominal."
        if rows and len(rows[-1].majorities) <= _MOST_ANSWERS:
            told = ", ".join(f"{answer} {number:,}" for answer, number in rows[-1].majorities.items())
            yield f"what most people say, by number of questions: {told}"
        people = self.people
        yield Grid(
            [_column("person", [one.annotator for one in people], right=False)],
            [
                _column("answers", [f"{one.answers:,}" for one in people]),
                _column("right", [_percent(one.accuracy) for one in people]),
                _column("95 %", [_range(one.accuracy_low, one.accuracy_high, 100) for one in people]),
                _column("controls", [f"{one.controls_right} of {one.controls}" for one in people]),
                _column("as the\nothers", [_percent(one.others) for one in people]),
                _column("95 %", [_range(one.others_low, one.others_high, 100) for one in people]),
                _column("seconds", ["-" if one.seconds is None else f"{one.seconds:.1f}" for one in people]),
                _column("commonest", [f"{one.commonest} {_percent(one.commonest_share)}" for one in people]),
                _column("first", [_percent(one.first_share) for one in people]),
            ],
        )
        yield "as the others: the share of answers that are the majority of the others. first: chosen among two sides."


class ErrorRates(ResultTable["TestErrors"]):
    """The error rate of a suite by test, estimated from votes and predictions."""

    noun = "tests"

    def __init__(self, rows: Iterable[TestErrors], next_probes: Sequence[str] = ()) -> None:
        super().__init__(rows)
        self.next_probes = list(next_probes)
        """The probes whose votes would shrink the interval most."""

    def replace_rows(self, rows: Sequence[TestErrors]) -> ErrorRates:
        return ErrorRates(rows, self.next_probes)

    def json_value(self) -> Any:
        return {"tests": msgspec.to_builtins(self.rows), "next": self.next_probes}

    def blocks(self) -> Iterator[Block]:
        """What ``falter people error-rate`` prints."""
        rows = self.rows
        yield Grid(
            [_column("test", [row.test for row in rows], right=False)],
            [
                _column("probes", [f"{row.probes:,}" for row in rows]),
                _column("asked", [f"{row.asked:,}" for row in rows]),
                _column("wrong", [f"{row.wrong:,}" for row in rows]),
                _column("error rate", [_percent(row.rate) for row in rows]),
                _column("95 %", [_range(row.low, row.high, 100) for row in rows]),
                _column("votes\nalone", [_percent(row.plain_rate) for row in rows]),
                _column("95 %", [_range(row.plain_low, row.plain_high, 100) for row in rows]),
            ],
        )
        yield "error rate: of all probes, from the votes and what the audit and blind baselines predict."


def _column(heading: str, cells: Sequence[str], *, right: bool = True) -> Column:
    from rich.text import Text

    return Column(heading, [Text(cell) for cell in cells], right=right)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _range(low: float | None, high: float | None, factor: int) -> str:
    if low is None or high is None:
        return "-"
    digits = 2 if factor == 1 else 1
    return f"{factor * low:.{digits}f} to {factor * high:.{digits}f}"
