"""Opens one image safely: a broken, changed or enormous file is an error of that image alone."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from falter.errors import FalterError
from falter.files import sha256_of_bytes

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["MAX_PIXELS", "ImageError", "image_size", "load_image"]

MAX_PIXELS = 50_000_000
"""Larger images are rejected by the size in their header, before a pixel is decoded."""

_MAX_BYTES = 200_000_000


class ImageError(FalterError):
    """An image cannot be opened: it is missing, changed, damaged or too large."""


def load_image(
    path: Path | None,
    *,
    sha256: str | None = None,
    image_id: str | None = None,
    max_pixels: int = MAX_PIXELS,
    shrink_to: tuple[int, int] | None = None,
) -> Image:
    """Load an image as RGB; whatever is wrong with the file raises :class:`ImageError`.

    With ``sha256`` the bytes must have this hash. ``shrink_to`` lets the JPEG decoder skip work where a small image
    is enough; the result is not smaller than that.
    """
    from PIL import Image, UnidentifiedImageError

    if path is None:
        raise ImageError(f"there is no file for image {image_id}")
    data = _read(path)
    if sha256 is not None and sha256_of_bytes(data) != sha256:
        raise ImageError(f"{path.name} is not the image the suite was made with (its bytes have changed)")
    try:
        with warnings.catch_warnings():
            # Pillow's own limit only warns at first; ours is checked on the next line.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data))
        if image.width * image.height > max_pixels:
            raise ImageError(
                f"{path.name} has {image.width}x{image.height} pixels, more than the {max_pixels:,} that are decoded"
            )
        if shrink_to is not None:
            image.draft("RGB", shrink_to)
        return image.convert("RGB")
    except Image.DecompressionBombError as error:
        raise ImageError(f"{path.name} has too many pixels to decode: {error}") from error
    except UnidentifiedImageError as error:
        raise ImageError(f"{path.name} is not an image that can be read") from error
    except (OSError, ValueError, SyntaxError, EOFError, TypeError, IndexError) as error:
        # Pillow's decoders raise all of these on damaged files.
        raise ImageError(f"{path.name} is damaged: {error}") from error


def image_size(path: Path) -> tuple[int, int] | None:
    """Width and height by the file's header; None when it cannot be read as an image."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                return image.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ImageError(f"{path.name} is larger than {_MAX_BYTES // 1_000_000} MB")
        return path.read_bytes()
    except OSError as error:
        raise ImageError(f"{path.name} cannot be read: {error.strerror}") from error
