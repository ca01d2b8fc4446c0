"""A suite as a table of VLMEvalKit: one TSV file with the images in base64, for its folder ``LMUData``."""

from __future__ import annotations

import base64
import csv
import io
from collections.abc import Sequence
from pathlib import Path

from falter.exporting.asked_items import answer_kind, asked_items, read_image
from falter.exporting.inspect_task import task_name
from falter.files import atomic_file
from falter.models import ModelOptions
from falter.models.prompts import load_prompt
from falter.probes import Suite

__all__ = ["VLMEVALKIT", "VlmEvalKit"]

_COLUMNS = ("index", "image", "question", "answer", "category", "kind", "item_id")


class VlmEvalKit:
    """Writes ``falter_SUITE.tsv``: every distinct item once; an image stands in the first row that shows it.

    VLMEvalKit asks such a table as open questions and writes a file of predictions with the same columns, which
    ``falter run SUITE --model file:PREDICTIONS.xlsx`` scores: it has ``item_id`` and ``prediction``.
    """

    def write(self, suite: Suite, folder: Path, out: Path) -> dict[str, int]:
        del out
        name = f"falter_{task_name(suite.name)}.tsv"
        first: dict[tuple[str, str | None], int] = {}
        number = 0
        with atomic_file(folder / name) as stream:
            stream.write(_line(_COLUMNS))
            for number, asked in enumerate(asked_items(suite, load_prompt(ModelOptions())), start=1):
                item, image = asked.item, ""
                if asked.image is not None:
                    known = first.setdefault((str(asked.image), item.image_sha256), number)
                    image = str(known) if known != number else _encode(asked.image, item.image_sha256)
                kind = answer_kind(item)
                stream.write(_line((number, image, asked.prompt, asked.target, item.test, kind, item.item_id)))
        return {name: number} if number else {}


def _line(cells: Sequence[object]) -> bytes:
    text = io.StringIO()
    csv.writer(text, "excel-tab", lineterminator="\n").writerow(cells)
    return text.getvalue().encode()


def _encode(path: Path, sha256: str | None) -> str:
    return base64.b64encode(read_image(path, sha256)).decode()


VLMEVALKIT = VlmEvalKit()
