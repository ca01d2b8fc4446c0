"""What ``falter inspect`` and ``falter audit`` tell of a suite of RAD."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from falter.core.tables import format_count
from falter.data.images import Source
from falter.data.items import Item, Probe
from falter.data.suite import Suite
from falter.evaluation.reporting.published import published_for
from falter.evaluation.reporting.published_settings import SuiteFacts
from falter.generation.inspection.contents import ContentsTable
from falter.suites.rad.answers import may_be_same, plain_answer
from falter.suites.rad.augmentations import Augmentation, augmentation


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


_NOT_ABOUT = "the text is not a question about an answer of the original"


def audit_generated(probe: Probe, source: Source | None) -> str:  # noqa: ARG001 - a probe holds all that is needed
    """What is wrong with the variants of a probe, or an empty text."""
    for variant in probe.variants:
        found = augmentation(probe.original.test)
        if found is None:
            return _NOT_ABOUT
        check = _check_choice if found.offers_choice else _check_yes_no
        problem = check(found, probe.original, variant)
        if problem:
            return problem
    return ""


def _check_yes_no(found: Augmentation, original: Item, variant: Item) -> str:
    reading = found.rewrite.read(original.text)
    before = "exactly " if " exactly " in variant.text else ""
    asked = () if reading is None else reading.read_back(variant.text, before)
    if not asked:
        return _NOT_ABOUT
    gold = plain_answer(original.gold or "").lower()
    expected = "yes" if gold in (answer.lower() for answer in asked) else "no"
    if variant.gold != expected:
        return f"the answer to {variant.text!r} is {expected}"
    if expected == "no" and all(_may_be_right(found, original, variant, answer) for answer in asked):
        return f"{asked[0]!r} may be as right as what humans answered"
    return ""


def _check_choice(found: Augmentation, original: Item, variant: Item) -> str:
    reading = found.rewrite.read(original.text)
    offered = variant.choices or ()
    if reading is None or reading.write_choice(offered) != variant.text:
        return _NOT_ABOUT
    gold = found.rewrite.said_as(plain_answer(original.gold or ""))
    if gold not in offered or variant.gold != gold:
        return f"the answer to {variant.text!r} is {gold}"
    for answer in offered:
        if answer != gold and _may_be_right(found, original, variant, answer):
            return f"{answer!r} may be as right as what humans answered"
    return ""


def _may_be_right(found: Augmentation, original: Item, variant: Item, answer: str) -> bool:
    """Whether an answer other than the right one may be right as well; only looked at where labels are strict."""
    if variant.facets.get("labels") != "strict":
        return False
    gold = plain_answer(original.gold or "")
    said = {gold, *(original.answers or ())}
    return not found.rewrite.excludes(gold, answer) or may_be_same(answer, said, found.rewrite.overlapping)


_SAME_ANSWER = frozenset(("rephrasings", "back-translation"))
_BY_PEOPLE = frozenset(("convqa-l", "convqa-cs"))


def audit(probe: Probe, source: Source | None) -> str | None:
    """What is wrong with the variants of a probe, or an empty text; None where people alone know."""
    original = probe.original
    if original.test in _BY_PEOPLE:
        return None
    if original.test in _SAME_ANSWER:
        differ = any((one.gold, one.answers) != (original.gold, original.answers) for one in probe.variants)
        return "the answers are not those of the original" if differ else ""
    found = audit_generated(probe, source)
    # How a released question was written is not ours to judge, only its label.
    released = original.facets.get("labels") == "published"
    return None if released and found.startswith("the text is not a question") else found
