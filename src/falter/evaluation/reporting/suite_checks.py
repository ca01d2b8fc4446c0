"""What is known of the suites of a report: how far one gets without the image, and what people say of them.

Text-only baselines stand against chance, test by test. Votes give the share of valid probes by test, with intervals.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from markupsafe import Markup

from falter.data.blind_checks import BlindCheck
from falter.data.suite import Suite
from falter.data.validation import validate_pairs
from falter.data.votes import read_votes
from falter.evaluation.measures import Estimate
from falter.evaluation.reporting.panel import Section, Table, TableCell
from falter.evaluation.reporting.report_data import PanelSection, ReportData
from falter.evaluation.reporting.svg_charts import interval_mark, percent
from falter.evaluation.runs.failure_records import SuiteTest

_MARK_WIDTH = 130.0


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
    rows = [_blind_row(suite, one, scorers) for suite, one in data.blind_checks]
    for position, row in enumerate(rows):
        if position == 0 or rows[position - 1].test != row.test:
            row.first = True
            row.span = sum(other.test == row.test for other in rows[position:])
    known = [one.common_sense.knows for _, one in data.blind_checks if one.common_sense is not None]
    return BlindTable(rows, "words and scenes" in known, scorers)


def _blind_row(suite: str, one: BlindCheck, scorers: list[str]) -> BlindRow:
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
        _blind_cell(Estimate(one.accuracy, one.low, one.high), chance, f"n-grams, {label}"),
        BlindCell(note=one.common_sense_reason)
        if sense is None
        else _blind_cell(Estimate(sense.accuracy, sense.low, sense.high), chance, f"common sense, {label}"),
        [_scorer(one, name, chance, label) for name in scorers],
        _flag(one),
    )


def _scorer(one: BlindCheck, name: str, chance: float, label: str) -> BlindCell:
    found = one.scorers.get(name)
    if found is None:
        return BlindCell(note="–")
    cell = _blind_cell(Estimate(found.accuracy, found.low, found.high), chance, f"{name}, {label}")
    if found.mean_gap is not None:
        cell.gap = f"mean gap {found.mean_gap:+.3f}".replace("-", "\N{MINUS SIGN}")
    return cell


def _flag(one: BlindCheck) -> str:
    if not one.flagged:
        return ""
    told = f"{one.solved_by} above 60 %"
    return f"{told}; words change one way only" if one.one_way else told


def _blind_cell(found: Estimate, chance: float, label: str) -> BlindCell:
    assert found.value is not None and found.low is not None and found.high is not None
    return BlindCell(
        value=percent(found.value),
        interval=f"{percent(found.low)} to {percent(found.high)}",
        beyond=f"{100 * (found.value - chance):+.1f}".replace("-", "\N{MINUS SIGN}"),
        mark=interval_mark(found, "text-only", label, _MARK_WIDTH, chance),
        clear=found.low > chance,
    )


def votes_panel(suites: Iterable[Suite]) -> list[PanelSection]:
    """One section over all suites that have votes; none where nobody voted."""
    rows: list[list[str | TableCell]] = []
    for suite in suites:
        votes = list(read_votes(suite.folder))
        for one in validate_pairs(suite, votes) if votes else ():
            interval = ""
            if one.valid_low is not None and one.valid_high is not None:
                interval = f"{100 * one.valid_low:.1f} to {100 * one.valid_high:.1f}"
            share = f"{100 * one.valid / one.judged:.1f}" if one.judged else "–"
            unanimous = f"{100 * one.unanimous / one.judged:.1f}" if one.judged else "–"
            rows.append(
                [
                    f"{suite.name}: {one.test}",
                    f"{one.judged:,} of {one.pairs:,}",
                    f"{one.annotators:,}",
                    f"{one.votes:,}",
                    TableCell(share, below=interval),
                    unanimous,
                    "–" if one.alpha is None else f"{one.alpha:.3f}",
                ]
            )
    if not rows:
        return []
    table = Table(
        columns=["test", "judged", "people", "votes", "valid, %", "unanimous, %", "alpha"],
        rows=rows,
        notes=["Valid: most of two votes or more confirm the label. The 95 % interval is Wilson's."],
    )
    text = (
        "How far people confirm the labels of the suites. Scores are over valid probes unless another subset is chosen."
    )
    return [
        PanelSection(name="people", title="People", section=Section(text=text, tables=[table]), place="control-runs")
    ]
