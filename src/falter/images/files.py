"""The pictures of a source, checked and hashed once each."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from PIL import Image, UnidentifiedImageError

from falter.files import sha256_of_file
from falter.sources import Source

__all__ = ["Picture", "Pictures", "look_at"]


class Picture(NamedTuple):
    """Where a picture lies and what its bytes are; both None in a source that brings no pictures."""

    path: Path | None
    sha256: str | None


def look_at(path: Path) -> Picture | None:
    """A file as a picture, or None when it cannot be read as one."""
    try:
        with Image.open(path) as picture:
            picture.verify()
        return Picture(path, sha256_of_file(path))
    except (OSError, UnidentifiedImageError, SyntaxError, Image.DecompressionBombError):
        return None


class Pictures:
    """Looks pictures up in a source, remembering the last ones."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._known: dict[str, Picture | None] = {}
        self._any: bool | None = None

    def of(self, image_id: str) -> Picture | None:
        """The picture of an image, or None when it is missing or not a picture."""
        if image_id not in self._known:
            if len(self._known) >= 1024:
                self._known.clear()
            self._known[image_id] = self._look(image_id)
        return self._known[image_id]

    def _look(self, image_id: str) -> Picture | None:
        path = self._source.image_path(image_id)
        if path is None:
            return None if self._source_has_some() else Picture(None, None)
        return look_at(path)

    def _source_has_some(self) -> bool:
        if self._any is None:
            self._any = any(self._source.image_path(image) is not None for image in self._source.image_ids())
        return self._any
