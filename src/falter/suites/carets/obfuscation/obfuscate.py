"""Obfuscates one image in several ways, from one decoding.

Boxes become whole pixels of the image: clipped to it, and large enough to show something.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from falter.core.errors import InputError
from falter.generation.scene.graph import Box
from falter.suites.carets.obfuscation.decoding import DEFAULT_MEAN_COLOR, decode_image, load_jpeg_codec, open_image

__all__ = ["OBFUSCATIONS", "Obfuscation", "Region", "enclosing_region", "obfuscate", "pixel_regions", "visible_share"]

SMALLEST_SIDE = 32
"""Both sides of a region, in pixels, where the image has that many."""


class Region(NamedTuple):
    """A rectangle of whole pixels; right and bottom are the first pixels outside."""

    left: int
    top: int
    right: int
    bottom: int


def pixel_regions(
    boxes: Sequence[Box], width: int, height: int, *, image_name: str | PathLike[str] = "image"
) -> list[Region]:
    """Turn boxes into regions of a image: edges rounded outwards, clipped, then grown about their center to 32x32.

    A region that would grow over the edge of the image is moved inwards. No boxes at all are a mistake of the
    caller (``ValueError``); a box that is not finite, has no area or lies outside the image is a mistake of the
    annotation (``InputError``, which names ``image_name`` and the box).
    """
    if not boxes:
        raise ValueError("no boxes: without a foreground there is nothing to keep")
    return [_region(box, f"box {number}", width, height, image_name) for number, box in enumerate(boxes, start=1)]


def enclosing_region(regions: Sequence[Region]) -> Region:
    """The smallest rectangle with all regions."""
    return Region(
        min(region.left for region in regions),
        min(region.top for region in regions),
        max(region.right for region in regions),
        max(region.bottom for region in regions),
    )


def visible_share(regions: Sequence[Region], width: int, height: int) -> float:
    """The part of an image that the regions cover together.

    >>> visible_share([Region(0, 0, 50, 100), Region(25, 0, 75, 100)], 100, 100)
    0.75
    """
    edges = sorted({edge for region in regions for edge in (region.left, region.right)})
    covered = 0
    for left, right in pairwise(edges):
        end = 0
        for region in sorted((one for one in regions if one.left <= left < one.right), key=lambda one: one.top):
            covered += (right - left) * max(0, region.bottom - max(region.top, end))
            end = max(end, region.bottom)
    return covered / (width * height)


def _region(box: Box, record: str, width: int, height: int, image_name: str | PathLike[str]) -> Region:
    if not all(math.isfinite(value) for value in box):
        raise InputError(image_name, f"{tuple(box)} is not a box of finite numbers", record=record)
    if box.w <= 0 or box.h <= 0:
        raise InputError(image_name, f"the box is {box.w:g} wide and {box.h:g} high: it has no area", record=record)
    if box.x >= width or box.y >= height or box.right <= 0 or box.bottom <= 0:
        raise InputError(image_name, f"{tuple(box)} lies outside the image of {width}x{height}", record=record)
    left, right = _grown(max(0, math.floor(box.x)), min(width, math.ceil(box.right)), width)
    top, bottom = _grown(max(0, math.floor(box.y)), min(height, math.ceil(box.bottom)), height)
    return Region(left, top, right, bottom)


def _grown(low: int, high: int, limit: int) -> tuple[int, int]:
    missing = SMALLEST_SIDE - (high - low)
    if missing <= 0:
        return low, high
    size = min(SMALLEST_SIDE, limit)
    start = max(0, min(low - missing // 2, limit - size))
    return start, start + size


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
        from falter.suites.carets.obfuscation.blur import blur_background  # OpenCV is slow to import.

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
    data: bytes = load_jpeg_codec().encode_jpeg(
        np.ascontiguousarray(pixels), quality=quality, colorspace="RGB", colorsubsampling=subsampling
    )
    return data
