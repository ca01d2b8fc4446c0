"""Draws the sheets of docs/background/world.md: scenes, every kind that can be drawn, and every attribute value.

    python docs/draw_world_sheets.py [FOLDER]

Without a folder the sheets are written to docs/images.
"""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from PIL import Image, ImageDraw, ImageFont

from falter.core.files import write_atomically
from falter.generation.scene import Box
from falter.world.compose import compose
from falter.world.drawing import DRAWABLE, Appearance, Canvas, draw, natural_size
from falter.world.world_data import PEOPLE
from falter.world.write_world import render

CELL = 112
ADULT = 96.0
LABEL = 14
NOWHERE = Box(0, 0, 1, 1)
FIELDS = (
    "mood", "pose", "action", "gesture", "opening", "contents", "light", "shape", "length", "material", "pattern",
)  # fmt: skip


class LabeledAppearance(NamedTuple):
    """One cell of a sheet."""

    label: str
    appearance: Appearance


def scenes_sheet(seed: int = 43, count: int = 12, columns: int = 4, width: int = 320, gap: int = 6) -> Image.Image:
    """Scenes side by side."""
    images = [render(compose(seed, index)) for index in range(count)]
    height = width * images[0].height // images[0].width
    rows = math.ceil(count / columns)
    sheet = Image.new("RGB", (columns * (width + gap) + gap, rows * (height + gap) + gap), "white")
    for index, image in enumerate(images):
        small = image.resize((width, height), Image.Resampling.LANCZOS)
        sheet.paste(small, (gap + index % columns * (width + gap), gap + index // columns * (height + gap)))
    return sheet


def kinds_sheet() -> Image.Image:
    """Every kind once, with its name."""
    return _labeled_sheet([LabeledAppearance(kind, Appearance(kind=kind, box=NOWHERE)) for kind in sorted(DRAWABLE)])


def attributes_sheet() -> Image.Image:
    """One cell per kind and attribute value; people share their poses, actions and gestures."""
    cells = []
    for field in FIELDS:
        for kind, drawable in sorted(DRAWABLE.items()):
            values = drawable.attributes.get(field, ())
            if kind in PEOPLE and field in ("pose", "action", "gesture"):
                values = values[PEOPLE.index(kind) :: len(PEOPLE)]
            for value in values:
                appearance = msgspec.structs.replace(Appearance(kind=kind, box=NOWHERE), **{field: value})
                cells.append(LabeledAppearance(f"{kind}: {value}", appearance))
    return _labeled_sheet(cells)


def _labeled_sheet(cells: Sequence[LabeledAppearance], columns: int = 11) -> Image.Image:
    canvas = Canvas(columns * CELL, math.ceil(len(cells) / columns) * CELL, (228, 236, 228))
    for index, cell in enumerate(cells):
        width, height = natural_size(cell.appearance)
        # Small objects are drawn larger than they are beside an adult, so that they can be recognized.
        scale = min(ADULT * (1.5 if height < 0.5 else 1.0), (CELL - 8) / width, (CELL - LABEL - 6) / height)
        w, h = width * scale, height * scale
        x, y = (index % columns) * CELL + (CELL - w) / 2, (index // columns) * CELL + (CELL - LABEL - h) / 2
        draw(canvas, msgspec.structs.replace(cell.appearance, box=Box(x, y, w, h)))
    image = canvas.finish()
    text, font = ImageDraw.Draw(image), ImageFont.load_default(11)
    for index, cell in enumerate(cells):
        middle = ((index % columns) * CELL + CELL / 2, (index // columns + 1) * CELL - 8)
        text.text(middle, cell.label, fill=(40, 44, 48), font=font, anchor="mm")
    return image


def write_sheets(folder: Path) -> None:
    """Write the three sheets."""
    stream = io.BytesIO()
    scenes_sheet().save(stream, "JPEG", quality=85)
    write_atomically(folder / "world-scenes.jpg", stream.getvalue())
    for name, sheet in (("world-things.png", kinds_sheet()), ("world-attributes.png", attributes_sheet())):
        stream = io.BytesIO()
        sheet.quantize(128).save(stream, "PNG", optimize=True)
        write_atomically(folder / name, stream.getvalue())


if __name__ == "__main__":
    write_sheets(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images")
