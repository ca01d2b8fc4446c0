"""Winoground's examples as released: two images by two captions, to be matched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from falter.authoring.importer import ImportContext
from falter.authoring.release_files import PUBLISHED, find_tables, leave_out, log_file, read_table, skip_others
from falter.authoring.released_images import is_image, released_image
from falter.errors import InputError
from falter.probes import Item, Probe

__all__ = ["WINOGROUND_RELEASE", "WinogroundRelease"]

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
