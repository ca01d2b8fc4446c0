"""Answers to SugarCrepe as its authors release them: one JSON file per split in a folder per order of the captions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from falter.core.errors import InputError
from falter.core.files import TableRow, read_records
from falter.data.model_loading import OddRecords, ReleasedPrediction, ReleasedPredictions, SuiteRow
from falter.suites.benchmarks.sugarcrepe.release import ORDERS, SPLITS, clean

_IDS = ("id", "key", "index")
_MARKED = re.compile(r"\(\s*([12])\s*\)")
_BARE = re.compile(r"(?<![\d.])([12])(?![\d.]\d|\d)")


def named_number(text: str) -> str | None:
    """The one number that an answer names, in brackets if any number is; None where it names none, or both.

    >>> named_number("Output (1)"), named_number("2"), named_number("neither (1) nor (2)"), named_number("both")
    ('(1)', '(2)', None, None)
    """
    named = set(_MARKED.findall(text)) or set(_BARE.findall(text))
    return f"({named.pop()})" if len(named) == 1 else None


class SugarCrepeAnswers:
    """Folders ``positive-first`` and ``negative-first`` with a file per split; or one of them, or one file.

    Where a suite has both orders, answers in one of them complete no pair; this is told.
    """

    def read_file(self, path: Path, rows: Callable[[], Sequence[SuiteRow]]) -> ReleasedPredictions | None:
        files = _files(path)
        if not files:
            return None
        asked = {row.source_id: row for row in rows()}
        if not any(one.endswith(ORDERS) for one in asked):
            raise InputError(
                path,
                "has answers to numbered captions, and the suite matches each text by itself",
                hint="import SugarCrepe with --item-format choice",
            )
        found: list[ReleasedPrediction] = []
        notes: list[str] = []
        answered: set[str] = set()
        for file, split in files.items():
            odd = OddRecords(file)
            records = list(read_records(file, skip_broken=True))
            order = _order(file, records)
            answered.add(order)
            found += _read(file, split, order, records, asked, odd)
            notes += odd.notes()
        if len(answered) == 1 and all(any(one.endswith(order) for one in asked) for order in ORDERS):
            order = answered.pop()
            notes.append(
                f"answers are there for {order} alone, and the suite has both orders, so that no pair is complete: "
                f"import SugarCrepe with --item-format choice --order {order} to score them"
            )
        return ReleasedPredictions(found, tuple(files), tuple(notes))


def _files(path: Path) -> dict[Path, str]:
    """The files that are named for a split, and their splits."""
    there = sorted(path.rglob("*.json*")) if path.is_dir() else [path]
    named = {one: next((split for split in SPLITS if split in one.stem.replace("-", "_")), "") for one in there}
    found = {one: split for one, split in named.items() if split and _is_answers(one)}
    apart = {one: split for one, split in found.items() if _order_by_name(one)}
    return apart if path.is_dir() and apart else found


def _is_answers(path: Path) -> bool:
    if path.suffix.lower() not in (".json", ".jsonl") or not path.is_file():
        return False
    first = next(iter(read_records(path, skip_broken=True)), None)
    return first is not None and "answer" in first.values and not {"item_id", "source_id"} & first.values.keys()


def _order_by_name(path: Path) -> str | None:
    names = (path.stem, path.parent.name)
    return next((order for name in names for order in ORDERS if order in name.replace("_", "-")), None)


def _order(path: Path, records: Sequence[TableRow]) -> str:
    """The order of the captions: by the name of the file or its folder, else by what the numbers stand for."""
    named = _order_by_name(path)
    if named is not None:
        return named
    meant = {order for one in records if (order := _order_of(one.values)) is not None}
    if len(meant) != 1:
        raise InputError(
            path, "does not say which caption came first", hint="put it into a folder positive-first or negative-first"
        )
    return meant.pop()


def _order_of(values: Mapping[str, Any]) -> str | None:
    """The order that a record with a number and the caption that it stands for tells of."""
    answer = values.get("answer")
    chosen = answer.get("multiple_choice_answer") if isinstance(answer, dict) else None
    number = named_number(_answer(values) or "")
    if not isinstance(chosen, str) or number is None:
        return None
    for name, order in (("caption", 0), ("negative_caption", 1)):
        if isinstance(values.get(name), str) and clean(values[name]) == clean(chosen):
            return ORDERS[order if number == "(1)" else 1 - order]
    return None


def _answer(values: Mapping[str, Any]) -> str | None:
    answer = values.get("answer")
    said = answer.get("free_form_answer") if isinstance(answer, dict) else answer
    return said if isinstance(said, str) else None


def _read(
    path: Path, split: str, order: str, records: Sequence[TableRow], asked: Mapping[str, SuiteRow], odd: OddRecords
) -> Iterator[ReleasedPrediction]:
    for record in records:
        values, where = record.values, f"{split} {record.record}"
        # The key names the item; a list has it in a field, or goes by its order.
        key = str(next((values[name] for name in _IDS if name in values), _position(record.record)))
        source_id = f"{split}:{key}:{order}"
        text = _answer(values)
        if record.problem or text is None:
            odd.add(record.problem or "hold no answer, and count as missing", where)
            continue
        row = asked.get(source_id)
        if row is None:
            # The join names and counts ids that the suite does not have.
            yield ReleasedPrediction(record.record, source_id, {"text": text})
            continue
        if not _same_captions(values, row):
            odd.add("have other captions than the suite, and are ignored", where)
            continue
        if _order_of(values) not in (None, order):
            odd.add(f"number the captions otherwise than {order}; their numbers count", where)
        number = named_number(text)
        fields = {"text": text, "status": "unparsed"} if number is None else {"text": text, "answer": number}
        correct = values.get("correct")
        if isinstance(correct, bool) and correct != (number == row.gold):
            odd.add("say in correct otherwise than their number does, which counts", where)
        yield ReleasedPrediction(f"{path.name}, {record.record}", source_id, fields)


def _position(record: str) -> str:
    """The key of a record, or its position from 0 in a list."""
    name, _, number = record.partition(" ")
    return str(int(number) - 1) if name in ("entry", "line") and number else record


def _same_captions(values: Mapping[str, Any], row: SuiteRow) -> bool:
    """Whether a record quotes the captions that the suite asks about, or none."""
    quoted = [clean(values[name]) for name in ("caption", "negative_caption") if isinstance(values.get(name), str)]
    return all(one.removesuffix(".") in row.text for one in quoted)


LAYOUTS = (SugarCrepeAnswers(),)
