"""Hides the background of an image: by blur, mean color or a soft mask."""

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


REACH = 4.0
"""Standard deviations after which a Gaussian is cut off."""

FULL = 256
"""The whole-number weight of pixels that are all foreground."""

_COLUMN_BITS = 15
_ROW_BITS = 16


class SoftMask(NamedTuple):
    """A blurred mask within the window outside which it is zero: the sum of columns times rows."""

    window: Region
    columns: NDArray[np.float64]
    rows: NDArray[np.float64]

    def fractions(self) -> NDArray[np.float64]:
        """The share of the foreground, 0 to 1, for every pixel of the window."""
        shares: NDArray[np.float64] = np.einsum("ky,kx->yx", self.columns, self.rows)
        return np.clip(shares, 0.0, 1.0)

    def weights(self) -> NDArray[np.uint16]:
        """The share of the foreground, 0 to ``FULL``, for every pixel of the window.

        In whole numbers, so that every machine finds the same ones.
        """
        columns = np.rint(self.columns * (1 << _COLUMN_BITS)).astype(np.uint32)
        rows = np.rint(self.rows * (1 << _ROW_BITS)).astype(np.uint32)
        shift = _COLUMN_BITS + _ROW_BITS - FULL.bit_length() + 1
        total = np.full((columns.shape[1], rows.shape[1]), 1 << (shift - 1), dtype=np.uint32)
        for column, row in zip(columns, rows, strict=True):
            down, across = _touched(column), _touched(row)
            total[down, across] += np.multiply.outer(column[down], row[across])
        total >>= shift
        np.minimum(total, FULL, out=total)
        return total.astype(np.uint16)


def soft_masks(regions: Sequence[Region], width: int, height: int, sigma: float) -> list[SoftMask]:
    """Blur the mask of some regions (1 within, 0 outside), the image's edges mirrored.

    Regions far enough from each other for their windows not to meet have a mask each.
    """
    radius = math.ceil(REACH * sigma)
    kernel = gaussian(sigma, radius)
    return [_soft_mask(group, width, height, kernel) for group in _apart(regions, radius, width, height)]


def _soft_mask(regions: Sequence[Region], width: int, height: int, kernel: NDArray[np.float64]) -> SoftMask:
    window = _window(regions, len(kernel) // 2, width, height)
    columns, rows = [], []
    for (top, bottom), spans in _slabs(regions).items():
        columns.append(_profile([(top, bottom)], height, kernel)[window.top : window.bottom])
        rows.append(_profile(spans, width, kernel)[window.left : window.right])
    return SoftMask(window, np.stack(columns), np.stack(rows))


def _window(regions: Sequence[Region], radius: int, width: int, height: int) -> Region:
    left, top, right, bottom = enclosing_region(regions)
    return Region(max(0, left - radius), max(0, top - radius), min(width, right + radius), min(height, bottom + radius))


def _apart(regions: Sequence[Region], radius: int, width: int, height: int) -> list[list[Region]]:
    """Group regions so that no two groups have windows that overlap."""
    groups: list[list[Region]] = []
    for region in regions:
        group, others = [region], groups
        while True:
            window = _window(group, radius, width, height)
            near = [other for other in others if _overlap(window, _window(other, radius, width, height))]
            if not near:
                break
            others = [other for other in others if other not in near]
            group = [*(member for other in near for member in other), *group]
        groups = [*others, group]
    return groups


def _overlap(one: Region, other: Region) -> bool:
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom


def _touched(profile: NDArray[np.uint32]) -> slice:
    (places,) = np.nonzero(profile)
    return slice(int(places[0]), int(places[-1]) + 1)


def gaussian(sigma: float, radius: int) -> NDArray[np.float64]:
    """The 2 * radius + 1 weights of a sampled Gaussian, whose sum is one."""
    weights = np.array([math.exp(-(place**2) / (2 * sigma**2)) for place in range(-radius, radius + 1)])
    return weights / math.fsum(weights)


def _slabs(regions: Sequence[Region]) -> dict[tuple[int, int], list[tuple[int, int]]]:
    edges = sorted({edge for region in regions for edge in (region.top, region.bottom)})
    slabs = {}
    for top, bottom in pairwise(edges):
        spans = [(region.left, region.right) for region in regions if region.top <= top and bottom <= region.bottom]
        if spans:
            slabs[top, bottom] = spans
    return slabs


def _profile(spans: Sequence[tuple[int, int]], length: int, kernel: NDArray[np.float64]) -> NDArray[np.float64]:
    inside = np.zeros(length)
    for low, high in spans:
        inside[low:high] = 1.0
    return np.convolve(np.pad(inside, len(kernel) // 2, mode="reflect"), kernel, mode="valid")
