"""Obfuscates one image in several ways, from one decoding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import simplejpeg
from numpy.typing import NDArray

from falter.images.obfuscation.decoding import decode_image, open_image
from falter.images.obfuscation.mean_color import DEFAULT_MEAN_COLOR
from falter.images.obfuscation.regions import enclosing_region, pixel_regions
from falter.scene.graph import Box

__all__ = ["OBFUSCATIONS", "Obfuscation", "obfuscate"]

Obfuscation = Literal["blur-3", "blur-6", "blur-9", "mask", "crop"]

OBFUSCATIONS: tuple[Obfuscation, ...] = get_args(Obfuscation)

_SIGMAS: dict[float, Obfuscation] = {3.0: "blur-3", 6.0: "blur-6", 9.0: "blur-9"}


def obfuscate(
    image: Path | bytes,
    boxes: Sequence[Box],
    which: Sequence[Obfuscation],
    *,
    mean_color: tuple[int, int, int] = DEFAULT_MEAN_COLOR,
    quality: int = 90,
    exact: bool = False,
) -> dict[Obfuscation, bytes]:
    """Hide what lies outside the boxes, in each of the ways asked for, as JPEGs.

    ``blur-3``, ``blur-6`` and ``blur-9`` blur it by a Gaussian of that many pixels with a soft passage at the boxes,
    ``mask`` paints it in the mean color, ``crop`` cuts to the smallest rectangle with all boxes. Blurred and masked
    images have the size of the original as it is displayed, to which the boxes refer: the orientation in its EXIF
    is applied, and no EXIF is written. Boxes are rounded outwards, clipped, and grown to 32x32 pixels.

    A JPEG's chroma subsampling is kept; other images are written without any. ``exact`` blurs in floating point at
    full size, at many times the cost; without it, colors may be off by one or two levels of 255. An image that
    cannot be read and a box that cannot be drawn raise ``InputError``; no boxes raise ``ValueError``.
    """
    _check(which, mean_color, quality)
    source = open_image(image)
    pixels, subsampling = decode_image(source)
    height, width = pixels.shape[:2]
    regions = pixel_regions(boxes, width, height, image_name=source.name)
    made: dict[Obfuscation, bytes] = {}
    sigmas = [sigma for sigma, name in _SIGMAS.items() if name in which]
    if sigmas:
        from falter.images.obfuscation.blur import blur_background  # OpenCV is slow to import.

        for sigma, blurred in blur_background(pixels, regions, sigmas, exact=exact):
            made[_SIGMAS[sigma]] = _encode_jpeg(blurred, quality=quality, subsampling=subsampling)
    if "mask" in which:
        masked = np.empty_like(pixels)
        masked.reshape(height, -1)[...] = np.tile(np.array(mean_color, dtype=np.uint8), width)
        for left, top, right, bottom in regions:
            masked[top:bottom, left:right] = pixels[top:bottom, left:right]
        made["mask"] = _encode_jpeg(masked, quality=quality, subsampling=subsampling)
    if "crop" in which:
        left, top, right, bottom = enclosing_region(regions)
        made["crop"] = _encode_jpeg(pixels[top:bottom, left:right], quality=quality, subsampling=subsampling)
    return {name: made[name] for name in which}


def _check(which: Sequence[str], mean_color: tuple[int, int, int], quality: int) -> None:
    unknown = [name for name in which if name not in OBFUSCATIONS]
    if unknown:
        raise ValueError(f"unknown obfuscation {unknown[0]!r}: there are {', '.join(OBFUSCATIONS)}")
    if len(mean_color) != 3 or not all(0 <= value <= 255 for value in mean_color):
        raise ValueError(f"{mean_color} is not a color of three numbers from 0 to 255")
    if not 1 <= quality <= 100:
        raise ValueError(f"a JPEG's quality goes from 1 to 100, not {quality}")


def _encode_jpeg(pixels: NDArray[np.uint8], *, quality: int, subsampling: str) -> bytes:
    """Encode RGB pixels (height, width, 3) without any metadata."""
    data: bytes = simplejpeg.encode_jpeg(
        np.ascontiguousarray(pixels), quality=quality, colorspace="RGB", colorsubsampling=subsampling
    )
    return data
