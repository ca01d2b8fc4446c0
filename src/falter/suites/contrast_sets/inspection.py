"""What ``falter inspect`` and ``falter audit`` tell of contrast sets."""

from __future__ import annotations

from collections import Counter

import msgspec

from falter.core.errors import UsageError
from falter.core.files import JsonDecoder
from falter.data.images import Source
from falter.data.items import Item, Probe
from falter.data.suite import Suite
from falter.generation.english import default_grammar
from falter.generation.english.question_reader import question_reader
from falter.generation.inspection.contents import ContentsTable
from falter.generation.scene import Query, Scene, query_from_json
from falter.generation.sources import require_scenes
from falter.suites.contrast_sets.question_tests import differing_atoms

_LIMITS = (1, 3, 5)
"""The most variants of a question for which the paper gives numbers."""


class SetStatistics(msgspec.Struct, kw_only=True):
    """The sets of one test; shares are of the questions and the images of the source, where the suite knows them."""

    sets: int = 0
    images: int = 0
    variants: int = 0
    variants_at_most: dict[str, int] = msgspec.field(default_factory=dict)
    """How many variants there are with at most so many of each question."""
    sizes: dict[str, int] = msgspec.field(default_factory=dict)
    """By number of variants the number of sets."""
    atoms: dict[str, int] = msgspec.field(default_factory=dict)
    """By what is changed the number of variants."""
    turns: dict[str, int] = msgspec.field(default_factory=dict)
    """By answer of the original and of the variant the number of variants, the most frequent ones."""
    share_of_questions: float | None = None
    share_of_images: float | None = None


class _Counter:
    def __init__(self) -> None:
        self.sets = 0
        self.images: set[str] = set()
        self.sizes: Counter[int] = Counter()
        self.atoms: Counter[str] = Counter()
        self.turns: Counter[str] = Counter()

    def add(self, probe: Probe) -> None:
        if not probe.variants:
            return
        self.sets += 1
        self.sizes[len(probe.variants)] += 1
        if probe.original.image_id is not None:
            self.images.add(probe.original.image_id)
        for variant in probe.variants:
            self.atoms[variant.facets.get("atom", "unknown")] += 1
            self.turns[f"{probe.original.gold} to {variant.gold}"] += 1

    def statistics(self, read: dict[str, int]) -> SetStatistics:
        return SetStatistics(
            sets=self.sets,
            images=len(self.images),
            variants=sum(size * many for size, many in self.sizes.items()),
            variants_at_most={
                str(limit): sum(min(size, limit) * many for size, many in self.sizes.items()) for limit in _LIMITS
            },
            sizes={str(size): many for size, many in sorted(self.sizes.items())},
            atoms=dict(self.atoms.most_common()),
            turns=dict(self.turns.most_common(_MOST_TURNS)),
            share_of_questions=_share(self.sets, read.get("questions")),
            share_of_images=_share(len(self.images), read.get("images")),
        )


_MOST_TURNS = 10


def _share(part: int, whole: int | None) -> float | None:
    return part / whole if whole else None


def contents(suite: Suite) -> list[ContentsTable]:
    """One row per test with sets."""
    counters: dict[str, _Counter] = {}
    for probe in suite.probes():
        counters.setdefault(probe.original.test, _Counter()).add(probe)
    found = {test: counter for test, counter in counters.items() if counter.sets}
    if not found:
        return []
    read = suite.manifest.counts.get("coverage", {})
    tests = {test: counter.statistics(read) for test, counter in found.items()}
    columns = {
        "sets": [f"{one.sets:,}" for one in tests.values()],
        "images": [f"{one.images:,}" for one in tests.values()],
        **{
            f"variants\nmax {limit}": [f"{one.variants_at_most[str(limit)]:,}" for one in tests.values()]
            for limit in _LIMITS
        },
        "changed": [", ".join(f"{name} {many}" for name, many in one.atoms.items()) for one in tests.values()],
        "most frequent turns": [_first(one.turns) for one in tests.values()],
    }
    if read:
        columns["% of\nquestions"] = [_percent(one.share_of_questions) for one in tests.values()]
        columns["% of\nimages"] = [_percent(one.share_of_images) for one in tests.values()]
    note = "Max 1, 3, 5: variants with at most so many of each question, as in Tables 5 and 6 of the paper."
    return [ContentsTable(name="sets", title="sets", rows=dict(tests), columns=columns, note=note)]


def _first(turns: dict[str, int]) -> str:
    return ", ".join(f"{name} {many}" for name, many in list(turns.items())[:2])


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def audit_generated(probe: Probe, source: Source | None) -> str:
    """What is wrong between the items of a set, or an empty text; each label by itself is the trunk's to check."""
    if source is None:
        raise UsageError("labels of contrast sets are derived again from scene graphs; pass --scenes SOURCE")
    through_program = probe.original.facets.get("read_from") == "program"
    if through_program and (wrong := _wrong_label(probe, source)):
        return wrong
    meaning = _computed if through_program else _read
    original = meaning(probe.original)
    if original is None:
        return "the original cannot be read"
    for variant in probe.variants:
        if variant.gold == probe.original.gold:
            return "a variant has the answer of its original"
        changed = meaning(variant)
        if changed is None:
            return "a variant cannot be read"
        atoms = differing_atoms(original, changed)
        if len(atoms) != 1:
            told = ", ".join(atoms) or "none"
            return f"a variant must differ from its original in one atom, not in {len(atoms)} ({told})"
        if atoms[0] != variant.facets.get("atom"):
            return f"a variant differs in its {atoms[0]}, not in its {variant.facets.get('atom')}"
    return ""


def _read(item: Item) -> Query | None:
    parse = question_reader().read(item.text)
    return None if parse is None else parse.meaning


_extra = JsonDecoder(dict[str, str], "what an item of a contrast set keeps")


def _computed(item: Item) -> Query | None:
    """What the program of the question, changed where the text was, computes."""
    record = _extra.decode(item.extra or "{}", "items.parquet")
    return query_from_json(record["query"]) if "query" in record else None


def _wrong_label(probe: Probe, source: Source) -> str:
    """Which label the scene does not give, where the text cannot be read; labels of texts are the trunk's to check."""
    graph = require_scenes(source).scene(probe.original.image_id or "")
    scene = None if graph is None else Scene(graph, default_grammar().ontology)
    for item in probe.items:
        query = _computed(item)
        if scene is None or query is None or query.answer(scene) != item.gold:
            return "the scene gives another answer than the label"
    return ""


def audit(probe: Probe, source: Source | None) -> str | None:
    """What is wrong between the items of a set, or an empty text; None for an imported one, of which scenes tell."""
    if probe.original.facets.get("labels") != "published":
        return audit_generated(probe, source)
    if any(variant.gold == probe.original.gold for variant in probe.variants):
        return "a variant has the answer of its original"
    return None
