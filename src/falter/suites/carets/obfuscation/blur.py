"""Blurs the background of an image by a Gaussian and keeps the foreground, with a soft transition between them.

The result is ``mask * original + (1 - mask) * blurred``, where the mask is blurred like the image (soft masking in
the manner of Yang et al., 2021); so a little of the blur reaches into the boxes.

The fast way blurs at half size, or a quarter for large sigmas: ``pyrDown`` (whose five taps leave no moiré behind, as
plain averaging of 2x2 pixels does: up to 8 levels on fine stripes), the Gaussian that is still missing, ``pyrUp``.
Filters run on floats, which are fast, but with whole-number weights whose sums stay under 2**24: every step is exact,
and every machine gives the same bytes. The blur is at most 1.1 levels of 255 from a Gaussian in floating point, on
photographs and on patterns of black and white; mixing in whole numbers adds up to half a level beside the boxes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from falter.core.optional_packages import import_package
from falter.suites.carets.obfuscation.obfuscate import REACH, Region, SoftMask, gaussian, soft_masks

cv2 = import_package("cv2", "obfuscating images")

Pixels = NDArray[np.uint8]

_PYRAMID_VARIANCE = 2.0
"""What ``pyrDown`` and ``pyrUp`` blur by themselves, in pixels squared."""

_QUARTER_FROM = 6.0
"""The sigma from which an image can be halved twice without a trace."""

_SPARE = 3
"""Pixels of a quarter that its halving and doubling may spoil at its edges."""

_SMALL_REACH = 3.5
_WEIGHT_BITS = 12
_FRACTION_BITS = 4
_ONE = np.ones(1)


def blur_background(
    pixels: Pixels, regions: Sequence[Region], sigmas: Sequence[float], *, exact: bool = False
) -> Iterator[tuple[float, Pixels]]:
    """Blur all but the regions of an RGB image by each sigma in turn.

    ``exact`` takes a Gaussian over all pixels in double precision; so do images too small for the fast way.
    """
    height, width = pixels.shape[:2]
    half: Pixels | None = None
    for sigma in sigmas:
        masks = soft_masks(regions, width, height, sigma)
        if exact or min(height, width) // 2 <= _margin(sigma):
            yield sigma, _blended_exactly(pixels, _blurred_exactly(pixels, sigma), masks)
        else:
            with _one_thread():
                half = _halved(pixels) if half is None else half
                blurred = _blurred_small(half, sigma, width, height)
                for mask in masks:
                    _blend(pixels, blurred, mask)
            yield sigma, blurred


@contextmanager
def _one_thread() -> Iterator[None]:
    """Keep OpenCV to one thread: workers share the machine by images, and an image is too small to be shared."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


def _halved(pixels: Pixels) -> Pixels:
    return np.asarray(cv2.pyrDown(pixels, borderType=cv2.BORDER_REFLECT_101), dtype=np.uint8)


def _halvings(sigma: float) -> int:
    return 2 if sigma >= _QUARTER_FROM else 1


def _small_sigma(sigma: float) -> float:
    """What is left to blur, in pixels of the small image, besides what halving and doubling do by themselves."""
    halvings = _halvings(sigma)
    done = _PYRAMID_VARIANCE * sum(4**level for level in range(halvings))
    return math.sqrt(sigma**2 - done) / (1 << halvings)


def _small_radius(sigma: float) -> int:
    return math.ceil(_SMALL_REACH * _small_sigma(sigma))


def _margin(sigma: float) -> int:
    """How far the half must go on for the image's edges to be right, in its own pixels."""
    return 2 * (_small_radius(sigma) + _SPARE) if _halvings(sigma) == 2 else _small_radius(sigma) + 1


