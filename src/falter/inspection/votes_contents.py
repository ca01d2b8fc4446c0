"""The votes on a suite, as ``falter inspect`` shows them."""

from __future__ import annotations

from falter.inspection.contents_table import ContentsTable
from falter.inspection.validation import ValidatedTest, validate_pairs
from falter.probes import Suite
from falter.probes.votes import read_votes

__all__ = ["votes_contents"]


def votes_contents(suite: Suite) -> list[ContentsTable]:
    """One row per test that has votes; none for a suite on which nobody voted."""
    votes = list(read_votes(suite.folder))
    if not votes:
        return []
    found = validate_pairs(suite, votes)
    if not found:
        return []
    columns = {
        "pairs": [f"{one.pairs:,}" for one in found],
        "votes": [f"{one.votes:,}" for one in found],
        "annotators": [f"{one.annotators:,}" for one in found],
        "judged": [f"{one.judged:,}" for one in found],
        "valid": [f"{one.valid:,}" for one in found],
        "valid, %": [_interval(one) for one in found],
        "unanimous": [f"{one.unanimous:,}" for one in found],
        "alpha": [_three_digits(one.alpha) for one in found],
        "alpha\nvalid": [_three_digits(one.alpha_valid) for one in found],
    }
    note = (
        "judged: with two votes at least; valid: most of these confirm the label, with the 95 % interval.\n"
        "alpha: Krippendorff's, over the categories of the votes; over all, and over what annotators confirmed."
    )
    return [
        ContentsTable(name="votes", title="votes", rows={one.test: one for one in found}, columns=columns, note=note)
    ]


def _interval(one: ValidatedTest) -> str:
    if one.valid_low is None or one.valid_high is None:
        return "–"
    return f"{100 * one.valid / one.judged:.1f} ({100 * one.valid_low:.1f} to {100 * one.valid_high:.1f})"


def _three_digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
