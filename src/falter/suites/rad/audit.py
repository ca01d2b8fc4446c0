"""The audit of RAD: every variant is read back, and its label is derived again from the human answers."""

from __future__ import annotations

from falter.probes import Item, Probe
from falter.sources import Source
from falter.suites.rad.augmentations import Augmentation, augmentation
from falter.suites.rad.plain_words import plain_answer
from falter.suites.rad.same_answer import may_be_same

__all__ = ["audit"]

_NOT_ABOUT = "the text is not a question about an answer of the original"


def audit(probe: Probe, source: Source | None) -> str:  # noqa: ARG001 - a probe holds all that is needed
    """What is wrong with the variants of a probe, or an empty text."""
    for variant in probe.variants:
        found = augmentation(probe.original.test)
        if found is None:
            return _NOT_ABOUT
        check = _check_choice if found.offers_choice else _check_yes_no
        problem = check(found, probe.original, variant)
        if problem:
            return problem
    return ""


def _check_yes_no(found: Augmentation, original: Item, variant: Item) -> str:
    reading = found.rewrite.read(original.text)
    before = "exactly " if " exactly " in variant.text else ""
    asked = () if reading is None else reading.read_back(variant.text, before)
    if not asked:
        return _NOT_ABOUT
    gold = plain_answer(original.gold or "").lower()
    expected = "yes" if gold in (answer.lower() for answer in asked) else "no"
    if variant.gold != expected:
        return f"the answer to {variant.text!r} is {expected}"
    if expected == "no" and all(_may_be_right(found, original, variant, answer) for answer in asked):
        return f"{asked[0]!r} may be as right as what humans answered"
    return ""


def _check_choice(found: Augmentation, original: Item, variant: Item) -> str:
    reading = found.rewrite.read(original.text)
    offered = variant.choices or ()
    if reading is None or reading.write_choice(offered) != variant.text:
        return _NOT_ABOUT
    gold = found.rewrite.said_as(plain_answer(original.gold or ""))
    if gold not in offered or variant.gold != gold:
        return f"the answer to {variant.text!r} is {gold}"
    for answer in offered:
        if answer != gold and _may_be_right(found, original, variant, answer):
            return f"{answer!r} may be as right as what humans answered"
    return ""


def _may_be_right(found: Augmentation, original: Item, variant: Item, answer: str) -> bool:
    """Whether an answer other than the right one may be right as well; only looked at where labels are strict."""
    if variant.facets.get("labels") != "strict":
        return False
    gold = plain_answer(original.gold or "")
    said = {gold, *(original.answers or ())}
    return not found.rewrite.excludes(gold, answer) or may_be_same(answer, said, found.rewrite.overlapping)
