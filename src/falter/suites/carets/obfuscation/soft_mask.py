"""The foreground's mask blurred by a Gaussian, from one-dimensional profiles.

A union of rectangles is cut at every top and bottom into slabs; within a slab every row is alike. A slab's mask is
therefore a column times a row, a Gaussian blurs the two apart, and the blurred mask is the sum of their products:
exact, and without a filter over the whole image.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from falter.suites.carets.obfuscation.obfuscate import Region, enclosing_region

__all__ = ["FULL", "REACH", "SoftMask", "gaussian", "soft_masks"]

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
