"""Answers from elsewhere into a study's database: Label Studio, Mechanical Turk, the saved page, CSV and JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from falter.errors import InputError
from falter.files import read_json, read_rows
from falter.people.crowd_page import is_crowd_row, read_crowd_row
from falter.people.known_answer import show_side
from falter.people.label_studio import is_label_studio, read_label_studio
from falter.people.store import AnswerRow, AnswerStore
from falter.people.study import Study, StudyQuestion
from falter.probes.vote_files import read_vote_file

__all__ = ["collect_file", "read_answer_file"]

_HINT = "columns: question_id (or probe_id), annotator, answer, and if known seconds and task_id"


def collect_file(study: Study, store: AnswerStore, path: Path) -> int:
    """Add the answers of a file, all or none; how many are new. Reading a file twice adds nothing."""
    return store.import_answers(read_answer_file(study, path), path.name)


def read_answer_file(study: Study, path: Path) -> list[AnswerRow]:
    """The answers of a file, whatever it comes from; nobody may answer a question twice with different answers."""
    rows = list(_read(study, path))
    if not rows:
        raise InputError(path, "has no answers", hint=_HINT)
    given: dict[tuple[str, str, str], str] = {}
    for row in rows:
        key = (row.annotator, row.task_id, row.question_id)
        if given.setdefault(key, row.answer) != row.answer:
            raise InputError(path, f"{row.annotator!r:.60} answers {row.question_id} twice, and differently")
    return rows


def _read(study: Study, path: Path) -> Iterator[AnswerRow]:
    if path.suffix.lower() == ".json":
        value: Any = read_json(path, list[dict[str, Any]], what="a list of answers", hint=_HINT)
        if is_label_studio(value):
            yield from read_label_studio(path, study, value)
            return
    first = next(iter(read_rows(path, hint=_HINT)), None)
    if first is not None and not first.problem and "probe_id" in first.values and "question_id" not in first.values:
        yield from _from_votes(study, path)
        return
    for row in read_rows(path, hint=_HINT):
        if row.problem:
            raise InputError(path, row.problem, record=row.record, hint=_HINT)
        if is_crowd_row(row.values):
            yield from read_crowd_row(path, row.record, study, row.values)
        elif is_label_studio([dict(row.values)]):
            yield from read_label_studio(path, study, [dict(row.values)])
        else:
            yield _from_columns(study, path, row.record, row.values)


def _from_votes(study: Study, path: Path) -> Iterator[AnswerRow]:
    """Votes on captions and foils, as ``falter votes`` reads them."""
    asked: dict[str, StudyQuestion] = {one.probe_id: one for one in study.judged.values() if one.second is not None}
    for vote in read_vote_file(path, asked):
        question = asked[vote.probe_id or ""]
        shown = show_side(vote.answer, question.original_first)
        yield AnswerRow(vote.annotator, "collected", question.question_id, shown, vote.seconds or 0.0)


def _from_columns(study: Study, path: Path, record: str, values: Mapping[str, Any]) -> AnswerRow:
    for name in ("question_id", "annotator", "answer"):
        if values.get(name) in (None, ""):
            raise InputError(path, f"has no {name}", record=record, hint=_HINT)
    question = study.questions.get(str(values["question_id"]))
    if question is None:
        raise InputError(
            path, f"is about {values['question_id']!r:.40}, which the study does not ask", record=record, hint=_HINT
        )
    answer = str(values["answer"]).strip()
    if answer not in {option.value for option in study.options(question)} and not study.takes_text(question):
        raise InputError(path, f"has the answer {answer!r:.60}, which is no option", record=record, hint=_HINT)
    try:
        seconds = float(values.get("seconds") or 0.0)
    except (TypeError, ValueError) as error:
        raise InputError(path, f"has {values['seconds']!r:.40} seconds", record=record, hint="give a number") from error
    task = str(values.get("task_id") or "collected")
    return AnswerRow(str(values["annotator"]), task, question.question_id, answer, max(seconds, 0.0))
