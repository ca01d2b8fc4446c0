"""Images as a model takes them, made once for an image and put side by side for a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from falter.models.weights.devices import load_torch

__all__ = ["PixelBatch", "pad_images", "preprocess_pixels"]


def preprocess_pixels(image_processor: Any, image: Any) -> Any:
    """One image as numbers: channels, height, width."""
    return image_processor(image, return_tensors="pt")["pixel_values"][0]


class PixelBatch(NamedTuple):
    """Images filled up to one size; ``mask`` tells which pixels are real."""

    values: Any
    mask: Any


def pad_images(pixels: Sequence[Any]) -> PixelBatch:
    """A batch of images, smaller ones filled up with zeros at the right and the bottom."""
    torch = load_torch()
    channels = pixels[0].shape[0]
    height, width = (max(one.shape[axis] for one in pixels) for axis in (1, 2))
    values = pixels[0].new_zeros((len(pixels), channels, height, width))
    mask = torch.zeros((len(pixels), height, width), dtype=torch.int64)
    for row, one in enumerate(pixels):
        values[row, :, : one.shape[1], : one.shape[2]] = one
        mask[row, : one.shape[1], : one.shape[2]] = 1
    return PixelBatch(values, mask)
