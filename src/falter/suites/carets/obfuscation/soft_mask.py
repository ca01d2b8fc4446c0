"""The foreground's mask blurred by a Gaussian, from one-dimensional profiles.

A union of rectangles is cut at every top and bottom into slabs; within a slab every row is alike. A slab's mask is
therefore a column times a row, a Gaussian blurs the two apart, and the blurred mask is the sum of their products:
exact, and without a filter over the whole picture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from falter.suites.carets.obfuscation.regions import Region, enclosing

__all__ = ["FULL", "REACH", "SoftMask", "gaussian", "soft_mask"]

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

    def weights(self, channels: int) -> NDArray[np.uint16]:
        """The share of the foreground, 0 to ``FULL``, for every channel of every pixel of the window.

        In whole numbers, so that every machine finds the same ones.
        """
        columns = np.rint(self.columns * (1 << _COLUMN_BITS)).astype(np.uint32)
        rows = np.repeat(np.rint(self.rows * (1 << _ROW_BITS)).astype(np.uint32), channels, axis=1)
        total: NDArray[np.uint32] = np.multiply.outer(columns[0], rows[0])
        for column, row in zip(columns[1:], rows[1:], strict=True):
            (touched,) = np.nonzero(column)
            low, high = int(touched[0]), int(touched[-1]) + 1
            total[low:high] += np.multiply.outer(column[low:high], row)
        shift = _COLUMN_BITS + _ROW_BITS - FULL.bit_length() + 1
        total += 1 << (shift - 1)
        total >>= shift
        return np.minimum(total, FULL, out=total).astype(np.uint16)


def soft_mask(regions: Sequence[Region], width: int, height: int, sigma: float) -> SoftMask:
    """Blur the mask of some regions (1 within, 0 outside), the picture's edges mirrored."""
    radius = math.ceil(REACH * sigma)
    kernel = gaussian(sigma, radius)
    around = enclosing(regions)
    window = Region(
        max(0, around.left - radius),
        max(0, around.top - radius),
        min(width, around.right + radius),
        min(height, around.bottom + radius),
    )
    columns, rows = [], []
    for (top, bottom), spans in _slabs(regions).items():
        columns.append(_profile([(top, bottom)], height, kernel)[window.top : window.bottom])
        rows.append(_profile(spans, width, kernel)[window.left : window.right])
    return SoftMask(window, np.stack(columns), np.stack(rows))


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
