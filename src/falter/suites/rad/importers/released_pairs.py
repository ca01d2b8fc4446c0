"""What the importers share: their options, and an original with its released variants as a probe.

Texts and answers stay as they were published.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from falter.data.items import YES_NO, ImageRef, Item, Probe
from falter.generation.authoring.importer import PUBLISHED


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
                facets={"answer": one.gold if one.gold in YES_NO else "other", "labels": PUBLISHED},
            )
            for number, one in enumerate((original, *variants))
        )
    )


class YesNoVqaOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of ``falter import yes-no-vqa``."""

    originals: Annotated[
        str,
        Meta(
            description="The questions that the yes/no questions were made from, such as vqa:data/val.",
            extra={"metavar": "SOURCE"},
        ),
    ] = ""
    split: Annotated[
        Literal["val", "train", "all"], Meta(description="Which files to read: of validation, of training, or both.")
    ] = "val"


class RephrasingsOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of ``falter import vqa-rephrasings``."""

    originals: Annotated[
        str,
        Meta(
            description="Questions to find the originals among that the release does not hold itself.",
            extra={"metavar": "SOURCE"},
        ),
    ] = ""


class ConvqaOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of ``falter import convqa``."""

    split: Annotated[
        Literal["test", "all"],
        Meta(description="Which images of the common-sense sets: those of the test split, or all."),
    ] = "test"
