"""Captions and foils of a test: how far annotators confirmed them, and what tells them apart without an image.

The agreement that the paper prints stands beside what can be counted from the release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.core.errors import InputError
from falter.core.files import JsonDecoder, read_yaml
from falter.data.items import Probe
from falter.data.suite import Suite
from falter.generation.inspection.foil_pairs import jensen_shannon
from falter.suites.valse.instruments import INSTRUMENTS

__all__ = ["FoilStatistics", "FoilStatisticsCounter", "correlate_with_validity", "count_foils", "printed_alphas"]


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
