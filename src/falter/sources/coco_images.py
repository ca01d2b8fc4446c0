"""Images that are named as COCO names them: ``COCO_val2014_000000000123.jpg``, ``000000000123.jpg`` or ``123.jpg``."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["find_numbered_images", "image_number"]

_IMAGE_NAME = re.compile(
    r"(?:(?:COCO|VisualDialog|abstract_v[0-9]+)_[A-Za-z0-9]+_|v7w_)?0*([0-9]+)\.(?:jpg|jpeg|png)", re.IGNORECASE
)


def image_number(name: str) -> str | None:
    """The id that a file name holds, or None.

    >>> image_number("COCO_val2014_000000000123.jpg"), image_number("VisualDialog_val2018_000000000007.jpg")
    ('123', '7')
    """
    named = _IMAGE_NAME.fullmatch(name)
    return None if named is None else named[1]


def find_numbered_images(folder: Path | None) -> dict[str, Path]:
    """The files of a folder and of the folders in it, by id."""
    if folder is None:
        return {}
    within = sorted(path for path in folder.iterdir() if path.is_dir())
    found: dict[str, Path] = {}
    for place in (folder, *within):
        for path in sorted(place.iterdir()):
            number = image_number(path.name)
            if number is not None:
                found.setdefault(number, path)
    return found
