"""What ``falter inspect`` adds for VALSE: how far annotators confirmed the pairs, and what gives foils away.

A generated suite shows its funnel as well: candidates, kept, reasons, and a sample of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from falter.data.suite import Suite
from falter.generation.inspection.contents import ContentsTable
from falter.suites.valse.foil_statistics import FoilStatistics, correlate_with_validity, count_foils, printed_alphas

__all__ = ["CandidateWords", "candidate_words", "contents"]


class CandidateWords(msgspec.Struct):
    """The words in which candidates and their captions differ, before any filter and any balance."""

    candidates: int = 0
    lexical_items: int = 0
    js: float | None = None
    captions: dict[str, int] = msgspec.field(default_factory=dict)
    """How often captions have each of the most frequent words."""
    foils: dict[str, int] = msgspec.field(default_factory=dict)


class _Funnel(msgspec.Struct):
    """As the manifest holds it."""

    captions: int = 0
    candidates: int = 0
    kept: int = 0
    skipped: dict[str, int] = msgspec.field(default_factory=dict)
    rejected: dict[str, int] = msgspec.field(default_factory=dict)
    before: CandidateWords | None = None
    samples: dict[str, list[str]] = msgspec.field(default_factory=dict)


def _funnels(suite: Suite) -> dict[str, _Funnel]:
    """By test; empty for a suite whose foils were not made here, or whose manifest was written by other hands."""
    counts = suite.manifest.counts
    try:
        # A subsample keeps the counts of the suite that it was drawn from.
        whole = msgspec.convert(counts.get("suite", {}), dict[str, Any])
        found = msgspec.convert(counts.get("funnel", whole.get("funnel", {})), dict[str, _Funnel])
    except msgspec.ValidationError:
        return {}
    made = counts.get("tests", {})
    return {test: one for test, one in found.items() if test in made}


def candidate_words(suite: Suite) -> dict[str, CandidateWords]:
    """By test the words of its candidates, where foils were made here."""
    return {
        test: one.before
        for test, one in _funnels(suite).items()
        if one.before is not None and one.before.candidates and one.before.js is not None
    }


def funnel_contents(suite: Suite) -> list[ContentsTable]:
    """One table; none for a suite whose foils were not made here."""
    funnels = _funnels(suite)
    if not funnels:
        return []
    columns = {
        "captions": [f"{one.captions:,}" for one in funnels.values()],
        "phrases\nskipped": [f"{sum(one.skipped.values()):,}" for one in funnels.values()],
        "candidates": [f"{one.candidates:,}" for one in funnels.values()],
        "rejected": [f"{sum(one.rejected.values()):,}" for one in funnels.values()],
        "kept": [f"{one.kept:,}" for one in funnels.values()],
    }
    rows: dict[str, Any] = {test: msgspec.to_builtins(one) for test, one in funnels.items()}
    note = "\n".join(line for test, one in funnels.items() for line in _lines(test, one))
    return [ContentsTable(name="funnel", title="how foils were made", rows=rows, columns=columns, note=note)]


def _lines(test: str, funnel: _Funnel) -> Iterator[str]:
    """By reason the number and a sample; changed words are in brackets."""
    reasons = {"kept": funnel.kept, **funnel.rejected}
    for title, counts in (("candidates", reasons), ("skipped", funnel.skipped)):
        yield f"{test}, {title}:"
        for reason, count in counts.items():
            yield f"  {count:,} {reason}"
            yield from (f"      {one}" for one in funnel.samples.get(reason, ()))


def contents(suite: Suite) -> list[ContentsTable]:
    """One row per test of captions and foils, and how the foils were made, where that was done here."""
    counters = count_foils(suite)
    if not counters:
        return []
    tests = {name: counter.contents() for name, counter in counters.items()}
    printed = printed_alphas(tests)
    for name, alpha in printed.items():
        tests[name].printed_alpha, tests[name].printed_alpha_valid = alpha
    before = candidate_words(suite)
    for name, words in before.items():
        if name in tests:
            tests[name].lexical_items_before, tests[name].js_before = words.lexical_items, words.js
    columns = {
        "pairs": [f"{one.instances:,}" for one in tests.values()],
        "valid": [_part(one.valid, one.instances) for one in tests.values()],
        "unanimous": [_part(one.unanimous, one.instances) for one in tests.values()],
        "lexical\nitems": [_lexical(one) for one in tests.values()],
        **_before_columns(tests),
        "JS": [_three_digits(one.js) for one in tests.values()],
        "JS\nvalid": [_three_digits(one.js_valid) for one in tests.values()],
        "longer\ntext": [_percent(one.longer_text) for one in tests.values()],
        "shorter\ntext": [_percent(one.shorter_text) for one in tests.values()],
    }
    note = (
        "Lexical items: different words in which captions and foils differ (captions / foils). JS: how far apart "
        "these are distributed, 0 to 1. Longer, shorter text: what choosing by length alone scores, in per cent."
    )
    if printed:
        columns |= {
            "alpha,\nprinted": [_three_digits(one.printed_alpha) for one in tests.values()],
            "alpha valid,\nprinted": [_three_digits(one.printed_alpha_valid) for one in tests.values()],
        }
        over_all, over_valid = correlate_with_validity(tests, printed)
        note += (
            "\nAlpha: agreement of annotators as the paper prints it; the release has counts of votes alone."
            f"\nIts rank correlation with the share of valid pairs: {over_all:.3f}, over valid pairs {over_valid:.3f}."
        )
    table = ContentsTable(name="foils", title="captions and foils", rows=dict(tests), columns=columns, note=note)
    return [table, *funnel_contents(suite)]


def _before_columns(tests: dict[str, FoilStatistics]) -> dict[str, list[str]]:
    """What candidates were like before filters and balance; no column where no foils were made."""
    if all(one.js_before is None for one in tests.values()):
        return {}
    items = [one.lexical_items_before for one in tests.values()]
    return {
        "items before\nfilters": ["–" if number is None else f"{number:,}" for number in items],
        "JS before\nfilters": [_three_digits(one.js_before) for one in tests.values()],
    }


def _part(number: int | None, whole: int) -> str:
    return "–" if number is None else f"{number:,} ({100 * number / max(whole, 1):.1f} %)"


def _lexical(one: FoilStatistics) -> str:
    if one.lexical_items is None:
        return "–"
    return f"{one.lexical_items:,} ({one.lexical_items_captions:,} / {one.lexical_items_foils:,})"


def _three_digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"
