"""Whether a model was trained on images of the suite, or is shown examples from it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from falter.files import open_parquet, sha256_of_file
from falter.models.prompts.examples import read_examples
from falter.models.protocol import Model
from falter.probes import Suite
from falter.probes.schema import ITEM_SCHEMA
from falter.tables import format_count

__all__ = ["overlap_notes"]

_COLUMNS = ["task", "text", "image_id", "image_sha256"]


def overlap_notes(suite: Suite, model: Model, few_shot: Path | None = None) -> Iterator[str]:
    """What overlaps, a sentence each: training images by their ids, few-shot images by their bytes.

    Where the suite has no hashes of images, few-shot images are told by their names. An example without an image
    overlaps with an item of the same text that has none either.
    """
    trained: Collection[str] = getattr(model, "trained_images", ())
    examples = () if few_shot is None else read_examples(few_shot)
    if not trained and not examples:
        return
    table = open_parquet(suite.items_path, ITEM_SCHEMA).read(_COLUMNS)
    ids = _distinct(table["image_id"])
    known = ids.intersection(trained)
    if known:
        yield (
            f"{model.name} was trained on {len(known):,} of the {format_count(len(ids), 'images')} of {suite.name}: "
            "its replies to them tell nothing about new images; give --train other data"
        )
    if not examples:
        return
    hashes = _distinct(table["image_sha256"])
    without = table.filter(pc.is_null(table["image_id"]))
    texts = set(zip(without["task"].to_pylist(), without["text"].to_pylist(), strict=True))
    shared = [
        (example.task, example.text) in texts
        if image is None
        else (sha256_of_file(image) in hashes if hashes else image.stem in ids)
        for example, image in examples
    ]
    if any(shared):
        verb = "is" if sum(shared) == 1 else "are"
        yield (
            f"{sum(shared):,} of {format_count(len(shared), 'few-shot examples')} of {model.name} {verb} from "
            f"{suite.name} (an equal item, or an image of it): give --few-shot examples from elsewhere"
        )


def _distinct(column: Any) -> set[str]:
    return {one for one in pc.unique(column).to_pylist() if one is not None}
