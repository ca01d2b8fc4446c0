"""How far one gets without the image: text-only baselines against chance, test by test."""

from __future__ import annotations

import msgspec
from markupsafe import Markup

from falter.inspection.blind_result import BlindCheck
from falter.measures import Estimate
from falter.reporting.report_data import ReportData, SuiteTest
from falter.reporting.svg import interval_mark, percent

__all__ = ["BlindRow", "BlindTable", "blind_baselines"]

_MARK = 130.0


class BlindCell(msgspec.Struct):
    """What a baseline reaches, or why there is no value."""

    value: str = "–"
    interval: str = ""
    beyond: str = ""
    """How far the value is from chance, in points."""
    mark: Markup = Markup("")
    clear: bool = False
    """Whether the whole interval is above chance."""
    note: str = ""
    gap: str = ""
    """The mean of the caption's score less the foil's."""


class BlindTable(msgspec.Struct):
    """All rows, and whether common sense got scene graphs."""

    rows: list[BlindRow]
    with_scenes: bool
    scorers: list[str] = msgspec.field(default_factory=list)
    """Length and further scorers of captions and foils, where there are any."""

    def __bool__(self) -> bool:
        return bool(self.rows)


class BlindRow(msgspec.Struct):
    """One kind of questions of a test; ``first`` begins a test of ``span`` rows."""

    test: SuiteTest
    questions: str
    checked: str
    chance: str
    ngrams: BlindCell
    common_sense: BlindCell
    scorers: list[BlindCell] = msgspec.field(default_factory=list)
    """Of captions and foils, length and further scorers, in the order of the table's names."""
    flag: str = ""
    """What tells captions from foils in over 60 % of the pairs."""
    first: bool = False
    span: int = 0


def blind_baselines(data: ReportData) -> BlindTable:
    """A row for each test and kind of question that was checked."""
    scorers = list(dict.fromkeys(name for _, one in data.blind_checks for name in one.scorers))
    rows = [_row(suite, one, scorers) for suite, one in data.blind_checks]
    for position, row in enumerate(rows):
        if position == 0 or rows[position - 1].test != row.test:
            row.first = True
            row.span = sum(other.test == row.test for other in rows[position:])
    known = [one.common_sense.knows for _, one in data.blind_checks if one.common_sense is not None]
    return BlindTable(rows, "words and scenes" in known, scorers)


def _row(suite: str, one: BlindCheck, scorers: list[str]) -> BlindRow:
    what = "pairs" if one.over_pairs else "questions"
    checked = (
        f"{one.items:,} {what}" if one.items == one.sampled_from else f"{one.items:,} of {one.sampled_from:,} {what}"
    )
    chance = one.majority if one.chance is None else one.chance
    sense = one.common_sense
    label = f"{one.test}, {one.questions},"
    return BlindRow(
        SuiteTest(suite, one.test),
        one.questions,
        checked,
        percent(chance),
        _cell(Estimate(one.accuracy, one.low, one.high), chance, f"n-grams, {label}"),
        BlindCell(note=one.common_sense_reason)
        if sense is None
        else _cell(Estimate(sense.accuracy, sense.low, sense.high), chance, f"common sense, {label}"),
        [_scorer(one, name, chance, label) for name in scorers],
        _flag(one),
    )


def _scorer(one: BlindCheck, name: str, chance: float, label: str) -> BlindCell:
    found = one.scorers.get(name)
    if found is None:
        return BlindCell(note="–")
    cell = _cell(Estimate(found.accuracy, found.low, found.high), chance, f"{name}, {label}")
    if found.mean_gap is not None:
        cell.gap = f"mean gap {found.mean_gap:+.3f}".replace("-", "\N{MINUS SIGN}")
    return cell


def _flag(one: BlindCheck) -> str:
    if not one.flagged:
        return ""
    told = f"{one.solved_by} above 60 %"
    return f"{told}; words change one way only" if one.one_way else told


def _cell(found: Estimate, chance: float, label: str) -> BlindCell:
    assert found.value is not None and found.low is not None and found.high is not None
    return BlindCell(
        value=percent(found.value),
        interval=f"{percent(found.low)} to {percent(found.high)}",
        beyond=f"{100 * (found.value - chance):+.1f}".replace("-", "\N{MINUS SIGN}"),
        mark=interval_mark(found, "text-only", label, _MARK, chance),
        clear=found.low > chance,
    )
