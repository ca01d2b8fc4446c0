"""What is in a suite: counts, balance, facets and a sample."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import msgspec

from falter.probes import Probe, Suite
from falter.suites.valse.foil_statistics import FoilStatistics, FoilStatisticsCounter

__all__ = ["Inspection", "TestContents", "inspect_suite", "sample_probes"]

_VALUES_SHOWN = 30


class TestContents(msgspec.Struct, kw_only=True):
    """What one test of a suite holds."""

    probes: int = 0
    items: int = 0
    expects: dict[str, int] = msgspec.field(default_factory=dict)
    golds: dict[str, int] = msgspec.field(default_factory=dict)
    facets: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)
    foils: FoilStatistics | None = None
    """Captions and foils, where the test matches texts with pictures."""


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


def inspect_suite(suite: Suite) -> Inspection:
    """Count everything in one pass."""
    manifest = suite.manifest
    result = Inspection(name=manifest.name, title=manifest.title, licence=manifest.licence, seed=manifest.seed)
    result.manifest = msgspec.to_builtins(manifest)
    ids: set[str] = set()
    images: set[str] = set()
    words = 0
    tallies: dict[str, dict[str, Counter[str]]] = {}
    foils: dict[str, FoilStatisticsCounter] = {}
    for probe in suite.probes():
        test = result.tests.setdefault(probe.original.test, TestContents())
        tally = tallies.setdefault(probe.original.test, {"expects": Counter(), "golds": Counter()})
        result.probes += 1
        test.probes += 1
        tally["expects"][probe.original.expects] += 1
        if probe.original.task == "match" and probe.original.expects == "prefer":
            foils.setdefault(probe.original.test, FoilStatisticsCounter()).add(probe)
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
    for name, counter in foils.items():
        result.tests[name].foils = counter.contents()
    result.distinct_items, result.images = len(ids), len(images)
    result.mean_words = words / result.items if result.items else 0.0
    return result


def sample_probes(suite: Suite, many: int, seed: int) -> list[Probe]:
    """Probes drawn without favour, the same ones for the same seed."""
    rng = Random(seed)
    drawn: list[tuple[int, Probe]] = []
    for number, probe in enumerate(suite.probes()):
        if len(drawn) < many:
            drawn.append((number, probe))
        elif (place := rng.randrange(number + 1)) < many:
            drawn[place] = (number, probe)
    return [probe for _, probe in sorted(drawn, key=lambda pair: pair[0])]
