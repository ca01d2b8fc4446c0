"""The audit of contrast sets, of which imported ones have labels that others gave."""

from __future__ import annotations

from falter.probes import Probe
from falter.sources import Source
from falter.suites.contrast_sets.audit import audit as audit_generated

__all__ = ["audit"]


def audit(probe: Probe, source: Source | None) -> str | None:
    """What is wrong between the items of a set, or an empty text; None for an imported one, of which scenes tell."""
    if probe.original.facets.get("labels") != "published":
        return audit_generated(probe, source)
    if any(variant.gold == probe.original.gold for variant in probe.variants):
        return "a variant has the answer of its original"
    return None
