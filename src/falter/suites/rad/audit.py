"""The audit of RAD: every variant is read back, and its label is derived again from the human answers."""

from __future__ import annotations

from falter.probes import Probe
from falter.sources import Source
from falter.suites.rad.generator import augmentations
from falter.suites.rad.options import RadOptions
from falter.suites.rad.same_answer import may_be_same

__all__ = ["audit"]


def audit(probe: Probe, source: Source | None) -> str:  # noqa: ARG001 - a probe holds all that is needed
    """What is wrong with the variants of a probe, or an empty text."""
    original = probe.original
    gold = original.gold or ""
    said = {gold, *(original.answers or ())}
    for variant in probe.variants:
        exactly = " exactly " in variant.text
        augmentation = augmentations(RadOptions(exactly=exactly)).get(original.test)
        asked = () if augmentation is None else augmentation.read_back(variant.text, original.text)
        if not asked:
            return "the text is not a question about an answer of the original"
        expected = "yes" if gold.lower() in (answer.lower() for answer in asked) else "no"
        if variant.gold != expected:
            return f"the answer to {variant.text!r} is {expected}"
        trusted = variant.facets.get("labels") == "strict"
        if trusted and expected == "no" and all(may_be_same(answer, said) for answer in asked):
            return f"{asked[0]!r} may be as right as what humans answered"
    return ""
