"""Opens image files: the only module that does, and only files of a format that is named here.

Pillow would otherwise try every format that it knows, some of which start other programs (EPS runs Ghostscript).
"""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from falter.errors import FalterError, InputError
from falter.files import read_bytes

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["FORMATS", "MAX_BYTES", "MAX_PIXELS", "ImageError", "ImageTooLargeError", "OpenedFile", "open_image_file"]

FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "PPM")
"""By Pillow's names; the contents of a file decide, not its ending."""

MAX_PIXELS = 50_000_000
"""Larger images are rejected by the size in their header, before a pixel is decoded."""

MAX_BYTES = 200_000_000


class ImageError(FalterError):
    """An image cannot be opened: it is missing, changed, damaged or too large."""


class ImageTooLargeError(ImageError):
    """An image has more bytes or pixels than are decoded."""


class OpenedFile(NamedTuple):
    """The bytes of an image, and Pillow's image, whose pixels are decoded when they are needed."""

    data: bytes
    image: Image


def open_image_file(source: Path | bytes, *, max_pixels: int = MAX_PIXELS, name: str | None = None) -> OpenedFile:
    """Read the header of an image; whatever is wrong with the file raises :class:`ImageError`."""
    from PIL import Image

    name = name or ("image given as bytes" if isinstance(source, bytes) else source.name)
    try:
        data = source if isinstance(source, bytes) else read_bytes(source, max_bytes=MAX_BYTES)
    except InputError as error:
        kind = ImageTooLargeError if "bytes" in error.problem else ImageError
        raise kind(f"{name} {error.problem}") from error
    try:
        with warnings.catch_warnings():
            # About large images, for which our own limit counts, and about truncated EXIF blocks.
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError as error:
        raise ImageTooLargeError(f"{name} has too many pixels to decode: {error}") from error
    except Exception as error:  # Pillow's readers raise whatever broken bytes lead them to.
        raise ImageError(f"{name} is not an image that can be read ({_NAMED})") from error
    if image.width * image.height > max_pixels:
        raise ImageTooLargeError(
            f"{name} has {image.width}x{image.height} pixels, more than the {max_pixels:,} that are decoded"
        )
    if not image.width or not image.height:
        raise ImageError(f"{name} is an image without pixels")
    return OpenedFile(data, image)


_NAMED = "JPEG, PNG, WebP, GIF, BMP, TIFF and PPM are"
