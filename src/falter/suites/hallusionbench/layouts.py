"""Predictions on HallusionBench as its authors store them: the question file's records with more fields.

``model_prediction`` is what the model said; ``gpt4v_output_gpt_check`` is what a judge made of it: "1" right, "0"
wrong, "2" unclear. Where there is a judge, its word counts; else the text is read as any other answer. Samples of
lmms-eval and tables of VLMEvalKit are read as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from falter.files import TableRow
from falter.models.answer_records import ANSWER_ENDINGS, read_answer_records
from falter.models.released_files import OddRecords, ReleasedPrediction, ReleasedPredictions, SuiteRow
from falter.suites.hallusionbench.release import QuestionKey, question_key

__all__ = ["LAYOUTS", "HallusionBenchPredictions"]

_TEXTS = ("model_prediction", "prediction", "model_output", "output", "response", "text")
_VERDICT = "gpt_check"
_OTHER = {"yes": "no", "no": "yes"}
_CODES = {"0": "no", "1": "yes"}
_UNCLEAR = "2"
_INDEX = re.compile(
    r"(?P<category>V[DS])_(?P<subcategory>[a-z_]+)_\d+_(?P<set_id>\d+)_(?P<figure_id>\d+)_(?P<question_id>\d+)"
)


class HallusionBenchPredictions:
    """A file of records with predictions, or a folder of such files (the authors' code writes one per category)."""

    def read_file(self, path: Path, rows: Callable[[], Sequence[SuiteRow]]) -> ReleasedPredictions | None:
        there = sorted(path.iterdir()) if path.is_dir() else [path]
        files = [one for one in there if one.is_file() and one.suffix.lower() in ANSWER_ENDINGS]
        records = {file: list(read_answer_records(file)) for file in files}
        if not any(_key(one.values) for found in records.values() for one in found):
            return None
        asked = {row.source_id: row for row in rows()}
        found: list[ReleasedPrediction] = []
        notes: list[str] = []
        for file, own in records.items():
            odd = OddRecords(file)
            found += _read(own, asked, odd)
            notes += odd.notes()
        return ReleasedPredictions(found, tuple(files), tuple(notes))


def _read(records: Sequence[TableRow], asked: Mapping[str, SuiteRow], odd: OddRecords) -> Iterator[ReleasedPrediction]:
    judged = any(_verdict(one.values) is not None for one in records)
    for record in records:
        values = record.values
        key = _key(values)
        text = next((values[name] for name in _TEXTS if isinstance(values.get(name), str)), None)
        if key is None:
            odd.add(record.problem or "have no complete id, and are ignored", record.record)
            continue
        row = asked.get(key.source_id)
        if row is not None and not _is_same_question(values, row):
            odd.add("ask something else than the suite under the same id, and are ignored", record.record)
            continue
        verdict = _verdict(values)
        if text is None and verdict is None:
            odd.add("hold no prediction, and count as missing", record.record)
            continue
        if (
            row is not None
            and str(values.get("gt_answer", "")) in _CODES
            and _CODES[str(values["gt_answer"])] != row.gold
        ):
            odd.add("have another gold answer than the suite", record.record)
        if judged and verdict is None:
            odd.add("have no word of the judge: their texts are read", record.record)
        yield ReleasedPrediction(record.record, key.source_id, _fields(text or "", verdict, row))


def _key(values: Mapping[str, Any]) -> QuestionKey | None:
    """The key of a record: of its own fields, or out of the index that VLMEvalKit gives it."""
    index = values.get("index")
    named = _INDEX.fullmatch(index) if isinstance(index, str) else None
    return question_key(values) if named is None else QuestionKey(**named.groupdict())


def _verdict(values: Mapping[str, Any]) -> str | None:
    """What the judge said: right, wrong or unclear as "1", "0" or "2"."""
    found = [str(value) for name, value in values.items() if name.endswith(_VERDICT)]
    # What the authors' evaluation makes of the verdict, where the verdict itself is not there.
    correct = values.get("correct")
    if not found and isinstance(correct, int):
        found = [str(int(correct))]
    return next((one for one in found if one in ("0", "1", _UNCLEAR)), None)


def _fields(text: str, verdict: str | None, row: SuiteRow | None) -> Mapping[str, Any]:
    if row is None or row.gold is None:
        return {"text": text}
    if verdict is not None:
        if verdict == _UNCLEAR:
            return {"text": text, "status": "unparsed"}
        return {"text": text, "answer": row.gold if verdict == "1" else _OTHER[row.gold]}
    code = text.strip()
    if code == _UNCLEAR:
        return {"text": text, "status": "unparsed"}
    return {"text": text, "answer": _CODES[code]} if code in _CODES else {"text": text}


def _is_same_question(values: Mapping[str, Any], row: SuiteRow) -> bool:
    asked = values.get("question")
    return not isinstance(asked, str) or _plain(asked).startswith(_plain(row.text))


def _plain(text: str) -> str:
    return " ".join(text.lower().rstrip(" ?.").split())


LAYOUTS = (HallusionBenchPredictions(),)
