"""The records of a file of answers, whichever harness wrote it, as flat fields that a layout can read.

lmms-eval and lm-evaluation-harness keep the question under ``doc`` and the reply under ``resps``; VLMEvalKit writes a
table. In the records that come out of here the reply is ``prediction``, beside the fields of the question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from falter.files import TableRow, read_records, read_rows

__all__ = ["ANSWER_ENDINGS", "first_text", "is_sample", "read_answer_records", "sample_reply"]

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
