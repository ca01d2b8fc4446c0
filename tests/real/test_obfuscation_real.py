"""On published photographs the fast blur is as good as the slow one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.ndimage import gaussian_filter

from falter.generation.scene.graph import Box
from falter.suites.carets.obfuscation import pixel_regions
from falter.suites.carets.obfuscation.blur import blur_background
from falter.suites.carets.obfuscation.decoding import decode_image, image_mean, open_image
from falter.suites.carets.obfuscation.obfuscate import obfuscate

DATA = Path(__file__).parents[2] / "../shared/data"
PICTURES = sorted(path for name in ("gqa", "coco") for path in (DATA / name / "images").glob("*.jpg"))

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not PICTURES, reason="needs the pictures of ../shared/data beside the checkout"),
]


def test_the_fast_blur_is_within_two_levels_of_floating_point() -> None:
    worst = 0.0
    for path in PICTURES[:: max(1, len(PICTURES) // 30)]:
        pixels = decode_image(open_image(path)).pixels
        height, width = pixels.shape[:2]
        boxes = [Box(20, 30, 120, 90), Box(width // 2, height // 3, width // 3, height // 3)]
        mask = np.zeros((height, width))
        for x, y, w, h in boxes:
            mask[int(y) : int(y + h), int(x) : int(x + w)] = 1
        for sigma, blurred in blur_background(pixels, pixel_regions(boxes, width, height), [3, 6, 9]):
            soft = gaussian_filter(mask, sigma, mode="mirror", truncate=5)[:, :, None]
            slow = gaussian_filter(pixels.astype(np.float32), (sigma, sigma, 0), mode="mirror", truncate=5)
            worst = max(worst, float(np.abs(blurred - (soft * pixels + (1 - soft) * slow)).max()))
    assert worst <= 2.0


def test_the_mean_colour_of_reduced_pictures_is_within_one_level() -> None:
    for path in PICTURES:
        with Image.open(path) as image:
            whole = np.asarray(image.convert("RGB")).mean(axis=(0, 1))
        assert np.abs(image_mean(open_image(path)) - whole).max() < 1, path


def test_every_picture_is_read() -> None:
    for path in PICTURES:
        assert obfuscate(path, [Box(5, 5, 50, 50)], ["crop"])["crop"][:2] == b"\xff\xd8"
