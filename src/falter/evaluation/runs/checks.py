"""A run on disk checked against requirements, some of them relative to another run.

The table of checked requirements is also written as JUnit XML and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

from falter.core.errors import UsageError
from falter.core.tables import GAP, PIPE_WIDTH, Block, Column, Grid, ResultTable
from falter.core.untrusted_text import escape_markdown
from falter.evaluation.measures.catalogue import measures_for, summaries_for
from falter.evaluation.measures.comparisons import compare_paired
from falter.evaluation.measures.measure import Measure
from falter.evaluation.measures.outcomes import Outcomes
from falter.evaluation.measures.paired import PairedRuns
from falter.evaluation.measures.requirements import CheckResult, Requirement, check_requirement, facets_required
from falter.evaluation.measures.results import MOST_EXCLUDED, Comparison, Group, Score
from falter.evaluation.measures.scoring import ScoringSettings
from falter.evaluation.measures.units import AnsweredUnits, count_units
from falter.evaluation.runs.anytime import anytime_revision
from falter.evaluation.runs.scoring import pair_runs, score_run
from falter.evaluation.runs.store import Run
from falter.evaluation.runs.table_cells import text_cells
from falter.evaluation.score_options import PLAIN, ScoreOptions

_Units = Mapping[tuple[Group, str], AnsweredUnits]


def check_run(
    run: Run,
    requirements: Sequence[Requirement],
    *,
    baseline: Run | None = None,
    allow_missing: float = MOST_EXCLUDED,
    options: ScoreOptions = PLAIN,
) -> list[CheckResult]:
    """Check every requirement; a run that lacks more answers than the share ``allow_missing`` meets none of them."""
    relative = [one for one in requirements if one.baseline]
    if relative and baseline is None:
        raise UsageError(f"the requirement {relative[0].text!r} needs a run to compare with; pass --baseline RUN")
    by = facets_required(requirements)
    kept: list[Outcomes] = []
    named = tuple(dict.fromkeys(one.measure for one in requirements))
    scores = score_run(run, options.replace(by=tuple(by), measures=named), on_outcomes=kept.append)
    units: _Units = {}
    if kept:
        suites = _suites(scores)
        alone = PairedRuns(kept, _measures(suites, requirements), summaries_for(suites), by, ScoringSettings())
        units = count_units(alone)
    shared_units: _Units = {}
    comparisons: list[Comparison] = []
    if relative and baseline is not None:
        own, measures = options.replace(by=tuple(facets_required(relative))), _measures(_suites(scores), relative)
        both = pair_runs((baseline, run), own, measures=measures)
        revise = None
        if run.sampled() is not None or baseline.sampled() is not None:
            revise = anytime_revision((baseline, run), own, measures=measures)
        comparisons, shared_units = compare_paired(both, revise).comparisons, count_units(both)
    return [
        check_requirement(
            one,
            scores,
            units=shared_units if one.baseline else units,
            comparisons=comparisons,
            allow_missing=allow_missing,
        )
        for one in requirements
    ]


def _suites(scores: Sequence[Score]) -> list[str]:
    return sorted({score.group.suite for score in scores})


def _measures(suites: Sequence[str], requirements: Sequence[Requirement]) -> list[Measure]:
    """The measures of the suites that requirements name."""
    named = {one.measure for one in requirements}
    return [measure for measure in measures_for(suites, named) if measure.name in named]


_GATES = {
    "interval": "gate:interval: the end of the 95 % interval is judged.",
    "value": "gate:value: the value over the whole suite is judged; intervals are 95 % and hold at any time.",
}
_REQUIREMENT, _LEAST_REQUIREMENT, _WHY = 30, 20, 20
"""The most and the least room for a requirement, and the least for the reason, in columns."""
_VERDICTS = {"met": "pass", "not met": "FAIL"}


class CheckResults(ResultTable[CheckResult]):
    """Requirements checked against the scores of a run."""

    noun = "requirements"

    def __init__(self, rows: Iterable[CheckResult], *, model: str = "", notes: Sequence[str] = ()) -> None:
        super().__init__(rows)
        self.model = model
        self.notes = tuple(notes)
        """What the verdicts do not show: a part that was not asked, images that were not shown, items asked twice."""

    def replace_rows(self, rows: Sequence[CheckResult]) -> CheckResults:
        return CheckResults(rows, model=self.model, notes=self.notes)

    @property
    def passed(self) -> bool:
        """Whether every requirement is met."""
        return all(one.passed for one in self.rows)

    def json_value(self) -> Any:
        found = {"model": self.model, "passed": self.passed, "verdicts": self.rows}
        return found | ({"notes": self.notes} if self.notes else {})

    def to_junit(self) -> bytes:
        """The results as a JUnit report, one test case per requirement."""
        return checks_to_junit({self.model: self})

    def to_markdown(self) -> str:
        """The results as a Markdown table."""
        return self.to_markdown_named(self.model)

    def to_markdown_named(self, name: str) -> str:
        """The same under another name than the model's, where several runs are checked."""
        lines = [f"\n{escape_markdown(note)}.\n" for note in self.notes]
        return _markdown_table(name, self.rows) + "".join(lines)

    def blocks(self) -> Iterator[Block]:
        from rich.text import Text

        verdicts = self.rows
        told = [
            Text(_VERDICTS.get(one.verdict, one.verdict), style="green" if one.passed else "bold red")
            for one in verdicts
        ]
        verdict = Column("", told)
        values = [
            Column("value", text_cells(_value(one) for one in verdicts), right=True),
            Column("interval", text_cells(_interval(one) for one in verdicts)),
            Column("n", text_cells(f"{one.score.n:,}" for one in verdicts), right=True),
        ]
        left = PIPE_WIDTH - sum(one.width + GAP for one in (verdict, *values))
        texts = text_cells(one.requirement.text for one in verdicts)
        required = Column("requirement", texts, wrap=min(max(left, _LEAST_REQUIREMENT), _REQUIREMENT))
        room = left - required.width - GAP
        if room >= _WHY:
            yield Grid(
                [verdict, required], [*values, Column("why", text_cells(one.reason for one in verdicts), wrap=room)]
            )
        else:
            yield Grid([verdict, required], values)
            for one in verdicts:
                yield fill(
                    f"{one.requirement.text}: {one.reason}", PIPE_WIDTH, subsequent_indent="  ", break_on_hyphens=False
                )
            yield ""
        yield from dict.fromkeys(fill(_GATES[one.gate], PIPE_WIDTH) for one in verdicts)
        yield from (fill(f"{note}.", PIPE_WIDTH, break_on_hyphens=False) for note in self.notes)


