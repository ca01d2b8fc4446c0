"""Image features in a few hundred numbers: colours in a grid and directions of edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["SMALL", "image_features"]

SMALL = (64, 48)
_GRID = (4, 3)
_LEVELS = 4
_DIRECTIONS = 6


def image_features(image: Image) -> NDArray[np.float32]:
    """Histograms of colour over the image and of edge directions in each cell, and each cell's mean colour."""
    small = image.resize(SMALL, resample=4)
    pixels = np.asarray(small, dtype=np.float32) / 255.0
    return np.concatenate([_colours(pixels), _means(pixels), _edges(pixels)]).astype(np.float32)


def _colours(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    levels = np.minimum((pixels * _LEVELS).astype(np.int64), _LEVELS - 1)
    bins = (levels[..., 0] * _LEVELS + levels[..., 1]) * _LEVELS + levels[..., 2]
    counts = np.bincount(bins.ravel(), minlength=_LEVELS**3)
    share: NDArray[np.float32] = np.sqrt(counts / counts.sum()).astype(np.float32)
    return share


def _cells(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Sum values (height, width, kinds) over the cells of the grid."""
    columns, rows = _GRID
    height, width, kinds = values.shape
    cells = values.reshape(rows, height // rows, columns, width // columns, kinds)
    summed: NDArray[np.float32] = cells.mean(axis=(1, 3))
    return summed.ravel()


def _means(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    return _cells(pixels)


def _edges(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    grey = pixels.mean(axis=2)
    down, across = np.gradient(grey)
    strength = np.hypot(down, across)
    direction = (np.arctan2(down, across) % np.pi) / np.pi * _DIRECTIONS
    bins = np.minimum(direction.astype(np.int64), _DIRECTIONS - 1)
    spread = np.zeros((*grey.shape, _DIRECTIONS), dtype=np.float32)
    np.put_along_axis(spread, bins[..., None], strength[..., None], axis=2)
    cells = _cells(spread)
    return np.sqrt(cells).astype(np.float32)
