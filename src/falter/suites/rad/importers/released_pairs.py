"""An original and its released variants as a probe; the texts and answers stay as they were published."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from falter.authoring.importer import ImportLog, ReadFile
from falter.files import sha256_of_file
from falter.probes import ImageRef, Item, Probe

__all__ = ["PUBLISHED", "ReleasedQuestion", "coco_names", "log_file", "make_probe"]

PUBLISHED = "published"
"""The facet ``labels`` of pairs that were not generated here."""


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


def coco_names(image_id: str) -> tuple[str, ...]:
    """The names that an image of COCO may have, by its number."""
    if not image_id.isdigit():
        return (f"{image_id}.jpg",)
    number = f"{int(image_id):012d}"
    return (
        f"COCO_val2014_{number}.jpg",
        f"COCO_train2014_{number}.jpg",
        f"{number}.jpg",
        f"{image_id}.jpg",
    )


def log_file(log: ImportLog, path: Path, probes: int) -> None:
    """Write down that a file was read."""
    log.files[path.name] = ReadFile(sha256_of_file(path), probes)
