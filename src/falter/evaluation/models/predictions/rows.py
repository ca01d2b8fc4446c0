"""The rows of a file of predictions, whichever harness wrote it, as flat fields that a layout can read.

Scores are numbers there. A log of Inspect (``.eval``, or JSON) is read by Inspect's own package. lmms-eval and
lm-evaluation-harness keep the question under ``doc`` and the reply under ``resps``; VLMEvalKit writes a table: in their
records the reply is ``prediction``, beside the fields of the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from falter.core.errors import InputError, UsageError
from falter.core.files import TableRow, read_records, read_rows, read_start
from falter.core.optional_packages import import_package

_INSPECT_HINT = "give the log of a task that falter export --to inspect wrote"
_LOG_START = 4096


def is_inspect_log(path: Path) -> bool:
    """Whether a file is a log of Inspect: by its ending, or as JSON by its first fields."""
    if path.suffix.lower() == ".eval":
        return True
    if path.suffix.lower() != ".json":
        return False
    return re.match(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:', read_start(path, _LOG_START)) is not None


def model_of_log(path: Path) -> str:
    """The name of the model that was asked, fit to stand in a model spec."""
    return str(re.sub(r"[#,=]+", "-", _read_log(path, header_only=True).eval.model))


def read_inspect_log(path: Path) -> Iterator[TableRow]:
    """A row a sample: its id and what the model said.

    Of several epochs the first counts; samples with an error have no row, and are counted as missing.
    """
    log = _read_log(path, header_only=False)
    for number, sample in enumerate(log.samples or (), start=1):
        if sample.epoch != 1 or sample.error is not None or not sample.output.choices:
            continue
        values = {
            "item_id": str(sample.id),
            "text": sample.output.completion,
            "finish_reason": "length" if sample.output.stop_reason == "max_tokens" else "stop",
        }
        yield TableRow(f"sample {number}", values)


def _read_log(path: Path, *, header_only: bool) -> Any:
    library = import_package("inspect_ai.log", "reading a log of Inspect")
    try:
        return library.read_eval_log(str(path), header_only=header_only)
    except Exception as error:
        problem = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise InputError(path, f"cannot be read as a log of Inspect: {problem}", hint=_INSPECT_HINT) from error


REMEDY = "a predictions file has item_id or source_id, and answer or score, in JSONL, JSON, CSV, Parquet or Excel"

ROLES = ("item_id", "source_id", "answer", "text", "score", "score_kind")
"""What the columns of a file may be named for, where they are called otherwise."""

PredictionRow = TableRow

ITEM_ID = "item_id"
PUBLISHED_IDS = ("source_id", "question_id", "questionId", "ident", "id", "index")
"""Columns of published ids, the first that a row has counts."""
REPLIES = ("text", "reply", "response", "prediction", "output")
"""Columns of what a model replied, word for word; ``answer`` may be a reply, what was parsed of one, or the gold."""

_ID_COLUMNS = (ITEM_ID, *PUBLISHED_IDS, "doc_id", "doc")
_REPLY_COLUMNS = ("answer", *REPLIES, "score", "proba", "resps", "filtered_resps")
_REPLY_ROLES = ("answer", "text", "score")


def read_predictions(path: Path, columns: Mapping[str, str] | None = None) -> Iterator[PredictionRow]:
    """The rows of a file, by its ending; ``columns`` has by role the columns that are called otherwise."""
    if is_inspect_log(path):
        if columns:
            raise UsageError(
                f"{path} is a log of Inspect, which has no columns to name; leave {', '.join(columns)} out"
            )
        yield from read_inspect_log(path)
        return
    if columns:
        yield from _with_roles(path, columns)
        return
    is_text = path.suffix.lower() in (".csv", ".tsv")
    for row in read_rows(path, REMEDY):
        if row.problem:
            raise InputError(path, row.problem, record=row.record)
        yield _with_numbers(row, path) if is_text else row


def _with_roles(path: Path, columns: Mapping[str, str]) -> Iterator[PredictionRow]:
    """The rows with each named column under its role, and without the columns that could be taken instead of it.

    Where a column of ids is named, no other id counts; where one of what the model said is named, nothing else does.
    """
    replaced = {role for role in ROLES if role in columns}
    replaced |= set(_ID_COLUMNS) if {"item_id", "source_id"} & columns.keys() else set()
    replaced |= set(_REPLY_COLUMNS) if columns.keys() & _REPLY_ROLES else set()
    is_text = path.suffix.lower() in (".csv", ".tsv")
    for number, row in enumerate(read_rows(path, REMEDY)):
        if row.problem:
            raise InputError(path, row.problem, record=row.record)
        missing = [name for name in columns.values() if name not in row.values]
        if number == 0 and missing:
            there = ", ".join(map(str, row.values))
            raise InputError(path, f"has no column {missing[0]!r:.60}", hint=f"its columns are {there:.300}")
        kept = {name: value for name, value in row.values.items() if name not in replaced}
        named = {role: row.values[name] for role, name in columns.items() if name in row.values}
        named_row = PredictionRow(row.record, {**kept, **named})
        yield _with_numbers(named_row, path) if is_text else named_row


def _with_numbers(row: PredictionRow, path: Path) -> PredictionRow:
    """A row of CSV, where every value is a text."""
    cells = dict(row.values)
    for name in ("score", "proba"):
        if cells.get(name) is not None:
            cells[name] = _number(cells[name], path, row.record)
    # An empty cell is an empty reply, where the row has nothing else.
    said = ("answer", *REPLIES)
    if all(cells.get(name) is None for name in (*said, "score", "proba")):
        cells |= {name: "" for name in said if name in cells}
    return PredictionRow(row.record, cells)


def _number(value: str, path: Path, record: str) -> float:
    try:
        return float(value)
    except ValueError as error:
        raise InputError(path, f"a score is a number, not {value!r:.50}", record=record) from error


ANSWER_ENDINGS = (".json", ".jsonl", ".ndjson", ".txt", ".csv", ".tsv", ".parquet", ".xlsx")
_TABLES = (".csv", ".tsv", ".parquet", ".xlsx")


def read_answer_records(path: Path, hint: str = "") -> Iterator[TableRow]:
    """The records of a file, by its ending or as JSON; a broken line is a record with a problem."""
    tabular = path.suffix.lower() in _TABLES
    for row in read_rows(path, hint) if tabular else read_records(path, hint, skip_broken=True):
        if tabular:
            # A cell that holds nothing is an empty reply, and no missing one.
            yield row._replace(values={key: "" if value is None else value for key, value in row.values.items()})
        else:
            yield row._replace(values=_flatten(row.values)) if is_sample(row.values) else row


def is_sample(values: Mapping[str, Any]) -> bool:
    """Whether a record is a sample of lmms-eval or lm-evaluation-harness."""
    return values.get("doc_id") is not None and ("resps" in values or "filtered_resps" in values)


def sample_reply(values: Mapping[str, Any]) -> Any:
    """What a sample holds as the reply: a text, or log-likelihoods of choices."""
    given = values.get("filtered_resps")
    return values.get("resps") if given is None or given == [] else given


def first_text(value: Any) -> Any:
    """The innermost of nested lists, which is the text of a generated reply."""
    while isinstance(value, list | tuple) and len(value) >= 1 and not isinstance(value[0], int | float):
        if len(value) > 1 and isinstance(value[0], list | tuple):
            return None
        value = value[0]
    return value


def _flatten(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of the question with the reply; where the question is not kept, what the task's own scores repeat."""
    said = first_text(sample_reply(values))
    if not isinstance(said, str):
        return values
    doc = values.get("doc")
    found: dict[str, Any] = {"doc_id": values["doc_id"]}
    if isinstance(values.get("target"), str):
        found["answer"] = values["target"]
    asked = first_text(values.get("input"))
    if isinstance(asked, str):
        found["question"] = asked
    for one in values.values():
        if isinstance(one, dict) and one is not doc and "question_id" in one:
            found |= one
    return {**found, **(doc if isinstance(doc, dict) else {}), "prediction": said}
