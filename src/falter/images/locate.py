"""Finds image files in a folder by image id or by published file name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath

from falter.files import is_regular
from falter.images.files import NO_IMAGE_FILE, ImageFile, check_image

__all__ = ["ImageLocator"]

_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")


class ImageLocator:
    """Finds and checks the image of an id in a folder.

    Without ``image_names`` a file is named by the id and lies directly in the folder. With it, an image has any of
    the names it gives, most likely first, and lies at any depth; a name with folders is a path within the folder.
    """

    def __init__(self, folder: Path, image_names: Callable[[str], Sequence[str]] | None = None) -> None:
        self._folder = folder
        self._image_names = image_names

    def find(self, image_id: str) -> ImageFile:
        """The checked file of an image; ``NO_IMAGE_FILE`` when it is missing or cannot be read as an image."""
        path = self._by_id(image_id) if self._image_names is None else self._by_name(self._image_names(image_id))
        return NO_IMAGE_FILE if path is None else check_image(path) or NO_IMAGE_FILE

    def _by_id(self, image_id: str) -> Path | None:
        # An id is never made into a path out of the folder.
        if image_id != Path(image_id).name:
            return None
        paths = (self._folder / f"{image_id}{suffix}" for suffix in _SUFFIXES)
        return next((path for path in paths if is_regular(path)), None)

    def _by_name(self, names: Sequence[str]) -> Path | None:
        for name in names:
            path = self._by_path(PurePosixPath(name)) if "/" in name else self._paths.get(name)
            if path is not None:
                return path
        return None

    def _by_path(self, name: PurePosixPath) -> Path | None:
        # Nor is a name.
        path = self._folder / name
        return path if ".." not in name.parts and not name.is_absolute() and is_regular(path) else None

    @cached_property
    def _paths(self) -> dict[str, Path]:
        """Every file under the folder by its name; of files with one name, the first in order of folders."""
        found: dict[str, Path] = {}
        walked: set[str] = set()
        for folder, subfolders, files in os.walk(self._folder, followlinks=True):
            # A link may lead back to a folder above it.
            if (real := os.path.realpath(folder)) in walked:
                subfolders.clear()
                continue
            walked.add(real)
            subfolders.sort()
            for name in files:
                found.setdefault(name, Path(folder, name))
        return found
