"""Pictures of everything that can be drawn, with names: for the documentation and for looking it over.

Run ``python -m falter.world.drawing.contact_sheet OUT.png`` (things), or add ``poses`` as a second word.
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

from falter.files import write_atomically
from falter.scene import Box
from falter.world.drawing import DRAWABLE, Canvas, Look, draw, natural_size

__all__ = ["contact_sheet", "poses_sheet"]

CELL = 112
ADULT = 96.0
LABEL = 14
NOWHERE = Box(0, 0, 1, 1)


class Picture(NamedTuple):
    """One cell of a sheet."""

    label: str
    look: Look


def _sheet(pictures: Sequence[Picture], columns: int) -> Image.Image:
    rows = math.ceil(len(pictures) / columns)
    canvas = Canvas(columns * CELL, rows * CELL, (228, 236, 228))
    for i, picture in enumerate(pictures):
        width, height = natural_size(picture.look)
        # Small things are shown larger than beside an adult, so that the sheet shows what they are.
        scale = min(ADULT * (1.5 if height < 0.5 else 1.0), (CELL - 8) / width, (CELL - LABEL - 6) / height)
        w, h = width * scale, height * scale
        x, y = (i % columns) * CELL + (CELL - w) / 2, (i // columns) * CELL + (CELL - LABEL - h) / 2
        draw(canvas, msgspec.structs.replace(picture.look, box=Box(x, y, w, h)))
    image = canvas.finish()
    text, font = ImageDraw.Draw(image), ImageFont.load_default(11)
    for i, picture in enumerate(pictures):
        middle = ((i % columns) * CELL + CELL / 2, (i // columns + 1) * CELL - 8)
        text.text(middle, picture.label, fill=(40, 44, 48), font=font, anchor="mm")
    return image


def contact_sheet(columns: int = 11) -> Image.Image:
    """Draw every kind once, with its name."""
    return _sheet([Picture(kind, Look(kind=kind, box=NOWHERE)) for kind in sorted(DRAWABLE)], columns)


def poses_sheet(columns: int = 11) -> Image.Image:
    """Draw what attributes do: each kind's poses, actions, gestures, openings and the like, one value a picture."""
    pictures = []
    fields = (
        "mood",
        "pose",
        "action",
        "gesture",
        "opening",
        "contents",
        "light",
        "shape",
        "length",
        "material",
        "pattern",
    )
    people = ("man", "woman", "boy", "girl")
    for field in fields:
        for kind, kindred in DRAWABLE.items():
            values = kindred.honours.get(field, ())
            if kind in people and field in ("pose", "action", "gesture"):
                turn = people.index(kind)
                values = values[turn::4]
            for value in values:
                look = msgspec.structs.replace(Look(kind=kind, box=NOWHERE), **{field: value})
                pictures.append(Picture(f"{kind}: {value}", look))
    return _sheet(pictures, columns)


def _main(arguments: Sequence[str]) -> None:
    image = poses_sheet() if "poses" in arguments[1:] else contact_sheet()
    buffer = io.BytesIO()
    image.quantize(128).save(buffer, "PNG", optimize=True)
    write_atomically(Path(arguments[0]), buffer.getvalue())


if __name__ == "__main__":
    _main(sys.argv[1:])
