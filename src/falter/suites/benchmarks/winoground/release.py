"""Winoground's examples as released: two images by two captions, to be matched; and scores on them.

Scores are released as ``label``, such as ``0_c0_i0``, and ``score``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from falter.core.errors import InputError, UsageError
from falter.data.items import Item, Probe
from falter.generation.authoring.importer import (
    PUBLISHED,
    ImportContext,
    find_tables,
    is_image,
    leave_out,
    log_file,
    read_table,
    released_image,
    skip_others,
)

_FIELDS = ("caption_0", "caption_1", "image_0", "image_1")
_TAGS = ("tag", "secondary_tag", "collapsed_tag", "num_main_preds")
_ENDINGS = (".png", ".jpg", ".jpeg")


class WinogroundRelease:
    """Winoground as released."""

    name = "winoground"
    title = "Winoground as published: two images by two captions of the same words"
    citation = (
        "Thrush, Jiang, Bartolo, Singh, Williams, Kiela and Ross (2022). Winoground: Probing Vision and Language "
        "Models for Visio-Linguistic Compositionality"
    )
    licence = "META IMAGES RESEARCH LICENSE"
    options = None
    takes_file = True

    def image_names(self, image_id: str) -> tuple[str, ...]:
        """The published name, which has no ending in the file of examples."""
        return image_id, *(f"{image_id}{ending}" for ending in _ENDINGS)

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        files = find_tables(path, ("examples", "winoground", "test"))
        if not files:
            raise InputError(path, "holds no examples of Winoground", hint="give examples.jsonl or the Parquet file")
        if path.is_dir():
            skip_others(context.log, path, files)
        problems: list[tuple[str, str]] = []
        number = 0
        for file in files:
            made = 0
            for row in read_table(file):
                problem = row.problem or _problem(row.values)
                if problem:
                    problems.append((f"{file.name}, {row.record}", problem))
                else:
                    made += 1
                    yield _probe(row.values, str(row.values.get("id", number)), context, file)
                number += 1
            log_file(context.log, file, made)
        leave_out(context.log, problems)


def _problem(values: Mapping[str, Any]) -> str:
    for name in _FIELDS:
        known = is_image(values.get(name)) if name.startswith("image") else isinstance(values.get(name), str)
        if not known:
            return f"it has no {name}"
    return ""


def _probe(values: Mapping[str, Any], number: str, context: ImportContext, path: Path) -> Probe:
    images = [released_image(values[f"image_{one}"], f"ex_{number}_img_{one}", context, path) for one in (0, 1)]
    facets = {name: str(values[name]) for name in _TAGS if values.get(name) not in (None, "")}
    return Probe(
        tuple(
            Item.make(
                suite="winoground",
                test="winoground",
                probe_id=f"winoground-{number}",
                variant=2 * image + caption,
                expects="crossed",
                task="match",
                image=images[image],
                text=values[f"caption_{caption}"],
                gold="yes" if image == caption else "no",
                source_id=f"{number}_c{caption}_i{image}",
                facets={**facets, "labels": PUBLISHED},
            )
            for image in (0, 1)
            for caption in (0, 1)
        )
    )


WINOGROUND_RELEASE = WinogroundRelease()


_LABEL = re.compile(r"\d+_c[01]_i[01]")


def read_score(row: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """The score of a caption with an image."""
    label = row.get("label")
    if label is None or "score" not in row:
        return None
    if not isinstance(label, str) or not _LABEL.fullmatch(label):
        raise UsageError(f"a label names example, caption and image as 0_c0_i1 does, not {label!r:.50}")
    return label, {"score": row["score"], "score_kind": row.get("score_kind")}


LAYOUTS = (read_score,)
