"""Opens one image safely: a broken, changed or enormous file is an error of that image alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from falter.files import sha256_of_bytes
from falter.images.opening import MAX_PIXELS, ImageError, open_image_file

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["MAX_PIXELS", "ImageError", "image_size", "load_image"]


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
    if path is None:
        raise ImageError(f"there is no file for image {image_id}")
    opened = open_image_file(path, max_pixels=max_pixels)
    if sha256 is not None and sha256_of_bytes(opened.data) != sha256:
        raise ImageError(f"{path.name} is not the image the suite was made with (its bytes have changed)")
    try:
        if shrink_to is not None:
            opened.image.draft("RGB", shrink_to)
        return opened.image.convert("RGB")
    except Exception as error:  # Pillow's decoders raise whatever broken bytes lead them to.
        raise ImageError(f"{path.name} is damaged: {error}") from error


def image_size(path: Path) -> tuple[int, int] | None:
    """Width and height by the file's header; None when it cannot be read as an image."""
    try:
        return open_image_file(path).image.size
    except ImageError:
        return None
