"""Pixels as a JPEG without any metadata."""

from __future__ import annotations

import numpy as np
import simplejpeg
from numpy.typing import NDArray

__all__ = ["encode"]


def encode(pixels: NDArray[np.uint8], *, quality: int, subsampling: str) -> bytes:
    """Encode RGB pixels (height, width, 3)."""
    data: bytes = simplejpeg.encode_jpeg(
        np.ascontiguousarray(pixels), quality=quality, colorspace="RGB", colorsubsampling=subsampling
    )
    return data
