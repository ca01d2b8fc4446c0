"""The funnel of a generated suite, as ``falter inspect`` shows it: candidates, kept, reasons, and a sample of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from falter.inspection.contents import ContentsTable
from falter.probes import Suite

__all__ = ["CandidateWords", "candidate_words", "funnel_contents"]


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
