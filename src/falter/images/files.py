"""Image files of a source, each checked and hashed once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from falter.files import sha256_of_bytes
from falter.images.opening import ImageError, open_image_file

__all__ = ["NO_IMAGE_FILE", "HasImagePaths", "ImageFile", "SourceImages", "check_image"]


class ImageFile(NamedTuple):
    """The path of an image and the hash of its bytes; both None where a source has no image files at all."""

    path: Path | None
    sha256: str | None


NO_IMAGE_FILE = ImageFile(None, None)

MAX_CHECKED_PIXELS = 100_000_000
"""Larger images are none for us: nothing here would decode them."""


class HasImagePaths(Protocol):
    """What is needed of a source to find its images; every :class:`falter.sources.Source` has it."""

    def image_ids(self) -> Sequence[str]:
        """All images, in the data set's own order."""
        ...

    def image_path(self, image_id: str) -> Path | None:
        """The file of an image, or None when it is missing."""
        ...


def check_image(path: Path) -> ImageFile | None:
    """Check that a file is an image and hash it; None when it cannot be read as an image."""
    try:
        opened = open_image_file(path, max_pixels=MAX_CHECKED_PIXELS)
        opened.image.verify()
    except ImageError:
        return None
    except Exception:  # Pillow's readers raise whatever broken bytes lead them to.
        return None
    return ImageFile(path, sha256_of_bytes(opened.data))


class SourceImages:
    """Looks up the images of a source and remembers the most recent ones."""

    def __init__(self, source: HasImagePaths) -> None:
        self._source = source
        self._known: dict[str, ImageFile | None] = {}
        self._any: bool | None = None

    def get(self, image_id: str) -> ImageFile | None:
        """The file of an image, or None when it is missing or cannot be read as an image."""
        if image_id not in self._known:
            if len(self._known) >= 1024:
                self._known.clear()
            self._known[image_id] = self._check(image_id)
        return self._known[image_id]

    def _check(self, image_id: str) -> ImageFile | None:
        path = self._source.image_path(image_id)
        if path is None:
            return None if self._has_any() else NO_IMAGE_FILE
        return check_image(path)

    def _has_any(self) -> bool:
        if self._any is None:
            self._any = any(self._source.image_path(image_id) is not None for image_id in self._source.image_ids())
        return self._any
