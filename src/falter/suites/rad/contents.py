"""What ``falter inspect`` adds for RAD: how much of the source each augmentation covers, how scarce its shape is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from falter.core.tables import format_count
from falter.data.suite import Suite
from falter.evaluation.reporting.published import published_for
from falter.evaluation.reporting.published_settings import SuiteFacts
from falter.generation.inspection.contents import ContentsTable

__all__ = ["contents"]


def contents(suite: Suite) -> Sequence[ContentsTable]:
    """By test the questions that were read, became pairs, and already had the augmented shape."""
    counts = suite.manifest.counts
    coverage: dict[str, dict[str, int]] = counts.get("coverage", {})
    questions = counts.get("questions", 0)
    if not questions or not all(isinstance(one, dict) for one in coverage.values()):
        return []
    made = {test: one.get("probes", 0) for test, one in counts.get("tests", {}).items()}
    tests = [test for test in coverage if test in made]
    rows: dict[str, dict[str, Any]] = {}
    for test in tests:
        row = coverage[test]
        pairs = row.get("trusted", 0)
        rows[test] = {
            "asked": row.get("asked", 0),
            "read": row.get("read", 0),
            "covered": pairs,
            "share": pairs / questions,
            "own_shape": row.get("own_shape", 0),
            "pairs": made[test],
        }
    columns = {
        "of this form": [f"{rows[test]['asked']:,}" for test in tests],
        "read": [f"{rows[test]['read']:,}" for test in tests],
        "with a label": [f"{rows[test]['covered']:,}" for test in tests],
        "of the source": [f"{100 * rows[test]['share']:.1f} %" for test in tests],
        "pairs": [f"{rows[test]['pairs']:,}" for test in tests],
        "yes/no of this shape": [f"{rows[test]['own_shape']:,}" for test in tests],
    }
    covered = sum(rows[test]["covered"] for test in tests)
    note = (
        f"{covered:,} of the source's {format_count(questions, 'questions')} ({100 * covered / questions:.1f} %) "
        f"can be augmented by these tests{_paper(suite, tests)}. "
        "Yes/no questions of this shape are the source's own that look like augmented ones."
    )
    return [ContentsTable(name="coverage", title="coverage of the source", rows=rows, columns=columns, note=note)]


def _paper(suite: Suite, tests: Sequence[str]) -> str:
    """What the paper covers of the same data set."""
    found = published_for("rad")
    if found is None:
        return ""
    described, _ = found.describing(SuiteFacts(suite.manifest, suite.items_path), tests)
    told = []
    for row in (one.figures for one in described.extra["coverage"]):
        covered = sum(row.get(test, 0) for test in ("color", "how-many", "what-kind"))
        told.append(f"{100 * covered / row['questions']:.1f} % of {row['data_set']}")
    return f" (the paper's cover {', '.join(told)})" if told else ""