def _blurred_small(half: Pixels, sigma: float, width: int, height: int) -> Pixels:
    radius = _small_radius(sigma)
    small = _mirrored(half, _margin(sigma), width, height)
    if _halvings(sigma) == 2:
        small = _halved(small)
    kernel = _whole_weights(gaussian(_small_sigma(sigma), radius))
    # 8 bits of color times 12 bits of weight; then 12 bits (4 of them a fraction) times 12 bits.
    rows = _filtered(small, kernel * 2.0 ** (_FRACTION_BITS - _WEIGHT_BITS), _ONE)[:, radius:-radius]
    blurred = _filtered(rows, _ONE, kernel * 2.0**-_WEIGHT_BITS)[radius:-radius]
    # One pixel of the margin is left in the half: it keeps pyrUp's own idea of an edge out of the image.
    if _halvings(sigma) == 2:
        left_over = 2 * _SPARE - 1
        blurred = _doubled(blurred)[left_over : left_over + len(half) + 2, left_over : left_over + half.shape[1] + 2]
    full = _doubled(blurred)[2 : 2 + height, 2 : 2 + width]
    return np.asarray(cv2.convertScaleAbs(full, alpha=2.0**-_FRACTION_BITS), dtype=np.uint8)


def _doubled(values: NDArray[np.int16]) -> NDArray[np.int16]:
    return np.asarray(cv2.pyrUp(values), dtype=np.int16)


def _mirrored(half: Pixels, margin: int, width: int, height: int) -> Pixels:
    """Continue a halved image as its original would go on, mirrored at the center of its outermost pixels.

    The pixels of the half stand on the even ones of the original. So the mirror is the outermost pixel of the half
    too, but at the far end of an even side, where it lies halfway to the next one.
    """
    same, after = cv2.BORDER_REFLECT_101, cv2.BORDER_REFLECT
    wide = cv2.copyMakeBorder(half, margin, 0, margin, 0, same)
    wide = cv2.copyMakeBorder(wide, 0, margin, 0, 0, same if height % 2 else after)
    return np.asarray(cv2.copyMakeBorder(wide, 0, 0, 0, margin, same if width % 2 else after), dtype=np.uint8)


def _whole_weights(kernel: NDArray[np.float64]) -> NDArray[np.float64]:
    whole = np.rint(kernel * (1 << _WEIGHT_BITS))
    whole[len(whole) // 2] += (1 << _WEIGHT_BITS) - whole.sum()
    return whole


def _filtered(
    values: NDArray[np.uint8] | NDArray[np.int16], row: NDArray[np.float64], column: NDArray[np.float64]
) -> NDArray[np.int16]:
    return np.asarray(cv2.sepFilter2D(values, cv2.CV_16S, row, column), dtype=np.int16)


def _blend(pixels: Pixels, blurred: Pixels, mask: SoftMask) -> None:
    """Mix the original into the blurred image within the mask's window; elsewhere it stays as it is."""
    left, top, right, bottom = mask.window
    result = blurred[top:bottom, left:right]
    base = result.astype(np.uint16)
    mixed = pixels[top:bottom, left:right].astype(np.uint16)
    # Sums wrap round at 2**16 on the way, but the value at the end, 256 times a color, fits.
    mixed -= base
    mixed *= np.asarray(cv2.merge([mask.weights()] * 3), dtype=np.uint16)
    base <<= 8
    base |= 128
    mixed += base
    mixed >>= 8
    result[...] = mixed


def _blurred_exactly(pixels: Pixels, sigma: float) -> NDArray[np.float64]:
    kernel = gaussian(sigma, math.ceil(REACH * sigma))
    with _one_thread():
        blurred = cv2.sepFilter2D(pixels, cv2.CV_64F, kernel, kernel, borderType=cv2.BORDER_REFLECT_101)
    return np.asarray(blurred, dtype=np.float64)


def _blended_exactly(pixels: Pixels, blurred: NDArray[np.float64], masks: Sequence[SoftMask]) -> Pixels:
    for mask in masks:
        left, top, right, bottom = mask.window
        result = blurred[top:bottom, left:right]
        result += mask.fractions()[:, :, None] * (pixels[top:bottom, left:right] - result)
    return np.clip(np.rint(blurred), 0, 255).astype(np.uint8)
