"""Captions from which foils are made in tests: a few shapes over a few nouns, so that both numbers are usual."""

from __future__ import annotations

import csv
from pathlib import Path

__all__ = ["HOSTILE", "SHAPES", "write_captions"]

_NOUNS = (("dog", "dogs"), ("horse", "horses"), ("man", "men"), ("woman", "women"), ("bird", "birds"))
_PLACES = ("in the grass", "near the fence", "next to a tree", "under a tree", "on the beach", "behind a fence")
SHAPES = tuple(
    f"{shape} {verb} {place}."
    for singular, plural in _NOUNS
    for place in _PLACES
    for shape, verb in (
        (f"A {singular}", "is standing"),
        (f"Two {plural}", "are standing"),
        (f"A brown {singular}", "sitting"),
        (f"Some {plural}", "sitting"),
    )
)
HOSTILE = (
    "🐕🐕🐕",
    "A \"dog\" said: 'sit' 🐕 near a man.",
    "A dog sits. A cat sleeps. Nobody is there!",
    "a dog without a stop",
    "A DOG IS STANDING IN THE GRASS",
    " ".join(["A dog and a cat"] * 250),
    "Running quickly.",
    "...",
    "a",
    "A dog\nis on\ttwo lines.",
    "Un chien est assis dans l'herbe; 犬が草の上に座っている。",
    "<b>A dog</b> & 100% [men] {x} \\n %s",
)


def write_captions(folder: Path, *more: str) -> str:
    """A table with an image for each caption, as a source."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "captions.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        table.writerow(("image", "caption"))
        table.writerows((str(number), text) for number, text in enumerate((*SHAPES, *more)))
    return f"captions:{file}"
