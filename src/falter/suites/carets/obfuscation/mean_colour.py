"""The mean colour of a data set, which stands in for what is masked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import simplejpeg
from numpy.typing import NDArray

from falter.suites.carets.obfuscation.decoding import Opened, decode, opened

__all__ = ["DEFAULT_MEAN_COLOUR", "mean_colour_of"]

DEFAULT_MEAN_COLOUR = (124, 116, 104)
"""ImageNet's mean, for a picture whose data set is not known; a data set's own is ``mean_colour_of`` its pictures."""

_SMALLEST_REDUCED = 64
"""Below this many pixels a side, the padded blocks at a JPEG's edges would weigh too much."""


def mean_colour_of(paths: Iterable[Path]) -> tuple[int, int, int]:
    """The mean of every channel over all pixels of all pictures, read one at a time.

    A larger picture thus weighs more. JPEGs are decoded at an eighth of their size, which is a mean of 8x8 blocks:
    on photographs the result is less than one level away from that of all pixels.
    """
    total = np.zeros(3)
    pixels = 0
    for path in paths:
        picture = opened(path)
        size = picture.image.width * picture.image.height
        total += _small(picture).mean(axis=(0, 1), dtype=np.float64) * size
        pixels += size
    if pixels == 0:
        raise ValueError("no pictures: there is no mean colour")
    red, green, blue = np.rint(total / pixels).astype(int).tolist()
    return red, green, blue


def _small(picture: Opened) -> NDArray[np.uint8]:
    if picture.plain_jpeg and min(picture.image.size) >= _SMALLEST_REDUCED:
        try:
            small: NDArray[np.uint8] = simplejpeg.decode_jpeg(picture.data, "RGB", min_height=1, min_width=1)
        except ValueError:
            pass  # Decoding it whole finds out whether it is damaged.
        else:
            return small
    return decode(picture).pixels
