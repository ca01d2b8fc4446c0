"""What people say of the suites of a report: the share of valid probes by test, with intervals."""

from __future__ import annotations

from collections.abc import Iterable

from falter.inspection.validation import validate_pairs
from falter.probes import Suite, read_votes
from falter.reporting.panel import Section, Table, TableCell
from falter.reporting.report_data import PanelSection

__all__ = ["votes_panel"]


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
