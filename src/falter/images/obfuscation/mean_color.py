"""The mean color of a data set, with which masked pixels are filled."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import simplejpeg
from numpy.typing import NDArray

from falter.errors import InputError
from falter.images.obfuscation.decoding import OpenedImage, decode_image, open_image

__all__ = ["DEFAULT_MEAN_COLOR", "dataset_mean_color", "image_mean"]

DEFAULT_MEAN_COLOR = (124, 116, 104)
"""ImageNet's mean, for an image whose data set is not known; else see ``dataset_mean_color``."""

_REDUCTION = 8
_SMALLEST_REDUCED = 64
"""Below this many pixels per side reduced decoding saves nothing."""


def dataset_mean_color(paths: Iterable[Path], *, skip_damaged: bool = False) -> tuple[int, int, int]:
    """The mean of every channel over all pixels of all images, read one at a time.

    A larger image thus weighs more. JPEGs are decoded at an eighth of their size, where a pixel is the mean of a
    block of 8x8: on 138 photographs of COCO and GQA the mean of none was off by more than 0.7 levels. One
    that cannot be read raises ``InputError``, unless ``skip_damaged`` skips it.
    """
    total = np.zeros(3)
    pixels = 0
    for path in paths:
        try:
            opened = open_image(path)
            mean = image_mean(opened)
        except InputError:
            if skip_damaged:
                continue
            raise
        size = opened.image.width * opened.image.height
        total += mean * size
        pixels += size
    if pixels == 0:
        raise ValueError("no images: there is no mean color")
    red, green, blue = np.rint(total / pixels).astype(int).tolist()
    return red, green, blue


def image_mean(opened: OpenedImage) -> NDArray[np.float64]:
    """The mean of every channel of one image, not rounded."""
    width, height = opened.image.size
    if opened.plain_jpeg and min(width, height) >= _SMALLEST_REDUCED:
        try:
            small: NDArray[np.uint8] = simplejpeg.decode_jpeg(opened.data, "RGB", min_height=1, min_width=1)
        except ValueError:
            pass  # Decoding it whole finds out whether it is damaged.
        else:
            return _weighted_mean(small, _shares(height, small.shape[0]), _shares(width, small.shape[1]))
    mean: NDArray[np.float64] = decode_image(opened).pixels.mean(axis=(0, 1), dtype=np.float64)
    return mean


def _shares(length: int, blocks: int) -> NDArray[np.float64]:
    """How much of a side each block covers: the last one may reach over the edge and would weigh too much."""
    if blocks != -(-length // _REDUCTION):
        return np.full(blocks, 1 / blocks)
    covered = np.full(blocks, float(_REDUCTION))
    covered[-1] = length - _REDUCTION * (blocks - 1)
    return covered / length


def _weighted_mean(
    small: NDArray[np.uint8], rows: NDArray[np.float64], columns: NDArray[np.float64]
) -> NDArray[np.float64]:
    by_row = np.einsum("yxc,x->yc", small.astype(np.float64), columns)
    mean: NDArray[np.float64] = np.einsum("yc,y->c", by_row, rows)
    return mean
