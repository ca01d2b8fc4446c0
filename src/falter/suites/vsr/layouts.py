"""Predictions on VSR as its authors store them: one 0 or 1 per line, in the order of the statements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from falter.errors import InputError
from falter.files import read_text
from falter.models.released_files import OddRecords, ReleasedPrediction, ReleasedPredictions, SuiteRow

__all__ = ["LAYOUTS", "VsrPredictions"]

_ANSWERS = {"1": "yes", "0": "no", "true": "yes", "false": "no", "yes": "yes", "no": "no", "1.0": "yes", "0.0": "no"}
_ENDINGS = ("", ".txt", ".pred", ".preds", ".out")


class VsrPredictions:
    """A text file of one split; or a folder of two, named for the splits."""

    def read_file(self, path: Path, rows: Callable[[], Sequence[SuiteRow]]) -> ReleasedPredictions | None:
        there = sorted(path.iterdir()) if path.is_dir() else [path]
        files = [one for one in there if one.is_file() and one.suffix.lower() in _ENDINGS]
        if not files:
            return None
        by_split: dict[str, list[SuiteRow]] = {}
        for row in rows():
            by_split.setdefault(row.test, []).append(row)
        found: list[ReleasedPrediction] = []
        notes: list[str] = []
        for file in files:
            odd = OddRecords(file)
            found += _read(file, by_split, odd)
            notes += odd.notes()
        return ReleasedPredictions(found, tuple(files), tuple(notes))


def _read(path: Path, by_split: Mapping[str, Sequence[SuiteRow]], odd: OddRecords) -> list[ReleasedPrediction]:
    lines = [line.strip() for line in read_text(path, what="a text of one 0 or 1 per line").splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    rows = _rows_for(path, len(lines), by_split)
    found = []
    for number, (line, row) in enumerate(zip(lines, rows, strict=True), start=1):
        answer = _ANSWERS.get(line.lower())
        if answer is None:
            odd.add("are neither 0 nor 1, and count as unparsed", f"line {number}")
        fields = {"text": line, "status": "unparsed"} if answer is None else {"text": line, "answer": answer}
        found.append(ReleasedPrediction(f"line {number}", row.source_id, fields))
    return found


def _rows_for(path: Path, number: int, by_split: Mapping[str, Sequence[SuiteRow]]) -> Sequence[SuiteRow]:
    """The statements of the split that a file is about: by its name, else by the number of its lines."""
    named = [split for split in by_split if split in path.name.lower()]
    fitting = named if len(named) == 1 else [split for split, rows in by_split.items() if len(rows) == number]
    if len(fitting) != 1 or len(by_split[fitting[0]]) != number:
        sizes = ", ".join(f"{len(rows):,} of {split}" for split, rows in by_split.items())
        raise InputError(
            path,
            f"has {number:,} lines, and the suite has the statements {sizes}: which line is for which cannot be told",
            hint="give one 0 or 1 for every statement of the split that was imported, in its order",
        )
    return by_split[fitting[0]]


LAYOUTS = (VsrPredictions(),)
