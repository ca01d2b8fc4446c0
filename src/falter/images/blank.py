"""Uniform gray images: an image input without content, and a dummy image to test a model with."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["GRAY", "blank_image", "blank_png"]

GRAY = (127, 127, 127)


def blank_image(size: tuple[int, int] = (64, 48)) -> Image:
    """Make a uniform gray image of a width and height."""
    from PIL import Image

    return Image.new("RGB", size, GRAY)


def blank_png(size: tuple[int, int]) -> bytes:
    """Encode a uniform gray image as PNG; equal sizes give equal bytes."""
    buffer = io.BytesIO()
    blank_image(size).save(buffer, "PNG")
    return buffer.getvalue()
