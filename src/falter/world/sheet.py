"""A contact sheet of scenes: ``python -m falter.world.sheet OUT.jpg``."""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from PIL import Image

from falter.files import write_atomically
from falter.world.compose import compose
from falter.world.render import render

__all__ = ["sheet"]


def sheet(seed: int = 43, first: int = 0, count: int = 12, columns: int = 4, width: int = 320) -> Image.Image:
    """Scenes side by side."""
    pictures = [render(compose(seed, first + place)) for place in range(count)]
    height = width * pictures[0].height // pictures[0].width
    gap = 6
    rows = -(-count // columns)
    whole = Image.new("RGB", (columns * (width + gap) + gap, rows * (height + gap) + gap), "white")
    for place, picture in enumerate(pictures):
        small = picture.resize((width, height), Image.Resampling.LANCZOS)
        whole.paste(small, (gap + place % columns * (width + gap), gap + place // columns * (height + gap)))
    return whole


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw a contact sheet of the embedded world.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=43)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--columns", type=int, default=4)
    parser.add_argument("--width", type=int, default=320)
    given = parser.parse_args()
    whole = sheet(given.seed, given.first, given.count, given.columns, given.width)
    stream = io.BytesIO()
    if given.out.suffix == ".png":
        whole.save(stream, "PNG")
    else:
        whole.save(stream, "JPEG", quality=85)
    write_atomically(given.out, stream.getvalue())


if __name__ == "__main__":
    main()
