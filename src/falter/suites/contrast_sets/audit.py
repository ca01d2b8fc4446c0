"""The audit of contrast sets: within a set every variant has another answer, and exactly one atom differs."""

from __future__ import annotations

from falter.english.question_reader import question_reader
from falter.errors import UsageError
from falter.probes import Probe
from falter.scene import Query
from falter.sources import Source
from falter.suites.contrast_sets.differences import differing_atoms

__all__ = ["audit"]


def audit(probe: Probe, source: Source | None) -> str:
    """What is wrong between the items of a set, or an empty text; each label by itself is the trunk's to check."""
    if source is None:
        raise UsageError("labels of contrast sets are derived again from scene graphs; pass --scenes SOURCE")
    original = _read(probe.original.text)
    if original is None:
        return "the original cannot be read"
    for variant in probe.variants:
        if variant.gold == probe.original.gold:
            return "a variant has the answer of its original"
        changed = _read(variant.text)
        if changed is None:
            return "a variant cannot be read"
        atoms = differing_atoms(original, changed)
        if len(atoms) != 1:
            told = ", ".join(atoms) or "none"
            return f"a variant must differ from its original in one atom, not in {len(atoms)} ({told})"
        if atoms[0] != variant.facets.get("atom"):
            return f"a variant differs in its {atoms[0]}, not in its {variant.facets.get('atom')}"
    return ""


def _read(text: str) -> Query | None:
    parse = question_reader().read(text)
    return None if parse is None else parse.meaning
