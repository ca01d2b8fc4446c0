"""What a reader must know of the replies before any figure: what was not answered, and what is odd about answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from falter.measures import AnsweredPairs, Outcomes
from falter.measures.answer_notes import answer_notes
from falter.reporting.report_data import ModelInfo
from falter.runs import Run
from falter.tables import format_count

__all__ = ["note_answers", "note_lacking", "note_silent"]

_LONGEST_ERROR = 200


def note_lacking(name: str, answered: Iterable[AnsweredPairs]) -> list[str]:
    """One sentence for each suite of a run in which more than 1 % of the pairs of a test have no answer."""
    by_suite: dict[str, list[AnsweredPairs]] = {}
    for one in answered:
        if one.lacks_answers:
            by_suite.setdefault(one.group.suite, []).append(one)
    return [
        f"{name} has no answer to more than 1 % of the pairs of {_tests(lacking)} in {suite}. These pairs are in no "
        f"score: {'; '.join(_counts(one) for one in lacking)}."
        for suite, lacking in by_suite.items()
    ]


def note_answers(name: str, suite: str, found: Outcomes) -> list[str]:
    """What is odd about the answers of a run, in a sentence; nothing where nothing is."""
    notes = answer_notes(found)
    return [f"{name} on {suite}: {'; '.join(notes)}."] if notes else []


def _tests(lacking: Sequence[AnsweredPairs]) -> str:
    return "one test" if len(lacking) == 1 else f"{len(lacking)} tests"


def _counts(one: AnsweredPairs) -> str:
    counts = {"failed": one.failed, "missing": one.missing, "unsupported": one.unsupported}
    why = ", ".join(f"{number:,} {name}" for name, number in counts.items() if number)
    return f"{one.group.test} {one.excluded:,} of {one.pairs:,} ({why})"


def note_silent(info: ModelInfo, run: Run) -> str:
    """What became of a run in which no pair was answered, with the commonest error."""
    counts = (
        ", ".join(f"{number:,} {status}" for status, number in run.manifest.counts.items() if number)
        or "no reply at all"
    )
    note = f"{info.name} on {run.manifest.suite.name}: {counts}, of {format_count(run.manifest.asked, 'items')} asked."
    errors = run.replies()["error"].drop_nulls().value_counts(sort=True)
    if len(errors):
        error = " ".join(str(errors["error"][0]).split())
        shown = error if len(error) <= _LONGEST_ERROR else f"{error[:_LONGEST_ERROR]}…"
        note += f" The commonest error: {shown}"
    return note
