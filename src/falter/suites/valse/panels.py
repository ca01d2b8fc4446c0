"""The report's panel on words: how often captions and foils have each of those in which they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from falter.core.tables import format_count
from falter.data.suite import Suite
from falter.evaluation.reporting import ColumnChart, ColumnSeries, Panel, ReportView, Section, Table
from falter.suites.valse.contents import (
    CandidateWords,
    FoilStatistics,
    FoilStatisticsCounter,
    candidate_words,
    count_foils,
)

_MOST = 24
_TEXT = (
    "How often captions and foils have each of the words or phrases in which they differ, in percent of either. Where "
    "the two are alike, the words do not tell which is the foil. JS is the square root of the Jensen-Shannon "
    "divergence in base 2, from 0 (alike) to 1 (nothing in common)."
)


def _build(view: ReportView) -> Section | None:
    suites = {run.run.manifest.suite.fingerprint: run.run for run in view.runs}
    sections = [words_section(run.suite()) for run in suites.values()]
    found = [section for section in sections if section is not None]
    if len(found) < 2:
        return found[0] if found else None
    names = [run.manifest.suite.name for run in suites.values()]
    parts = [
        Section(title=name, figures=one.figures, tables=one.tables, parts=one.parts)
        for name, one in zip(names, sections, strict=True)
        if one is not None
    ]
    return Section(text=_TEXT, parts=parts)


def words_section(suite: Suite) -> Section | None:
    """A table over all tests, and by test the distributions before and after filters and validation."""
    counters = count_foils(suite)
    before = candidate_words(suite)
    tests = {test: counter.contents() for test, counter in counters.items()}
    known = {test: one for test, one in tests.items() if one.js is not None}
    if not known:
        return None
    validated = any(one.valid is not None for one in known.values())
    return Section(
        text=_TEXT,
        tables=[_table(known, before, validated)],
        parts=[_part(test, counters[test], known[test], before.get(test)) for test in known],
    )


def _table(tests: dict[str, FoilStatistics], before: dict[str, CandidateWords], validated: bool) -> Table:
    columns = ["Test", "pairs", "lexical items", "of captions", "of foils", "JS"]
    if validated:
        columns += ["valid pairs", "JS, valid pairs"]
    if before:
        columns += ["candidates", "lexical items of candidates", "JS, candidates"]
    rows: list[list[str | int | None]] = []
    for test, one in tests.items():
        row: list[str | int | None] = [
            test,
            one.instances,
            one.lexical_items,
            one.lexical_items_captions,
            one.lexical_items_foils,
            _three_digits(one.js),
        ]
        if validated:
            row += [one.valid, _three_digits(one.js_valid)]
        if before:
            words = before.get(test)
            row += [None] * 3 if words is None else [words.candidates, words.lexical_items, _three_digits(words.js)]
        rows.append(row)
    return Table(columns=columns, rows=rows)


def _part(
    test: str, counter: FoilStatisticsCounter, found: FoilStatistics, before: CandidateWords | None = None
) -> Section:
    names = _most_frequent(counter.words())
    charts = []
    if before is not None:
        # The manifest has the most frequent words alone, but the shares are of all.
        words = Counter(before.captions), Counter(before.foils)
        charts.append(_chart("Candidates", before.candidates, names, words, before.candidates))
    charts += [_chart("All" if found.valid is not None else "Shares", found.instances, names, counter.words())]
    if found.valid is not None:
        charts.append(_chart("Valid", found.valid, names, counter.words(valid_only=True)))
    shown = len(names)
    text = (
        ""
        if found.lexical_items == shown
        else f"The {shown} most frequent of {found.lexical_items:,} words or phrases."
    )
    return Section(title=test, text=text, figures=[charts], folded=True)


def _chart(
    title: str, pairs: int, names: Sequence[str], words: tuple[Counter[str], Counter[str]], total: int | None = None
) -> ColumnChart:
    series = [
        ColumnSeries(side, [count[name] / max(total or count.total(), 1) for name in names])
        for side, count in zip(("captions", "foils"), words, strict=True)
    ]
    return ColumnChart(title, names, series, format_count(pairs, "pairs"))


def _most_frequent(words: tuple[Counter[str], Counter[str]]) -> list[str]:
    """The words that captions and foils have most often; numbers in their order, all others by frequency."""
    captions, foils = words
    together = captions + foils
    found = sorted(together, key=lambda word: (-together[word], word))[:_MOST]
    return sorted(found, key=int) if all(word.isdecimal() for word in found) else found


def _three_digits(value: float | None) -> str | None:
    return None if value is None else f"{value:.3f}"


PANELS = (Panel(name="foil-words", title="Words of captions and foils", build=_build, place="control-runs"),)
