"""A caption and a foil that were made, as the items of a probe: the same as those of the released pairs."""

from __future__ import annotations

from typing import Any

import msgspec

from falter.probes import ImageRef, Item, Probe
from falter.suites.valse.foiling import FoilCandidate, SourceCaption

__all__ = ["make_pair"]


def make_pair(
    test: str, piece: str, caption: SourceCaption, candidate: FoilCandidate, image: ImageRef, dataset: str
) -> Probe:
    """The pair; changed spans, and the caption as the source has it, are in ``extra``."""
    extra = {
        "caption_id": caption.id,
        "original_caption": caption.text,
        "classes": candidate.word,
        "classes_foil": candidate.foil_word,
        "caption_spans": candidate.caption_spans,
        "foil_spans": candidate.foil_spans,
    }
    shared: dict[str, Any] = {
        "suite": "valse",
        "test": test,
        "probe_id": f"{test}-{caption.id}",
        "expects": "prefer",
        "task": "match",
        "image": image,
        "facets": {"instrument": test, "piece": piece, "dataset": dataset, **candidate.facets},
        "extra": msgspec.json.encode(extra).decode(),
    }
    return Probe(
        (
            Item.make(**shared, variant=0, text=candidate.caption, gold="yes", meaning=candidate.caption_meaning),
            Item.make(**shared, variant=1, text=candidate.foil, gold="no", meaning=candidate.foil_meaning),
        )
    )
