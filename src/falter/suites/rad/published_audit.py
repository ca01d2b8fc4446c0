"""The audit of RAD's suites: generated pairs by their audit, released ones as far as their labels can be derived."""

from __future__ import annotations

from falter.probes import Probe
from falter.sources import Source
from falter.suites.rad.audit import audit as audit_generated

__all__ = ["audit"]

_SAME_ANSWER = frozenset(("rephrasings", "back-translation"))
_BY_PEOPLE = frozenset(("convqa-l", "convqa-cs"))


def audit(probe: Probe, source: Source | None) -> str | None:
    """What is wrong with the variants of a probe, or an empty text; None where people alone know."""
    original = probe.original
    if original.test in _BY_PEOPLE:
        return None
    if original.test in _SAME_ANSWER:
        differ = any((one.gold, one.answers) != (original.gold, original.answers) for one in probe.variants)
        return "the answers are not those of the original" if differ else ""
    found = audit_generated(probe, source)
    # How a released question was written is not ours to judge, only its label.
    released = original.facets.get("labels") == "published"
    return None if released and found.startswith("the text is not a question") else found
