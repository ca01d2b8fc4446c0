"""An original and its released variants as a probe; the texts and answers stay as they were published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from falter.authoring.release_files import PUBLISHED
from falter.probes import ImageRef, Item, Probe

__all__ = ["ReleasedQuestion", "make_probe"]


class ReleasedQuestion(NamedTuple):
    """A question with its answer, and its ten human answers where they are published."""

    text: str
    gold: str
    answers: tuple[str, ...] | None = None
    source_id: str | None = None


def make_probe(
    test: str, probe_id: str, image: str, original: ReleasedQuestion, variants: Sequence[ReleasedQuestion]
) -> Probe:
    """The probe of an original; every question is to be answered correctly by itself."""
    return Probe(
        tuple(
            Item.make(
                suite="rad",
                test=test,
                probe_id=probe_id,
                variant=number,
                expects="each",
                image=ImageRef(image),
                text=one.text,
                gold=one.gold,
                answers=one.answers,
                source_id=one.source_id,
                facets={"answer": one.gold if one.gold in ("yes", "no") else "other", "labels": PUBLISHED},
            )
            for number, one in enumerate((original, *variants))
        )
    )
