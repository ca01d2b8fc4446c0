"""An example to start from: a table of questions with drawn images, its columns explained, and predictions."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from falter.core.files import atomic_folder, kind_of_names

_DRAWN = (
    ("red", "circle", 4),
    ("blue", "square", 2),
    ("green", "triangle", 3),
    ("yellow", "circle", 2),
    ("red", "square", 4),
)
"""By image the color, the shape and the number of what it shows."""

_WRONG = {"q3": "yes", "q5": "yes", "q10": "blue", "q14": "red", "q20": "three"}
"""What the predictions get wrong."""

_COLUMNS = """\
# What the columns of questions.csv are called: falter import table questions.csv --columns columns.yaml --out suite
# A column of a role's own name (image, question, answer, choices, id, test ...) needs no line here.
columns:
  question: text            # the question is in the column "text"
  # answer: label           # the gold answer; yes or no makes these two the choices
  # answers: a1, a2, a3     # or the answers of several people, in several columns or as a list
  # choices: options        # the closed set of answers: a list, or texts between bars (red|blue)
  # image: picture          # a file below this folder or --image-dir; or its bytes; or base64
  # variant: rephrased      # a changed question: the row is a pair, which has consistency
  # variant_answer: label2  # its answer, where that is another
  # set: group              # rows with the same value, one after the other, are one probe
  # caption: sentence       # or captions: with a foil beside each, or an answer (does it fit?)
  # foil: wrong_sentence
  # image_1: left           # or two images by two texts: image_1, image_2, caption_1, caption_2
facets: [kind]              # scores are broken down by these columns
name: example               # the suite's name
# test: colors              # the test of rows that name none in a column "test"
licence: CC0
"""

_README = """\
Twenty questions about five drawn images, and the predictions of a model that is sometimes wrong.

    falter import table questions.csv --columns columns.yaml --out suite
    falter run suite --model file:predictions.csv --out runs
    falter report runs --out report.html

Put your own rows into questions.csv and your images beside it; columns.yaml says what columns may hold.
"""


_FOLDER = kind_of_names(
    "an example as falter import example writes it",
    ("README.txt", "columns.yaml", "predictions.csv", "questions.csv"),
    r"images/[1-9]\d?\.png",
)


class _Row(NamedTuple):
    id: str
    image: str
    text: str
    answer: str
    kind: str


def _rows() -> Iterator[_Row]:
    number = 0
    for place, (color, shape, count) in enumerate(_DRAWN, start=1):
        other = _DRAWN[place % len(_DRAWN)]
        asked = (
            (f"Is there a {shape if place % 2 else other[1]}?", "yes" if place % 2 else "no", "presence"),
            ("What color are the shapes?", color, "color"),
            (f"Are there exactly {other[2]} shapes?", "yes" if other[2] == count else "no", "count"),
            ("How many shapes are there?", str(count), "count"),
        )
        for text, answer, kind in asked:
            number += 1
            yield _Row(f"q{number}", f"images/{place}.png", text, answer, kind)


def write_example_table(folder: Path, *, overwrite: bool = False) -> None:
    """Write the example: ``questions.csv``, ``columns.yaml``, ``predictions.csv``, ``images/`` and ``README.txt``."""
    rows = list(_rows())
    with atomic_folder(folder, overwrite=overwrite, kind=_FOLDER) as target:
        (target / "images").mkdir()
        for place, (color, shape, count) in enumerate(_DRAWN, start=1):
            _draw(target / "images" / f"{place}.png", color, shape, count)
        _write_csv(target / "questions.csv", _Row._fields, rows)
        predicted = ((row.id, _WRONG.get(row.id, row.answer)) for row in rows)
        _write_csv(target / "predictions.csv", ("id", "answer"), predicted)
        (target / "columns.yaml").write_text(_COLUMNS, encoding="utf-8")
        (target / "README.txt").write_text(_README, encoding="utf-8")


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _draw(path: Path, color: str, shape: str, count: int) -> None:
    from PIL import Image, ImageDraw

    size = 96
    image = Image.new("RGB", (size * 2, size * 2), "white")
    pen = ImageDraw.Draw(image)
    for number in range(count):
        left, top = size * (number % 2) + 18, size * (number // 2) + 18
        box = (left, top, left + 60, top + 60)
        if shape == "circle":
            pen.ellipse(box, fill=color)
        elif shape == "square":
            pen.rectangle(box, fill=color)
        else:
            pen.polygon([(left, top + 60), (left + 30, top), (left + 60, top + 60)], fill=color)
    image.save(path)
