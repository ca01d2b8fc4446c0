"""What ``falter inspect`` adds for CARETS: how evenly templates are used, and how far rephrasings go."""

from __future__ import annotations

from collections import Counter

import msgspec

from falter.data.items import Probe
from falter.data.suite import Suite
from falter.generation.english import Grammar, default_grammar
from falter.generation.inspection.contents import ContentsTable
from falter.suites.carets.template_distance import template_distance


class TemplateUse(msgspec.Struct, kw_only=True):
    """How the templates of one test are used; shares are of the originals of one question type and form."""

    templates: int = 0
    least_used: float | None = None
    """Uses of the least used template over the mean of its stratum, where that is smallest; 1 is even."""
    most_used: float | None = None
    """The same of the most used template."""
    use: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)
    """By question type and form, how many originals each template has."""
    distance_mean: float | None = None
    """Share of words that the variant changes, where it is said by another template of the same polarity."""
    distance_min: float | None = None
    attribute_families: dict[str, float] = msgspec.field(default_factory=dict)
    """By family of the opposites the share of pairs; of the antonym test alone."""


class _Counter:
    """Counts the probes of one test."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._use: dict[str, Counter[str]] = {}
        self._distances: list[float] = []
        self._families: Counter[str] = Counter()

    def add(self, probe: Probe) -> None:
        facets = probe.original.facets
        stratum = f"{facets.get('type', '')} {facets.get('form', '')}".strip()
        used = facets["template"]
        self._use.setdefault(stratum, Counter())[used] += 1
        if probe.original.test == "antonym" and "class" in facets:
            self._families[facets["class"]] += 1
        for variant in probe.variants:
            other = variant.facets.get("template", used)
            if other not in (used, f"{used}.negated") and {used, other} <= self._grammar.template_ids:
                first, second = self._grammar.template(used), self._grammar.template(other)
                self._distances.append(template_distance(first, second))

    def contents(self) -> TemplateUse:
        use = {stratum: dict(counts.most_common()) for stratum, counts in sorted(self._use.items())}
        even = {stratum: sum(counts.values()) / len(counts) for stratum, counts in use.items()}
        pairs = sum(self._families.values())
        return TemplateUse(
            templates=len({template for counts in use.values() for template in counts}),
            least_used=min((min(counts.values()) / even[stratum] for stratum, counts in use.items()), default=None),
            most_used=max((max(counts.values()) / even[stratum] for stratum, counts in use.items()), default=None),
            use=use,
            distance_mean=sum(self._distances) / len(self._distances) if self._distances else None,
            distance_min=min(self._distances, default=None),
            attribute_families={name: count / pairs for name, count in self._families.most_common()},
        )


def contents(suite: Suite) -> list[ContentsTable]:
    """One row per test whose items name their template; an imported suite has none."""
    grammar = default_grammar()
    counters: dict[str, _Counter] = {}
    for probe in suite.probes():
        # A released file numbers its templates; only names are ours.
        if "." in probe.original.facets.get("template", ""):
            counters.setdefault(probe.original.test, _Counter(grammar)).add(probe)
    if not counters:
        return []
    tests = {name: counter.contents() for name, counter in counters.items()}
    columns = {
        "templates": [str(one.templates) for one in tests.values()],
        "least\nused": [_two_digits(one.least_used) for one in tests.values()],
        "most\nused": [_two_digits(one.most_used) for one in tests.values()],
        "distance\nmean": [_two_digits(one.distance_mean) for one in tests.values()],
        "distance\nmin": [_two_digits(one.distance_min) for one in tests.values()],
        "largest family": [_largest(one.attribute_families) for one in tests.values()],
    }
    note = (
        "Least, most used: uses of a template over the mean of its question type and form; 1 is even. Distance: share\n"
        "of words that a rephrasing changes, 0 to 1. Largest family: of opposites, in per cent of the pairs."
    )
    return [ContentsTable(name="templates", title="templates", rows=dict(tests), columns=columns, note=note)]


def _two_digits(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _largest(families: dict[str, float]) -> str:
    name = next(iter(families), "")
    return f"{name} {100 * families[name]:.0f}, of {len(families)}" if name else "–"
