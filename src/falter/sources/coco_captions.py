"""Captions in COCO's format, by image, and as a source of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from falter.errors import InputError, UsageError
from falter.files import read_json, sha256_of_file
from falter.sources.coco_images import find_numbered_images
from falter.sources.licence import find_licence
from falter.sources.protocol import HasCaptions, Source, provides

__all__ = ["CocoCaptions", "open_coco_captions", "read_captions"]

_KEYS = ("file", "images", "licence")


class _Caption(msgspec.Struct):
    image_id: int | str
    caption: str


class _Captions(msgspec.Struct):
    annotations: list[_Caption]


def read_captions(paths: Iterable[Path]) -> dict[str, list[str]]:
    """By image the captions of files in COCO's format."""
    found: dict[str, list[str]] = {}
    for path in paths:
        for one in read_json(
            path,
            _Captions,
            what="captions in COCO's format",
            hint="mend the file, or download it again if it was published",
        ).annotations:
            found.setdefault(str(one.image_id), []).append(one.caption)
    return found


@provides(HasCaptions)
def open_coco_captions(settings: Mapping[str, str]) -> Source:
    """Open a captions file of COCO by itself: ``coco-captions:FILE`` or ``file=FILE,images=DIR``."""
    unknown = sorted(set(settings) - {"", *_KEYS})
    if unknown:
        raise UsageError(f"coco-captions has no setting {unknown[0]!r}: there are {', '.join(_KEYS)}")
    file = settings.get("file", settings.get("", ""))
    if not file:
        raise UsageError("coco-captions needs a file: coco-captions:FILE or coco-captions:file=FILE,images=DIR")
    images = Path(settings["images"]) if "images" in settings else None
    if images is not None and not images.is_dir():
        raise InputError(images, "is not a folder of images", hint="give images=DIR, or leave it out")
    return CocoCaptions(Path(file), images, settings.get("licence", ""))


class CocoCaptions:
    """Captions alone."""

    name = "coco"

    def __init__(self, captions: Path, images: Path | None = None, licence: str = "") -> None:
        self.licence = find_licence(captions, licence)
        self._path, self._images = captions, images
        self._captions = read_captions([captions])

    def describe(self) -> dict[str, Any]:
        files = {"captions": {"name": self._path.name, "sha256": sha256_of_file(self._path)}}
        return {"name": self.name, "licence": self.licence, "files": files}

    def image_ids(self) -> Sequence[str]:
        return list(self._captions)

    def image_path(self, image_id: str) -> Path | None:
        return self._image_files.get(image_id)

    def captions(self, image_id: str) -> Sequence[str]:
        return self._captions.get(image_id, [])

    @cached_property
    def _image_files(self) -> dict[str, Path]:
        return find_numbered_images(self._images)
