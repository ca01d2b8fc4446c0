"""A study for Mechanical Turk or Prolific: one HTML page that needs nothing else, and a CSV file with a row per task.

On Mechanical Turk the page is an HTMLQuestion: ``${task}`` is filled from the CSV, and answers are posted to where the
assignment says. Elsewhere the page holds all tasks; ``?task=t00001&PROLIFIC_PID=...`` chooses one, and its answers are
shown for copying.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from markupsafe import Markup

from falter.errors import InputError
from falter.files import atomic_folder, kind_of_names
from falter.people.pseudonyms import pseudonym
from falter.people.store import AnswerRow
from falter.people.study import Study, StudyTask
from falter.reporting.failure_viewer import json_for_script
from falter.reporting.look import look_css, page_environment
from falter.safe import escape_invisible

__all__ = ["export_crowd", "is_crowd_row", "read_crowd_row"]

_FOLDER = kind_of_names("a page for a crowd", ("page.html", "tasks.csv"))
_HINT = "give the batch results of Mechanical Turk, or the files that the page saved"


def export_crowd(
    study: Study,
    out: Path,
    image_url: Callable[[str], str],
    *,
    embed: bool,
    overwrite: bool = False,
) -> dict[str, int]:
    """Write ``page.html`` and ``tasks.csv``; with ``embed`` the page holds all tasks, for use without a service."""
    described = {task.task_id: _describe(study, task, image_url) for task in study.tasks.values()}
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(["task_id", "task"])
    for task_id, task in described.items():
        # In base64, so that nothing of the data becomes markup where the service fills it in.
        coded = base64.b64encode(json.dumps({"id": task_id, "questions": task}).encode()).decode()
        writer.writerow([task_id, "" if embed else coded])
    script = _asset("crowd.js")
    style = look_css() + _asset("people.css")
    page = (
        page_environment("falter.people")
        .get_template("crowd.html.j2")
        .render(
            form=study.form,
            style=Markup(style),
            script=Markup(script),
            policy=_policy(style, script),
            tasks=Markup(json_for_script(described if embed else {})),
            placeholder=Markup("${task}"),
        )
    )
    with atomic_folder(out, overwrite=overwrite, kind=_FOLDER, inputs=[study.folder]) as folder:
        (folder / "page.html").write_text(page, "utf-8")
        (folder / "tasks.csv").write_text(table.getvalue(), "utf-8")
    return {"page.html": len(described) if embed else 1, "tasks.csv": len(described)}


def is_crowd_row(values: Mapping[str, Any]) -> bool:
    """Whether a row of a table is an assignment of Mechanical Turk."""
    return "Answer.answers" in values and "WorkerId" in values


def read_crowd_row(path: Path, record: str, study: Study, values: Mapping[str, Any]) -> Iterator[AnswerRow]:
    """The answers of one assignment; one that was rejected counts for nothing."""
    if str(values.get("AssignmentStatus") or "").lower() == "rejected":
        return
    try:
        found = msgspec.json.decode(str(values["Answer.answers"]), type=list[_CrowdAnswer])
    except msgspec.DecodeError as error:
        raise InputError(path, f"has answers that cannot be read: {error}", record=record, hint=_HINT) from error
    task_id = str(values.get("Input.task_id") or "mturk")
    who = pseudonym("mturk", values["WorkerId"])
    for one in found:
        question = study.questions.get(one.question)
        if question is None:
            raise InputError(path, f"answers {one.question!r:.40}, which the study does not ask", record=record)
        if one.answer not in {option.value for option in study.options(question)} and not study.takes_text(question):
            raise InputError(path, f"has the answer {one.answer!r:.60}, which is no option", record=record, hint=_HINT)
        yield AnswerRow(who, task_id, one.question, one.answer, max(one.seconds, 0.0))


class _CrowdAnswer(msgspec.Struct, frozen=True):
    question: str
    answer: str
    seconds: float = 0.0


def _describe(study: Study, task: StudyTask, image_url: Callable[[str], str]) -> list[dict[str, Any]]:
    found = []
    for name in task.questions:
        question = study.questions[name]
        found.append(
            {
                "id": name,
                "text": escape_invisible(question.text),
                "second": None if question.second is None else escape_invisible(question.second),
                "label": None if question.label is None else escape_invisible(question.label),
                "context": [[escape_invisible(turn.speaker), escape_invisible(turn.text)] for turn in question.context],
                "image": None if question.image is None else image_url(question.image),
                "free_text": study.takes_text(question),
                "options": [
                    {**msgspec.to_builtins(option), "label": escape_invisible(option.label)}
                    for option in study.options(question)
                ],
            }
        )
    return found


def _policy(style: str, script: str) -> str:
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)]
    return (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; img-src data: https:; "
        "base-uri 'none'; form-action https://www.mturk.com https://workersandbox.mturk.com"
    )


def _asset(name: str) -> str:
    return files("falter.people").joinpath("assets", name).read_text("utf-8")
