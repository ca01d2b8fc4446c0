"""The votes on a suite's captions and foils, as ``falter inspect`` shows them."""

from __future__ import annotations

from falter.inspection.contents_table import ContentsTable
from falter.inspection.validation import validate_pairs
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
        "valid": [f"{one.valid:,}" for one in found],
        "unanimous": [f"{one.unanimous:,}" for one in found],
        "alpha": [_three_digits(one.alpha) for one in found],
        "alpha\nvalid": [_three_digits(one.alpha_valid) for one in found],
    }
    note = "alpha: Krippendorff's, over five categories; over all pairs, and over those that annotators confirmed."
    return [
        ContentsTable(name="votes", title="votes", rows={one.test: one for one in found}, columns=columns, note=note)
    ]


def _three_digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
