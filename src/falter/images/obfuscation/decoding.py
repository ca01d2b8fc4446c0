"""Any picture file as upright RGB pixels, or one clear line on why not."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import simplejpeg
from numpy.typing import NDArray
from PIL import Image

from falter.errors import InputError

__all__ = ["LARGEST_PICTURE", "Decoded", "Opened", "decode", "opened"]

LARGEST_PICTURE = 100_000_000
"""Pixels; what is larger is refused before it is decoded."""

_ORIENTATION = 0x0112
_JPEG = ("JPEG", "MPO")
_DAMAGE = ("premature end", "corrupt", "truncated")
_HARMLESS = ("extraneous bytes",)

Pixels = NDArray[np.uint8]


class Decoded(NamedTuple):
    """Upright pixels (height, width, 3) and the chroma subsampling to write them with."""

    pixels: Pixels
    subsampling: str


class Opened(NamedTuple):
    """A picture whose header has been read: its bytes, a name for messages, and Pillow's view of it."""

    data: bytes
    name: str
    image: Image.Image

    @property
    def plain_jpeg(self) -> bool:
        """Whether this is a JPEG in colour or grey, which needs no conversion."""
        return self.image.format in _JPEG and self.image.mode in ("RGB", "L")


def opened(picture: Path | bytes) -> Opened:
    """Read a picture's header, and refuse what is no picture or too large a one."""
    name = "picture given as bytes" if isinstance(picture, bytes) else str(picture)
    try:
        data = picture if isinstance(picture, bytes) else picture.read_bytes()
    except OSError as error:
        raise InputError(name, f"cannot be read: {error.strerror or error}") from error
    try:
        with warnings.catch_warnings():
            # Of large pictures, though our own limit is the one that counts, and of EXIF blocks that are cut short.
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(data))
    except Image.DecompressionBombError as error:
        raise _too_large(name) from error
    except Exception as error:  # Pillow's readers raise whatever broken bytes lead them to.
        raise InputError(name, "is not a picture that can be read") from error
    if image.width * image.height > LARGEST_PICTURE:
        raise _too_large(name)
    if image.width == 0 or image.height == 0:
        raise InputError(name, "is a picture without pixels")
    return Opened(data, name, image)


def decode(picture: Opened) -> Decoded:
    """Decode to RGB as the picture is meant to be seen.

    The orientation noted in EXIF is applied, for boxes (those of Visual Genome and GQA among them) are given in the
    picture as it is displayed. Transparency is put on white, 16 bits a channel become their upper 8, CMYK is
    converted without a profile (ink is stored inverted where an Adobe marker says so), other colour profiles are left
    out of account, as the models' own loaders do; of several frames the first counts.
    """
    try:
        fast = _decode_jpeg(picture) if picture.plain_jpeg else None
        pixels = fast.pixels if fast is not None else _decode_any(picture)
    except InputError:
        raise
    except Exception as error:  # As above: a file can be broken anywhere.
        raise InputError(picture.name, f"the picture is damaged: {error}") from error
    upright = np.ascontiguousarray(_turned(pixels, _orientation(picture.image)))
    return Decoded(upright, fast.subsampling if fast is not None else "444")


def _too_large(name: str) -> InputError:
    return InputError(name, f"has more than {LARGEST_PICTURE // 1_000_000} million pixels", hint="scale it down first")


def _decode_jpeg(picture: Opened) -> Decoded | None:
    """Decode by libjpeg-turbo itself; None where Pillow's more lenient reader should have a look."""
    try:
        _, _, _, subsampling = simplejpeg.decode_jpeg_header(picture.data)
        pixels = simplejpeg.decode_jpeg(picture.data, "RGB")
    except ValueError as error:
        message = str(error).lower()
        if any(word in message for word in _DAMAGE) and not any(word in message for word in _HARMLESS):
            raise
        return None
    return Decoded(pixels, subsampling if subsampling in ("444", "422", "440", "411") else "420")


def _decode_any(picture: Opened) -> Pixels:
    image = picture.image
    image.load()
    if image.mode.startswith("I"):
        return _from_deep_grey(np.asarray(image), picture.name)
    if image.mode == "F":
        raise InputError(
            picture.name, "has floating-point pixels, whose white is not known", hint="convert it to 8 bits"
        )
    if image.mode == "CMYK" and image.format in _JPEG and "adobe" not in image.info:
        # Pillow takes every CMYK JPEG for one of Adobe's, which store the ink inverted.
        image = Image.fromarray(255 - np.asarray(image), mode="CMYK")
    if image.has_transparency_data:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image)
    return np.asarray(image.convert("RGB"))


def _from_deep_grey(values: NDArray[np.generic], name: str) -> Pixels:
    wide = values.astype(np.int64)
    if wide.min() < 0 or wide.max() > 0xFFFF:
        raise InputError(name, "has more than 16 bits a pixel", hint="convert it to 8 bits")
    grey = (wide >> 8).astype(np.uint8)
    return np.repeat(grey[:, :, None], 3, axis=2)


def _orientation(image: Image.Image) -> int:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # As above.
            return int(image.getexif().get(_ORIENTATION, 1))
    except Exception:  # A damaged EXIF block does not spoil the picture.
        return 1


def _turned(pixels: Pixels, orientation: int) -> Pixels:
    """Undo the turns and mirrors that EXIF's orientations 2 to 8 stand for."""
    if orientation in (5, 6, 7, 8):
        pixels = pixels.transpose(1, 0, 2)
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    return pixels
