"""Tables of ``falter inspect``: the funnel of foils, and the statistics of captions and foils that the paper prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.core.errors import InputError
from falter.core.files import JsonDecoder, read_yaml
from falter.data.items import Probe
from falter.data.suite import Suite
from falter.generation.inspection.contents import ContentsTable
from falter.generation.inspection.foil_pairs import jensen_shannon
from falter.suites.valse.instruments import INSTRUMENTS


class FoilStatistics(msgspec.Struct, kw_only=True):
    """Captions and foils of one test.

    ``lexical_items`` counts the different words or phrases in which captions and foils differ, as the release names
    them; ``js`` is the square root of the Jensen-Shannon divergence (base 2) between those of captions and those of
    foils, ``js_valid`` the same over the valid pairs. ``longer_text`` and ``shorter_text`` say how often the caption is
    the longer or the shorter of the two in letters, equal ones counting half, over the valid pairs: what a model that
    looks at nothing else would score.
    """

    instances: int = 0
    valid: int | None = None
    unanimous: int | None = None
    equal_texts: int = 0
    lexical_items: int | None = None
    lexical_items_captions: int | None = None
    lexical_items_foils: int | None = None
    lexical_items_before: int | None = None
    """Of all candidates, before any filter and any balance, where the foils were made here."""
    js_before: float | None = None
    js: float | None = None
    js_valid: float | None = None
    longer_text: float | None = None
    shorter_text: float | None = None
    printed_alpha: float | None = None
    """Krippendorff's alpha as the paper prints it, for the whole release alone."""
    printed_alpha_valid: float | None = None


class _Extra(msgspec.Struct):
    classes: Any = None
    classes_foil: Any = None


_extra = JsonDecoder(_Extra)


class FoilStatisticsCounter:
    """Goes through the pairs of a test once."""

    def __init__(self) -> None:
        self._contents = FoilStatistics()
        self._marks: Counter[str] = Counter()
        self._captions = {True: Counter[str](), False: Counter[str]()}
        self._foils = {True: Counter[str](), False: Counter[str]()}
        self._lengths: Counter[str] = Counter()

    def add(self, probe: Probe) -> None:
        """Count a caption and its foils."""
        caption = probe.original
        valid = caption.facets.get("valid", "yes") == "yes"
        for foil in probe.variants:
            self._contents.instances += 1
            self._contents.equal_texts += foil.text == caption.text
            self._marks.update(name for name in ("valid", "unanimous") if caption.facets.get(name) == "yes")
            self._marks.update(f"has {name}" for name in ("valid", "unanimous") if name in caption.facets)
            if valid:
                difference = len(caption.text) - len(foil.text)
                self._lengths["longer" if difference > 0 else "shorter" if difference < 0 else "equal"] += 1
            told = _Extra() if foil.extra is None else _told(foil.extra)
            self._captions[valid].update(_values(told.classes))
            self._foils[valid].update(_values(told.classes_foil))

    def words(self, *, valid_only: bool = False) -> tuple[Counter[str], Counter[str]]:
        """How often captions and foils have each word in which they differ, over all pairs or the valid ones."""
        if valid_only:
            return self._captions[True], self._foils[True]
        return self._captions[True] + self._captions[False], self._foils[True] + self._foils[False]

    def contents(self) -> FoilStatistics:
        """What was counted."""
        found = self._contents
        for name in ("valid", "unanimous"):
            if self._marks[f"has {name}"]:
                setattr(found, name, self._marks[name])
        captions, foils = self.words()
        if captions and foils:
            found.lexical_items = len(captions.keys() | foils.keys())
            found.lexical_items_captions, found.lexical_items_foils = len(captions), len(foils)
            found.js = jensen_shannon(captions, foils)
            found.js_valid = jensen_shannon(self._captions[True], self._foils[True])
        pairs = self._lengths.total()
        if pairs:
            equal = self._lengths["equal"] / 2
            found.longer_text = (self._lengths["longer"] + equal) / pairs
            found.shorter_text = (self._lengths["shorter"] + equal) / pairs
        return found


def count_foils(suite: Suite) -> dict[str, FoilStatisticsCounter]:
    """By test of captions and foils what was counted."""
    counters: dict[str, FoilStatisticsCounter] = {}
    for probe in suite.probes():
        if probe.original.task == "match" and probe.original.expects == "prefer":
            counters.setdefault(probe.original.test, FoilStatisticsCounter()).add(probe)
    return counters


def _told(extra: str) -> _Extra:
    try:
        return _extra.decode(extra, "items.parquet")
    except InputError:
        return _Extra()


def _values(value: Any) -> list[str]:
    """Whole values as they were released; a list counts as what it holds."""
    if value is None:
        return []
    return [one for each in value for one in _values(each)] if isinstance(value, list) else [str(value)]


_FILE = Path(__file__).with_name("printed_agreement.yaml")


class PrintedAlpha(NamedTuple):
    """Krippendorff's alpha of one instrument, over all pairs and over the valid ones."""

    all_pairs: float
    valid_pairs: float


class _Printed(msgspec.Struct, forbid_unknown_fields=True):
    source: str
    alpha: dict[str, tuple[float, float]]


def printed_alphas(tests: Mapping[str, FoilStatistics]) -> dict[str, PrintedAlpha]:
    """By test the printed figures; none for a suite that is not the whole release."""
    released = {one.test: one.entries for one in INSTRUMENTS}
    if {test: one.instances for test, one in tests.items()} != released or any(
        one.valid is None for one in tests.values()
    ):
        return {}
    found = read_yaml(_FILE, _Printed)
    return {test: PrintedAlpha(*found.alpha[test]) for test in tests}


def correlate_with_validity(
    tests: Mapping[str, FoilStatistics], alphas: Mapping[str, PrintedAlpha]
) -> tuple[float, float]:
    """Spearman's rank correlation of the share of valid pairs with alpha, over all pairs and over the valid ones."""
    from scipy.stats import spearmanr

    valid = [(tests[test].valid or 0) / tests[test].instances for test in alphas]
    all_pairs, valid_pairs = (
        float(spearmanr(valid, values).statistic) for values in zip(*alphas.values(), strict=True)
    )
    return all_pairs, valid_pairs


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
