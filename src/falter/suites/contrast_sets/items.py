"""A question and its variants as the items of a probe."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from falter.probes import ImageRef, Item, Probe
from falter.suites.contrast_sets.image_sets import Offer, OfferedSet

__all__ = ["SUITE", "choices_for", "make_probe"]

SUITE = "contrast-sets"
_YES_NO = ("yes", "no")
_SIDES = ("left", "right")


def make_probe(offered: OfferedSet, variants: Sequence[Offer], image: ImageRef) -> Probe:
    """The set; each item is right or wrong by itself."""
    facets = {"variants": str(len(variants))}
    told = offered.read_from == "text"
    if not told:
        facets["read_from"] = offered.read_from
    choices = choices_for(offered.gold)
    original = Item.make(
        suite=SUITE,
        test=offered.test,
        probe_id=f"{offered.test}-{offered.question.id}",
        variant=0,
        expects="each",
        image=image,
        text=offered.text,
        choices=choices,
        gold=offered.gold,
        meaning=offered.meaning if told else None,
        source_id=offered.question.id,
        facets={**facets, "atom": variants[0].atom if variants else "none"},
        extra=None if told else _extra({"query": offered.meaning}),
    )
    made = [
        Item.make(
            suite=SUITE,
            test=offered.test,
            probe_id=original.probe_id,
            variant=number,
            expects="each",
            image=image,
            text=one.text,
            choices=choices,
            gold=one.gold,
            meaning=one.meaning if told else None,
            facets={**facets, "atom": one.atom},
            extra=_extra({"replaced": one.before, "by": one.after, **({} if told else {"query": one.meaning})}),
        )
        for number, one in enumerate(variants, start=1)
    ]
    return Probe((original, *made))


def _extra(record: dict[str, str]) -> str:
    return msgspec.json.encode(record).decode()


def choices_for(gold: str) -> tuple[str, ...] | None:
    """The choices of a question that has only two answers; none for an open one."""
    return next((choices for choices in (_YES_NO, _SIDES) if gold in choices), None)
