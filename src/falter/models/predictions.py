"""Predictions made elsewhere, read back from a file: ``file:PATH``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.errors import BadInput
from falter.files import sha256_of_file
from falter.models.context import ModelContext
from falter.models.failures import failed_reply
from falter.models.reply import Reply, Request
from falter.probes import Task

__all__ = ["PredictionsModel", "load_predictions"]

_ID_COLUMNS = ("item_id", "source_id", "question_id")
_SCORE_KINDS = ("probability", "similarity", "logprob")
_REMEDY = "a predictions file has item_id or source_id, and answer or score, in JSONL, JSON, CSV or Parquet"
MISSING = "missing from file"


class Prediction(NamedTuple):
    """One row of the file."""

    answer: str | None
    text: str | None
    score: float | None
    score_kind: Any


class PredictionsModel:
    """Replies with what a file says; items that are not in it fail, and are counted."""

    needs_image = False
    reads_context = True
    batch_size = 1024
    # The file goes by ids, so that equal questions of two suites may have different predictions.
    cacheable = False

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name
        self._by_item, self._by_source = _read(path)
        everything = (*self._by_item.values(), *self._by_source.values())
        self.abilities: frozenset[Task] = (
            frozenset(("answer", "match"))
            if any(row.answer is not None or row.text is not None for row in everything)
            else frozenset(("match",))
        )
        self._fingerprint = sha256_of_file(path)

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def survey(self, asked: Iterable[tuple[str, str | None]]) -> list[str]:
        """What to tell the user before asking: how well the file fits the items."""
        total = missing = 0
        used_items: set[str] = set()
        used_sources: set[str] = set()
        for item_id, source_id in asked:
            total += 1
            if item_id in self._by_item:
                used_items.add(item_id)
            elif source_id is not None and source_id in self._by_source:
                used_sources.add(source_id)
            else:
                missing += 1
        surplus = len(self._by_item) + len(self._by_source) - len(used_items) - len(used_sources)
        notes = []
        if missing:
            notes.append(f"{missing} of {total} items are {MISSING} {self.path.name}: they count as failed")
        if surplus:
            notes.append(f"{surplus} ids in {self.path.name} are not asked about: they are left aside")
        return notes

    def reply(self, batch: Sequence[Request]) -> Sequence[Reply]:
        return [self._reply(request) for request in batch]

    def _reply(self, request: Request) -> Reply:
        row = self._by_item.get(request.item_id)
        if row is None and request.source_id is not None:
            row = self._by_source.get(request.source_id)
        if row is None:
            return failed_reply(request.item_id, MISSING)
        if row.answer is None and row.text is None and (request.task == "answer" or row.score is None):
            return failed_reply(request.item_id, "the file has no answer for it")
        # A lone answer is what the model wrote: it is read like any other text.
        return Reply(
            item_id=request.item_id,
            text=row.text if row.text is not None else row.answer,
            answer=row.answer if row.text is not None else None,
            score=row.score,
            score_kind=row.score_kind,
        )


def load_predictions(rest: str, context: ModelContext) -> PredictionsModel:
    """Open a file of predictions."""
    del context
    path = Path(rest)
    if not path.is_file():
        raise BadInput(path, "is not a file", remedy=_REMEDY)
    return PredictionsModel(path)


def _read(path: Path) -> tuple[dict[str, Prediction], dict[str, Prediction]]:
    by_item: dict[str, Prediction] = {}
    by_source: dict[str, Prediction] = {}
    for record, row in _rows(path):
        column = next((name for name in _ID_COLUMNS if row.get(name) is not None), None)
        if column is None:
            raise BadInput(path, "has no item_id and no source_id", record=record, remedy=_REMEDY)
        target = by_item if column == "item_id" else by_source
        identity = _identity(row[column], path, record)
        prediction = _prediction(row, path, record)
        if target.setdefault(identity, prediction) != prediction:
            raise BadInput(path, f"{identity} has two different predictions", record=record, remedy="keep one of them")
    if not by_item and not by_source:
        raise BadInput(path, "holds no predictions", remedy=_REMEDY)
    return by_item, by_source


def _identity(value: Any, path: Path, record: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadInput(path, f"an id is text or a whole number, not {value!r:.50}", record=record)
    return str(value)


def _prediction(row: Mapping[str, Any], path: Path, record: str) -> Prediction:
    answer, text, score, kind = (row.get(name) for name in ("answer", "text", "score", "score_kind"))
    if isinstance(answer, int | float) and not isinstance(answer, bool):
        answer = f"{answer:g}"
    if not isinstance(answer, str | None) or not isinstance(text, str | None):
        raise BadInput(path, f"an answer is text, not {answer if text is None else text!r:.50}", record=record)
    if score is not None:
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            raise BadInput(path, f"a score is a finite number, not {score!r:.50}", record=record)
        score = float(score)
    if kind is not None and kind not in _SCORE_KINDS:
        raise BadInput(path, f"score_kind is one of {', '.join(_SCORE_KINDS)}, not {kind!r:.50}", record=record)
    if answer is None and text is None and score is None:
        raise BadInput(path, "has neither an answer nor a score", record=record, remedy=_REMEDY)
    return Prediction(answer, text, score, kind)


def _rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each row with the name it has in messages."""
    match path.suffix.lower():
        case ".jsonl" | ".ndjson":
            yield from _json_lines(path)
        case ".json":
            yield from _json_list(path)
        case ".csv" | ".tsv":
            yield from _csv(path)
        case ".parquet":
            yield from _parquet(path)
        case _:
            raise BadInput(path, "has none of the endings .jsonl, .json, .csv, .tsv, .parquet", remedy=_REMEDY)


def _json_lines(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    decoder = msgspec.json.Decoder(dict[str, Any])
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                yield f"line {number}", decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise BadInput(path, f"is not a JSON object: {error}", record=f"line {number}") from error


def _json_list(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        rows = msgspec.json.decode(path.read_bytes(), type=list[dict[str, Any]])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(path, f"is not a JSON list of objects: {error}", remedy=_REMEDY) from error
    for number, row in enumerate(rows, start=1):
        yield f"entry {number}", row


def _csv(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    import csv

    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(
                stream, dialect="excel-tab" if path.suffix.lower() == ".tsv" else "excel", strict=True
            )
            for row in reader:
                record = f"line {reader.line_num}"
                if None in row or None in row.values():
                    raise BadInput(path, "has another number of fields than the header", record=record)
                cells: dict[str, Any] = {name: value or None for name, value in row.items()}
                if cells.get("score") is not None:
                    cells["score"] = _number(row["score"], path, record)
                yield record, cells
    except (csv.Error, UnicodeDecodeError) as error:
        raise BadInput(path, f"cannot be read as CSV: {error}", remedy=_REMEDY) from error


def _number(value: str, path: Path, record: str) -> float:
    try:
        return float(value)
    except ValueError as error:
        raise BadInput(path, f"a score is a number, not {value!r:.50}", record=record) from error


def _parquet(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        file = pq.ParquetFile(path)
        wanted = [*_ID_COLUMNS, "answer", "text", "score", "score_kind"]
        columns = [name for name in wanted if name in file.schema_arrow.names]
        for batch in file.iter_batches(columns=columns):
            for row in batch.to_pylist():
                number += 1
                yield f"row {number}", row
    except (OSError, pa.ArrowException) as error:
        raise BadInput(path, f"cannot be read as Parquet: {error}", remedy=_REMEDY) from error
