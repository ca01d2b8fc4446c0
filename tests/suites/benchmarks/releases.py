"""Small made-up releases in the authors' own layouts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.suites.benchmarks.published import json_lines

POPE = {
    "random": [("dog", "yes"), ("oven", "no"), ("apple", "yes"), ("car", "no")],
    "popular": [("dog", "yes"), ("chair", "no"), ("apple", "yes")],
    "adversarial": [("dog", "yes"), ("leash", "no"), ("apple", "yes")],
}


def pope_text(name: str) -> str:
    return f"Is there an {name} in the imange?" if name[0] in "aeiou" else f"Is there a {name} in the image?"


def pope_record(number: int, name: str, label: str) -> dict[str, Any]:
    return {"question_id": number, "image": "COCO_val2014_000000000042.jpg", "text": pope_text(name), "label": label}


def write_pope(folder: Path) -> Path:
    """POPE's three files, with the older release's slip of the pen and ends of lines."""
    for test, questions in POPE.items():
        rows = [pope_record(number, *one) for number, one in enumerate(questions, start=1)]
        json_lines(folder / f"coco_pope_{test}.json", rows, end="\r\n")
    return folder


RELEASES: dict[str, Callable[[Path], Path]] = {"pope": write_pope}
"""By importer what writes a small release."""
