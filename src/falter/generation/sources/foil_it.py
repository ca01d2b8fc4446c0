"""FOIL it! in its published form: COCO captions, each with foils in which one noun is replaced.

A foil and its caption have the same ``id``; where a file lacks the caption, it is the one of the image that the foil
gives with its word put back. A foil without a caption is skipped and counted in ``problems``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from falter.core.files import Int64, JsonDecoder, map_json, sha256_of_file
from falter.data.images import Source
from falter.generation.sources.protocol import FoiledCaption, HasCaptions, HasFoils, provides
from falter.generation.sources.published_files import (
    find_file_and_images,
    find_licence,
    find_numbered_images,
    usable_records,
)

_KEYS = ("file", "images", "licence")


class _Record(msgspec.Struct):
    id: Int64
    image_id: Int64
    caption: str
    foil: bool
    foil_id: Int64 | None = None
    target_word: str = ""
    foil_word: str = ""


class _File(msgspec.Struct):
    annotations: list[msgspec.Raw]


_record = JsonDecoder(_Record, "an annotation of FOIL it!")


@provides(HasFoils, HasCaptions)
def open_foil_it(settings: Mapping[str, str]) -> Source:
    """Open FOIL it! from ``file=FILE,images=DIR`` or from a folder with one ``foilv1.0_*.json``."""
    found = find_file_and_images("foil-it", settings, _KEYS, lambda file: file.startswith("foilv1"), "foilv1.0_*.json")
    return FoilItSource(found.file, found.images, settings.get("licence", ""))


class FoilItSource:
    """Captions with their foils."""

    name = "foil-it"

    def __init__(self, file: Path, images: Path | None = None, licence: str = "") -> None:
        self.problems: Counter[str] = Counter()
        self.licence = find_licence(file, licence)
        self._path, self._images = file, images
        content = map_json(file, _File, what="the format of FOIL it!", hint="download the file again")
        self._captions: dict[str, dict[int, str]] = {}
        foils: list[_Record] = []
        named = ((f"annotations[{number}]", raw) for number, raw in enumerate(content.annotations))
        for _, record, _ in usable_records(_record, named, file, self.problems, "an annotation"):
            if record.foil:
                foils.append(record)
            else:
                self._captions.setdefault(str(record.image_id), {})[record.id] = record.caption
        self._foils = [one for record in foils if (one := self._pair(record)) is not None]

    def _pair(self, record: _Record) -> FoiledCaption | None:
        captions = self._captions.get(str(record.image_id), {})
        caption = captions.get(record.id)
        if caption is None:
            back = _fold(record.caption).replace(record.foil_word.lower(), record.target_word.lower(), 1)
            caption = next((one for one in captions.values() if record.foil_word and _fold(one) == back), None)
        if caption is None:
            self.problems["the caption of a foil is missing"] += 1
            return None
        return FoiledCaption(
            id=f"{record.id}-{record.foil_id if record.foil_id is not None else record.foil_word}",
            image_id=str(record.image_id),
            caption=caption,
            foil=record.caption,
            word=record.target_word,
            foil_word=record.foil_word,
        )

    def describe(self) -> dict[str, Any]:
        """The name and the hash of the file."""
        return {"name": self.name, "files": [{"name": self._path.name, "sha256": sha256_of_file(self._path)}]}

    def image_ids(self) -> Sequence[str]:
        return list(self._captions)

    def captions(self, image_id: str) -> Sequence[str]:
        return list(self._captions.get(image_id, {}).values())

    def foils(self) -> Iterator[FoiledCaption]:
        yield from self._foils

    def image_path(self, image_id: str) -> Path | None:
        return self._image_files.get(image_id)

    @cached_property
    def _image_files(self) -> dict[str, Path]:
        return find_numbered_images(self._images)


def _fold(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(" .")
