"""The audit of contrast sets: within a set every variant has another answer, and exactly one atom differs.

Imported sets have labels that others gave.
"""

from __future__ import annotations

from falter.core.errors import UsageError
from falter.core.files import JsonDecoder
from falter.data.items import Item, Probe
from falter.generation.english import default_grammar
from falter.generation.english.question_reader import question_reader
from falter.generation.scene import Query, Scene, query_from_json
from falter.generation.sources import Source, require_scenes
from falter.suites.contrast_sets.question_tests import differing_atoms

__all__ = ["audit", "audit_generated"]


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
