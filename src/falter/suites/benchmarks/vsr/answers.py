"""Predictions on VSR as its authors store them: one 0 or 1 per line, in the order of the statements.

Records with a prediction are read as well: by the statement that they quote, else in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from falter.core.errors import InputError
from falter.core.files import TableRow, read_json, read_text
from falter.core.tables import format_count
from falter.data.model_loading import OddRecords, ReleasedPrediction, ReleasedPredictions, SuiteRow
from falter.evaluation.models.predictions.rows import ANSWER_ENDINGS, read_answer_records

_ANSWERS = {"1": "yes", "0": "no", "true": "yes", "false": "no", "yes": "yes", "no": "no", "1.0": "yes", "0.0": "no"}
_LINES = ("", ".txt", ".pred", ".preds", ".out")
_PREDICTIONS = ("prediction", "pred", "predicted", "response", "output", "text", "answer")
_QUOTES = ("caption", "statement", "question", "prompt", "query")
_PROBABILITY = re.compile(r"0?\.\d+|1\.0+|\d(?:\.\d+)?e-\d+")
_HINT = "give one 0 or 1 for every statement of the split that was imported, in its order"


class VsrPredictions:
    """A file of one split, as lines or as records; or a folder of two, named for the splits."""

    def read_file(self, path: Path, rows: Callable[[], Sequence[SuiteRow]]) -> ReleasedPredictions | None:
        there = sorted(path.iterdir()) if path.is_dir() else [path]
        files = [one for one in there if one.is_file() and one.suffix.lower() in (*_LINES, *ANSWER_ENDINGS)]
        if not files:
            return None
        by_split: dict[str, list[SuiteRow]] = {}
        for row in rows():
            by_split.setdefault(row.test, []).append(row)
        found: list[ReleasedPrediction] = []
        notes: list[str] = []
        for file in files:
            odd = OddRecords(file)
            said = _read(file, odd)
            if said is None:
                return None
            found += _Joiner(file, by_split, odd).join(said)
            notes += odd.notes()
        return ReleasedPredictions(found, tuple(files), tuple(notes))


class _Said(NamedTuple):
    """What one line or record says, the statements that it may quote, and its image."""

    record: str
    text: str
    quotes: tuple[str, ...] = ()
    image: str = ""


def _read(path: Path, odd: OddRecords) -> list[_Said] | None:
    """The predictions in their order; None where the file is in another layout."""
    if path.suffix.lower() in _LINES:
        lines = [line.strip() for line in read_text(path, what="a text of one 0 or 1 per line").splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        return [_Said(f"line {number}", line) for number, line in enumerate(lines, start=1)]
    if path.suffix.lower() == ".json":
        content = read_json(path, Any)
        if isinstance(content, list) and all(isinstance(one, int | str) for one in content):
            return [_Said(f"entry {number}", _as_text(one)) for number, one in enumerate(content, start=1)]
    found: list[_Said] = []
    for record in read_answer_records(path):
        if {"item_id", "source_id"} & record.values.keys():
            return None
        said = next((record.values[name] for name in _PREDICTIONS if name in record.values), None)
        if record.problem or said is None:
            odd.add(record.problem or "hold no prediction, and count as missing", record.record)
        else:
            found.append(_Said(record.record, _as_text(said), _quotes(record), _image(record.values)))
    return found or None


def _as_text(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool | int) else str(value)


def _quotes(record: TableRow) -> tuple[str, ...]:
    """The texts of a record that may be a statement: a caption, or a line or sentence of a prompt."""
    texts = [record.values[name] for name in _QUOTES if isinstance(record.values.get(name), str)]
    parts = [
        part for text in texts for line in text.splitlines() for part in (line, *line.replace('"', "\n").split("\n"))
    ]
    parts += [f"{part.partition('.')[0]}." for part in parts if "." in part]
    return tuple(dict.fromkeys(_plain(part) for part in (*texts, *parts)))


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _image(values: Mapping[str, Any]) -> str:
    name = values.get("image")
    return Path(name).name if isinstance(name, str) else ""


class _Joiner:
    """Finds the statement that each record is about."""

    def __init__(self, path: Path, by_split: Mapping[str, Sequence[SuiteRow]], odd: OddRecords) -> None:
        self._path, self._by_split, self._odd = path, by_split, odd

    def join(self, said: Sequence[_Said]) -> Iterator[ReleasedPrediction]:
        for one, row in self._pairs(said):
            yield ReleasedPrediction(one.record, row.source_id, self._fields(one))

    def _fields(self, one: _Said) -> Mapping[str, Any]:
        said = one.text.strip().lower()
        if said in _ANSWERS:
            return {"text": one.text, "answer": _ANSWERS[said]}
        if _PROBABILITY.fullmatch(said):
            return {"score": float(said), "score_kind": "probability"}
        if not any(letter.isalpha() for letter in said):
            self._odd.add("are neither 0 nor 1, and count as unparsed", one.record)
            return {"text": one.text, "status": "unparsed"}
        self._odd.add("are neither 0 nor 1, and are read as any other reply", one.record)
        return {"text": one.text}

    def _pairs(self, said: Sequence[_Said]) -> Iterable[tuple[_Said, SuiteRow]]:
        split = self._split_of(said)
        rows = self._by_split[split] if split else [row for rows in self._by_split.values() for row in rows]
        if split and len(said) == len(rows) and all(_fits(one, row) for one, row in zip(said, rows, strict=True)):
            return zip(said, rows, strict=True)
        if any(one.quotes for one in said):
            return self._by_statement(said, rows)
        sizes = ", ".join(f"{len(rows):,} of {split}" for split, rows in self._by_split.items())
        raise InputError(
            self._path,
            f"has {format_count(len(said), 'lines')}, and the suite has the statements {sizes}: which line is for "
            "which cannot be "
            "told",
            hint=_HINT,
        )

    def _split_of(self, said: Sequence[_Said]) -> str | None:
        """The split that a file is about: by its name, else by the number of its lines, else by what it quotes."""
        named = [split for split in self._by_split if split in self._path.name.lower()]
        if len(named) == 1:
            return named[0]
        fitting = [split for split, rows in self._by_split.items() if len(rows) == len(said)]
        if len(fitting) == 1:
            return fitting[0]
        known = {split: {_plain(row.text) for row in rows} for split, rows in self._by_split.items()}
        quoted = {split: sum(bool(own & set(one.quotes)) for one in said) for split, own in known.items()}
        return max(quoted, key=quoted.__getitem__) if any(quoted.values()) else None

    def _by_statement(self, said: Sequence[_Said], rows: Sequence[SuiteRow]) -> Iterator[tuple[_Said, SuiteRow]]:
        known: dict[tuple[str, str], SuiteRow] = {}
        alone: dict[str, list[SuiteRow]] = {}
        for row in rows:
            text, image = _plain(row.text), "" if row.image_id is None else Path(row.image_id).name
            known[text, image] = row
            alone.setdefault(text, []).append(row)
        if not any(quote in alone for one in said for quote in one.quotes):
            raise InputError(
                self._path, f"is about {said[0].quotes[:1]!r:.90}, and no statement of the suite", hint=_HINT
            )
        for one in said:
            exact = next((known[quote, one.image] for quote in one.quotes if (quote, one.image) in known), None)
            candidates = next((alone[quote] for quote in one.quotes if quote in alone), [])
            if exact is not None:
                yield one, exact
            elif one.image or not candidates:
                self._odd.add("are about no statement of the suite, and are ignored", one.record)
            elif len(candidates) > 1:
                self._odd.add("quote a statement on several images, and are ignored", one.record)
            else:
                yield one, candidates[0]


def _fits(one: _Said, row: SuiteRow) -> bool:
    return not one.quotes or _plain(row.text) in one.quotes


LAYOUTS = (VsrPredictions(),)
