"""What is in a suite: counts, balance, facets, the votes on it, and a sample, as ``falter inspect`` shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, Protocol

import msgspec

from falter.core.bundle import bundle_of
from falter.data.items import Probe
from falter.data.suite import Suite
from falter.data.validation import ValidatedTest, validate_pairs
from falter.data.votes import read_votes


class ContentsTable(msgspec.Struct, kw_only=True):
    """A further table of a suite's contents, one row per test."""

    name: str
    """The key of a test's row in JSON."""
    title: str
    rows: dict[str, Any]
    """By test what JSON shows."""
    columns: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """By heading a cell per test, as a person reads it."""
    note: str = ""


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


_VALUES_SHOWN = 30


class TestContents(msgspec.Struct, kw_only=True):
    """What one test of a suite holds."""

    probes: int = 0
    items: int = 0
    expects: dict[str, int] = msgspec.field(default_factory=dict)
    golds: dict[str, int] = msgspec.field(default_factory=dict)
    facets: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)


class Contents(Protocol):
    """The slot ``contents`` of a bundle: what else there is to say about a suite."""

    def __call__(self, suite: Suite) -> Sequence[ContentsTable]:
        """Further tables; none where there is nothing to say."""
        ...


class Inspection(msgspec.Struct, kw_only=True):
    """What a suite holds."""

    name: str
    title: str
    licence: str
    seed: int | None
    probes: int = 0
    items: int = 0
    distinct_items: int = 0
    images: int = 0
    mean_words: float = 0.0
    tests: dict[str, TestContents] = msgspec.field(default_factory=dict)
    manifest: dict[str, Any] = msgspec.field(default_factory=dict)
    tables: list[ContentsTable] = msgspec.field(default_factory=list)
    """What the bundles of the suite add."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON shows it; rows of further tables are part of their tests."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        for table in found.pop("tables"):
            for test, row in table["rows"].items():
                found["tests"][test][table["name"]] = row
        return found


def inspect_suite(suite: Suite) -> Inspection:
    """Count everything in one pass."""
    manifest = suite.manifest
    result = Inspection(name=manifest.name, title=manifest.title, licence=manifest.licence, seed=manifest.seed)
    result.manifest = msgspec.to_builtins(manifest)
    ids: set[str] = set()
    images: set[str] = set()
    words = 0
    suites: dict[str, None] = {}
    tallies: dict[str, dict[str, Counter[str]]] = {}
    for probe in suite.probes():
        test = result.tests.setdefault(probe.original.test, TestContents())
        tally = tallies.setdefault(probe.original.test, {"expects": Counter(), "golds": Counter()})
        suites[probe.original.suite] = None
        result.probes += 1
        test.probes += 1
        tally["expects"][probe.original.expects] += 1
        for item in probe.items:
            result.items += 1
            test.items += 1
            words += len(item.text.split())
            ids.add(item.item_id)
            if item.image_id is not None:
                images.add(item.image_id)
            tally["golds"][item.gold if item.gold is not None else "(none)"] += 1
            for name, value in item.facets.items():
                tally.setdefault(f"facet:{name}", Counter())[value] += 1
    for name, tally in tallies.items():
        result.tests[name].expects = dict(sorted(tally["expects"].items()))
        result.tests[name].golds = dict(tally["golds"].most_common(_VALUES_SHOWN))
        result.tests[name].facets = {
            key.removeprefix("facet:"): dict(counts.most_common(_VALUES_SHOWN))
            for key, counts in sorted(tally.items())
            if key.startswith("facet:")
        }
    result.tables += votes_contents(suite)
    bundles = {bundle.name: bundle for name in suites if (bundle := bundle_of(name)) is not None}
    for bundle in bundles.values():
        contents: Contents | None = bundle.get("contents")
        result.tables += [] if contents is None else contents(suite)
    result.distinct_items, result.images = len(ids), len(images)
    result.mean_words = words / result.items if result.items else 0.0
    return result


def sample_probes(suite: Suite, many: int, seed: int) -> list[Probe]:
    """Probes drawn without favor, the same ones for the same seed."""
    rng = Random(seed)
    drawn: list[tuple[int, Probe]] = []
    for number, probe in enumerate(suite.probes()):
        if len(drawn) < many:
            drawn.append((number, probe))
        elif (place := rng.randrange(number + 1)) < many:
            drawn[place] = (number, probe)
    return [probe for _, probe in sorted(drawn, key=lambda pair: pair[0])]
