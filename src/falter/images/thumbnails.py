"""Small JPEG copies of pictures; what cannot be shown is counted, and nothing huge is decoded."""

from __future__ import annotations

import base64
import io
import warnings
from pathlib import Path
from typing import Literal

import msgspec
from PIL import Image, ImageOps, UnidentifiedImageError

from falter.models.pictures import MAX_PIXELS

__all__ = ["Thumbnail", "Trouble", "data_uri", "thumbnail"]

SIDE = 320

Trouble = Literal["missing", "corrupt", "too large"]


class Thumbnail(msgspec.Struct, frozen=True):
    """A small JPEG, or why there is none."""

    jpeg: bytes | None
    trouble: Trouble | None = None


def thumbnail(path: Path | None, *, side: int = SIDE, quality: int = 75) -> Thumbnail:
    """A copy of a picture whose longer side has at most ``side`` pixels; never raises for a bad file."""
    if path is None or not path.is_file():
        return Thumbnail(None, "missing")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(path) as opened:
                if opened.width * opened.height > MAX_PIXELS:
                    return Thumbnail(None, "too large")
                opened.draft("RGB", (side, side))
                small = _flattened(opened, side)
        buffer = io.BytesIO()
        small.save(buffer, "JPEG", quality=quality, optimize=True)
    except Image.DecompressionBombError:
        return Thumbnail(None, "too large")
    except (OSError, UnidentifiedImageError, ValueError, SyntaxError, EOFError, IndexError, MemoryError, KeyError):
        # Pillow's decoders raise any of these for files that break off or lie about themselves.
        return Thumbnail(None, "corrupt")
    return Thumbnail(buffer.getvalue())


def _flattened(picture: Image.Image, side: int) -> Image.Image:
    turned = ImageOps.exif_transpose(picture)
    if turned.mode in ("RGBA", "LA", "PA") or "transparency" in turned.info:
        layer = turned.convert("RGBA")
        layer.thumbnail((side, side))
        ground = Image.new("RGB", layer.size, "white")
        ground.paste(layer, mask=layer.getchannel("A"))
        return ground
    turned = turned.convert("RGB")
    turned.thumbnail((side, side))
    return turned


def data_uri(jpeg: bytes) -> str:
    """A JPEG as an address that holds it."""
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode()
