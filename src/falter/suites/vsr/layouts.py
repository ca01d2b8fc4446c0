"""Predictions on VSR as its authors store them: one 0 or 1 per line, in the order of the statements.

The statements' own records with a prediction added are read as well, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from falter.errors import InputError
from falter.files import read_json, read_json_lines, read_text
from falter.models.released_files import OddRecords, ReleasedPrediction, ReleasedPredictions, SuiteRow

__all__ = ["LAYOUTS", "VsrPredictions"]

_ANSWERS = {"1": "yes", "0": "no", "true": "yes", "false": "no", "yes": "yes", "no": "no", "1.0": "yes", "0.0": "no"}
_ENDINGS = ("", ".txt", ".pred", ".preds", ".out", ".json", ".jsonl")
_PREDICTIONS = ("prediction", "pred", "predicted", "answer", "output", "response", "text")
_HINT = "give one 0 or 1 for every statement of the split that was imported, in its order"
_IDS = frozenset(("item_id", "source_id", "question_id", "id", "doc_id"))


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
            said = _read(file)
            if said is None:
                return None
            odd = OddRecords(file)
            found += _join(said, _rows_for(file, len(said), by_split), file, odd)
            notes += odd.notes()
        return ReleasedPredictions(found, tuple(files), tuple(notes))


class _Said(NamedTuple):
    """What one line or record says, and the statement that it quotes."""

    text: str
    caption: str | None = None


def _read(path: Path) -> list[_Said] | None:
    """The predictions in their order; None where the file is in another layout."""
    if path.suffix.lower() not in (".json", ".jsonl"):
        lines = [line.strip() for line in read_text(path, what="a text of one 0 or 1 per line").splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        return [_Said(line) for line in lines]
    content: Any = (
        read_json(path, Any) if path.suffix.lower() == ".json" else [one for _, one in read_json_lines(path, Any)]
    )
    if isinstance(content, list) and all(isinstance(one, int) for one in content):
        return [_Said(str(int(one))) for one in content]
    if not isinstance(content, list) or not all(isinstance(one, dict) and not _IDS & one.keys() for one in content):
        return None
    found = []
    records: list[dict[str, Any]] = content
    for one in records:
        said = next((one[name] for name in _PREDICTIONS if name in one), None)
        caption = one.get("caption")
        text = str(int(said)) if isinstance(said, bool | int) else str(said)
        found.append(_Said(text, caption if isinstance(caption, str) else None))
    return found


def _join(said: Sequence[_Said], rows: Sequence[SuiteRow], path: Path, odd: OddRecords) -> Iterator[ReleasedPrediction]:
    for number, (one, row) in enumerate(zip(said, rows, strict=True), start=1):
        if one.caption is not None and one.caption.split() != row.text.split():
            raise InputError(
                path,
                f"is about {one.caption!r:.80}, where the suite has {row.text!r:.80}",
                record=f"line {number}",
                hint=_HINT,
            )
        answer = _ANSWERS.get(one.text.strip().lower())
        if answer is None:
            odd.add("are neither 0 nor 1, and count as unparsed", f"line {number}")
        fields = {"text": one.text, "status": "unparsed"} if answer is None else {"text": one.text, "answer": answer}
        yield ReleasedPrediction(f"line {number}", row.source_id, fields)


def _rows_for(path: Path, number: int, by_split: Mapping[str, Sequence[SuiteRow]]) -> Sequence[SuiteRow]:
    """The statements of the split that a file is about: by its name, else by the number of its lines."""
    named = [split for split in by_split if split in path.name.lower()]
    fitting = named if len(named) == 1 else [split for split, rows in by_split.items() if len(rows) == number]
    if len(fitting) != 1 or len(by_split[fitting[0]]) != number:
        sizes = ", ".join(f"{len(rows):,} of {split}" for split, rows in by_split.items())
        raise InputError(
            path,
            f"has {number:,} lines, and the suite has the statements {sizes}: which line is for which cannot be told",
            hint=_HINT,
        )
    return by_split[fitting[0]]


LAYOUTS = (VsrPredictions(),)