def _value(one: CheckResult) -> str:
    """The value that was checked, as text."""
    return "–" if one.score.value is None else f"{one.score.value:.4g}"


def _interval(one: CheckResult) -> str:
    """Its interval, as text; with a baseline and a value that is judged, that of the difference."""
    low, high = one.score.low, one.score.high
    if one.gate == "value" and one.comparison is not None:
        low, high = one.comparison.low, one.comparison.high
        return "–" if low is None or high is None else f"difference {low:+.3f} to {high:+.3f}"
    if low is not None and low == high and one.gate == "value":
        return "exact"
    return "–" if low is None or high is None else f"{low:.3f} to {high:.3f}"


def checks_to_junit(results: Mapping[str, CheckResults]) -> bytes:
    """Checks by name as a JUnit report: a suite for each run, in it a test case per requirement."""
    from xml.etree import ElementTree

    title = " ".join(["falter check", *(results if len(results) == 1 else ())])
    root = ElementTree.Element("testsuites", _attributes(title, [one for found in results.values() for one in found]))
    for name, found in results.items():
        attributes = _attributes(f"falter check {name}", found) | {"errors": "0", "skipped": "0"}
        suite = ElementTree.SubElement(root, "testsuite", attributes)
        for one in found:
            group = one.requirement.group
            case = ElementTree.SubElement(
                suite,
                "testcase",
                {"classname": _xml(f"{group.suite}.{group.test}"), "name": _xml(one.requirement.text), "time": "0"},
            )
            if not one.passed:
                failure = ElementTree.SubElement(case, "failure", {"message": _xml(one.reason), "type": "requirement"})
                failure.text = _xml(f"value {_value(one)}, interval {_interval(one)}, {one.score.signature}")
        if found.notes:
            ElementTree.SubElement(suite, "system-out").text = _xml("\n".join(found.notes))
    ElementTree.indent(root)
    report: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return report + b"\n"


def _attributes(name: str, results: Sequence[CheckResult]) -> dict[str, str]:
    return {"name": _xml(name), "tests": str(len(results)), "failures": str(sum(not one.passed for one in results))}


def _xml(text: str) -> str:
    """Text without the characters that XML 1.0 cannot hold in any form."""
    return "".join(character if _allowed_in_xml(ord(character)) else "\ufffd" for character in text)


def _allowed_in_xml(code: int) -> bool:
    return code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


def _markdown_table(model: str, results: Sequence[CheckResult]) -> str:
    """Results of a check as a Markdown table."""
    failed = sum(not one.passed for one in results)
    summary = "all requirements met" if not failed else f"{failed} of {len(results)} requirements not met"
    lines = [
        f"### falter check: {escape_markdown(model)}: {summary}",
        "",
        "| | Requirement | Value | 95 % interval | n | Why |",
        "|---|---|---:|---|---:|---|",
    ]
    lines += [
        f"| {'✅' if one.passed else '❌'} | {escape_markdown(one.requirement.text)} | {_value(one)} "
        f"| {_interval(one)} | {one.score.n:,} | {escape_markdown(one.reason)} |"
        for one in results
    ]
    return "\n".join(lines) + "\n"
