"""One picture under several obfuscations, from one decoding."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from falter.images.obfuscation.decoding import decode, opened
from falter.images.obfuscation.encoding import encode
from falter.images.obfuscation.mean_color import DEFAULT_MEAN_COLOUR
from falter.images.obfuscation.regions import enclosing, pixel_regions
from falter.scene.graph import Box

__all__ = ["OBFUSCATIONS", "Obfuscation", "obfuscate"]

Obfuscation = Literal["blur-3", "blur-6", "blur-9", "mask", "crop"]

OBFUSCATIONS: tuple[Obfuscation, ...] = get_args(Obfuscation)

_SIGMAS: dict[float, Obfuscation] = {3.0: "blur-3", 6.0: "blur-6", 9.0: "blur-9"}


def obfuscate(
    picture: Path | bytes,
    boxes: Sequence[Box],
    which: Sequence[Obfuscation],
    *,
    mean_colour: tuple[int, int, int] = DEFAULT_MEAN_COLOUR,
    quality: int = 90,
    exact: bool = False,
) -> dict[Obfuscation, bytes]:
    """Hide what lies outside the boxes, in each of the ways asked for, as JPEGs.

    ``blur-3``, ``blur-6`` and ``blur-9`` blur it by a Gaussian of that many pixels with a soft passage at the boxes,
    ``mask`` paints it in the mean colour, ``crop`` cuts to the smallest rectangle with all boxes. Blurred and masked
    pictures have the size of the original as it is displayed, to which the boxes refer: the orientation in its EXIF
    is applied, and no EXIF is written. Boxes are rounded outwards, clipped, and grown to 32x32 pixels.

    A JPEG's chroma subsampling is kept; other pictures are written without any. ``exact`` blurs in floating point at
    full size, at many times the cost; without it, colours may be off by one or two levels of 255. A picture that
    cannot be read and a box that cannot be drawn raise ``InputError``; no boxes raise ``ValueError``.
    """
    _check(which, mean_colour, quality)
    source = opened(picture)
    pixels, subsampling = decode(source)
    height, width = pixels.shape[:2]
    regions = pixel_regions(boxes, width, height, picture=source.name)
    made: dict[Obfuscation, bytes] = {}
    sigmas = [sigma for sigma, name in _SIGMAS.items() if name in which]
    if sigmas:
        from falter.images.obfuscation.blur import blur_background  # OpenCV is slow to import.

        for sigma, blurred in blur_background(pixels, regions, sigmas, exact=exact):
            made[_SIGMAS[sigma]] = encode(blurred, quality=quality, subsampling=subsampling)
    if "mask" in which:
        masked = np.empty_like(pixels)
        masked.reshape(height, -1)[...] = np.tile(np.array(mean_colour, dtype=np.uint8), width)
        for left, top, right, bottom in regions:
            masked[top:bottom, left:right] = pixels[top:bottom, left:right]
        made["mask"] = encode(masked, quality=quality, subsampling=subsampling)
    if "crop" in which:
        left, top, right, bottom = enclosing(regions)
        made["crop"] = encode(pixels[top:bottom, left:right], quality=quality, subsampling=subsampling)
    return {name: made[name] for name in which}


def _check(which: Sequence[str], mean_colour: tuple[int, int, int], quality: int) -> None:
    unknown = [name for name in which if name not in OBFUSCATIONS]
    if unknown:
        raise ValueError(f"unknown obfuscation {unknown[0]!r}: there are {', '.join(OBFUSCATIONS)}")
    if len(mean_colour) != 3 or not all(0 <= value <= 255 for value in mean_colour):
        raise ValueError(f"{mean_colour} is not a colour of three numbers from 0 to 255")
    if not 1 <= quality <= 100:
        raise ValueError(f"a JPEG's quality goes from 1 to 100, not {quality}")
