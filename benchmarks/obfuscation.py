"""Obfuscating pictures of 500x375: ours against decoding and encoding alone, and against Pillow, in the same run.

    python benchmarks/obfuscation.py [--pictures DIR] [--count N] [--rounds N] [--short]

Times are processor time a picture (the median over pictures of the best of several rounds), so that a busy machine
matters little; the ratio to the floor is the figure to look at. Without --pictures, photographs are made up.
"""

from __future__ import annotations

import argparse
import io
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
import simplejpeg
from _short_form import parse_options
from PIL import Image, ImageDraw, ImageFilter

from falter.generation.scene.graph import Box
from falter.suites.carets.obfuscation import OBFUSCATIONS, Obfuscation
from falter.suites.carets.obfuscation.obfuscate import obfuscate

SIZE = (500, 375)
QUALITY = 90
GOAL = 2.7
SIGMAS = (3, 6, 9)
BOXES = {
    "one box": [Box(170, 120, 140, 110)],
    "two boxes in opposite corners": [Box(20, 15, 110, 120), Box(360, 230, 120, 130)],
    "a box of nearly all": [Box(20, 15, 460, 345)],
    "two crossing boxes": [Box(20, 140, 460, 100), Box(180, 15, 140, 345)],
}


def main(given: Sequence[str] | None = None) -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--pictures", type=Path, help="a folder of JPEGs, each fitted to 500x375")
    arguments.add_argument("--count", type=int, default=10)
    arguments.add_argument("--rounds", type=int, default=9)
    options = parse_options(arguments, given, count=1, rounds=1)
    cv2.setNumThreads(1)
    source = "made up" if options.pictures is None else "photographs"
    for subsampling in ("420", "444"):
        pictures = [
            simplejpeg.encode_jpeg(pixels, QUALITY, "RGB", subsampling)
            for pixels in (photographs(options.pictures, options.count) if options.pictures else made_up(options.count))
        ]
        print(f"\n{len(pictures)} pictures ({source}), {SIZE[0]}x{SIZE[1]}, JPEG {QUALITY}, {subsampling}")
        compare(pictures, subsampling, options.rounds)


def compare(pictures: list[bytes], subsampling: str, rounds: int) -> None:
    """Print one table: every way in ms a picture, and how many times the floor that is."""
    ways: dict[str, tuple[Callable[[bytes], object], bool]] = {
        "decode + encode (floor)": (lambda data: recode(data, subsampling), False),
        "Pillow: decode + encode": (pillow_recode, False),
    }
    for name, boxes in BOXES.items():
        for sigma in SIGMAS:
            ways[f"Pillow: blur-{sigma}, {name}"] = (lambda data, b=boxes, s=sigma: pillow_blur(data, b, s), False)
        for what in OBFUSCATIONS:
            ways[f"ours: {what}, {name}"] = (lambda data, b=boxes, w=what: ours(data, b, [w]), True)
        ways[f"ours: three blurs, one decoding, {name}"] = (
            lambda data, b=boxes: ours(data, b, OBFUSCATIONS[:3]),
            False,
        )
        ways[f"ours: all five, one decoding, {name}"] = (lambda data, b=boxes: ours(data, b, OBFUSCATIONS), False)
        ways[f"ours: blur-9, exact, {name}"] = (
            lambda data, b=boxes: obfuscate(data, b, ["blur-9"], quality=QUALITY, exact=True),
            False,
        )
    spent = measure({name: call for name, (call, _) in ways.items()}, pictures, rounds)
    floor = spent["decode + encode (floor)"]
    for name, (_, has_goal) in ways.items():
        ratio = spent[name] / floor
        verdict = "" if not has_goal else f"   goal {GOAL}: {'met' if ratio <= GOAL else 'MISSED'}"
        print(f"  {name:<62} {spent[name] * 1e3:7.2f} ms {ratio:6.2f}{verdict}")


def measure(ways: dict[str, Callable[[bytes], object]], pictures: list[bytes], rounds: int) -> dict[str, float]:
    """Take turns, so that what else the machine does falls on all ways alike, but let each go through all pictures."""
    best = {name: [float("inf")] * len(pictures) for name in ways}
    for _ in range(rounds):
        for name, call in ways.items():
            for place, data in enumerate(pictures):
                start = time.process_time()
                call(data)
                best[name][place] = min(best[name][place], time.process_time() - start)
    return {name: statistics.median(times) for name, times in best.items()}


def ours(data: bytes, boxes: list[Box], which: tuple[Obfuscation, ...] | list[Obfuscation]) -> object:
    return obfuscate(data, boxes, which, quality=QUALITY)


def recode(data: bytes, subsampling: str) -> bytes:
    return bytes(simplejpeg.encode_jpeg(simplejpeg.decode_jpeg(data, "RGB"), QUALITY, "RGB", subsampling))


def pillow_recode(data: bytes) -> bytes:
    stream = io.BytesIO()
    Image.open(io.BytesIO(data)).save(stream, "JPEG", quality=QUALITY, subsampling="keep")
    return stream.getvalue()


def pillow_blur(data: bytes, boxes: list[Box], sigma: float) -> bytes:
    """Soft masking as one would write it with Pillow, whose Gaussian is three box blurs."""
    image = Image.open(io.BytesIO(data))
    image.load()
    mask = Image.new("L", image.size, 0)
    for box in boxes:
        ImageDraw.Draw(mask).rectangle((box.x, box.y, box.right - 1, box.bottom - 1), fill=255)
    blurred = image.filter(ImageFilter.GaussianBlur(sigma))
    mixed = Image.composite(image, blurred, mask.filter(ImageFilter.GaussianBlur(sigma)))
    stream = io.BytesIO()
    mixed.save(stream, "JPEG", quality=QUALITY, subsampling=0 if simplejpeg.decode_jpeg_header(data)[3] == "444" else 2)
    return stream.getvalue()


def photographs(folder: Path, count: int) -> list[np.ndarray]:
    """Pictures of a folder, scaled and cut to the size."""
    found = []
    for path in sorted(folder.glob("*.jpg"))[:count]:
        with Image.open(path) as image:
            scale = max(SIZE[0] / image.width, SIZE[1] / image.height)
            size = (max(SIZE[0], round(image.width * scale)), max(SIZE[1], round(image.height * scale)))
            found.append(np.asarray(image.convert("RGB").resize(size).crop((0, 0, *SIZE))))
    return found


def made_up(count: int) -> list[np.ndarray]:
    """Gradients and noise at several scales, about as hard to compress as photographs."""
    found = []
    for seed in range(count):
        rng = np.random.default_rng(seed)
        y, x = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
        picture = np.stack([90 + 90 * x / SIZE[0], 80 + 100 * y / SIZE[1], 200 - 80 * x / SIZE[0]], axis=2)
        for scale, strength in ((20, 400), (4, 90), (1, 30)):
            picture += strength * cv2.GaussianBlur(rng.normal(size=(SIZE[1], SIZE[0], 3)), (0, 0), scale)
        found.append(np.clip(np.rint(picture), 0, 255).astype(np.uint8))
    return found


if __name__ == "__main__":
    main()
