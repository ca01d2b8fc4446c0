"""Small copies of images; a file that cannot be shown gives the reason instead, and nothing huge is decoded."""

from __future__ import annotations

import base64
import io
import warnings
from pathlib import Path
from typing import Literal

import msgspec
from PIL import Image, ImageOps

from falter.core.files import is_regular, sha256_of_bytes
from falter.data.images import ImageTooLargeError, open_image_file

SIDE = 320

SMALL_PNG = 32_768
"""A PNG of at most so many bytes stays one: charts and drawings keep their sharp edges."""

ImageProblem = Literal["missing", "changed", "corrupt", "too large"]


class Thumbnail(msgspec.Struct, frozen=True):
    """A small JPEG or PNG, or why there is none."""

    data: bytes | None
    problem: ImageProblem | None = None


def thumbnail(path: Path | None, *, side: int = SIDE, quality: int = 75, sha256: str | None = None) -> Thumbnail:
    """Make a copy whose longer side has at most ``side`` pixels; never raises for a bad file.

    With ``sha256`` the file must have this hash. A small PNG that fits stays a PNG.
    """
    if path is None or not is_regular(path):
        return Thumbnail(None, "missing")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data, image = open_image_file(path)
            if sha256 is not None and sha256_of_bytes(data) != sha256:
                return Thumbnail(None, "changed")
            stays = image.format == "PNG" and len(data) <= SMALL_PNG and max(image.size) <= side
            image.draft("RGB", (side, side))
            small = _flatten(image, side)
        buffer = io.BytesIO()
        if stays:
            small.save(buffer, "PNG", optimize=True)
        else:
            small.save(buffer, "JPEG", quality=quality, optimize=True)
    except ImageTooLargeError:
        return Thumbnail(None, "too large")
    except Exception:  # Pillow's decoders raise whatever broken bytes lead them to.
        return Thumbnail(None, "corrupt")
    return Thumbnail(buffer.getvalue())


def _flatten(image: Image.Image, side: int) -> Image.Image:
    turned = ImageOps.exif_transpose(image)
    if turned.mode in ("RGBA", "LA", "PA") or "transparency" in turned.info:
        layer = turned.convert("RGBA")
        layer.thumbnail((side, side))
        ground = Image.new("RGB", layer.size, "white")
        ground.paste(layer, mask=layer.getchannel("A"))
        return ground
    turned = turned.convert("RGB")
    turned.thumbnail((side, side))
    return turned


def data_uri(data: bytes) -> str:
    """Encode a JPEG or PNG as a data URI."""
    kind = "png" if data.startswith(b"\x89PNG") else "jpeg"
    return f"data:image/{kind};base64," + base64.b64encode(data).decode()
