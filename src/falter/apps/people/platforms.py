"""A study on other platforms: a page for Mechanical Turk or Prolific, a project for Label Studio, and their answers.

The page needs nothing else, and a CSV file has a row per task. On Mechanical Turk the page is an HTMLQuestion:
``${task}`` is filled from the CSV, and answers are posted to where the assignment says. Elsewhere the page holds all
tasks; ``?task=t00001&PROLIFIC_PID=...`` chooses one, and its answers are shown for copying.

The forms of Label Studio are those of its documentation: https://labelstud.io/guide/tasks (tasks to import),
https://labelstud.io/guide/task_format (``JSON`` exports) and https://labelstud.io/guide/export (``JSON_MIN``, ``CSV``).
Answers are collected from all of these, the saved page, CSV and JSON lines; accounts are not kept.
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
from xml.sax.saxutils import quoteattr

import msgspec
from markupsafe import Markup

from falter.apps.people.store import AnswerRow, AnswerStore
from falter.apps.people.study import Study, StudyQuestion, StudyTask, show_side
from falter.core.errors import InputError
from falter.core.files import atomic_folder, kind_of_names, read_json, read_rows
from falter.core.untrusted_text import escape_invisible
from falter.data.votes import read_vote_file
from falter.evaluation.reporting.failure_viewer import json_for_script
from falter.evaluation.reporting.page import look_css, page_environment


def pseudonym(source: str, account: Any) -> str:
    """The same name for the same account; short numbers stay, others become part of a hash.

    >>> pseudonym("ls", 3), pseudonym("mturk", "A1B2C3")
    ('ls-3', 'mturk-3c706394dd')
    """
    text = str(account)
    if text.isdigit() and len(text) <= 6:
        return f"{source}-{text}"
    return f"{source}-{hashlib.sha256(f'{source} {text}'.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"


_CROWD_FOLDER = kind_of_names("a page for a crowd", ("page.html", "tasks.csv"))
_CROWD_HINT = "give the batch results of Mechanical Turk, or the files that the page saved"


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
        page_environment("falter.apps.people")
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
    with atomic_folder(out, overwrite=overwrite, kind=_CROWD_FOLDER, inputs=[study.folder]) as folder:
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
        raise InputError(path, f"has answers that cannot be read: {error}", record=record, hint=_CROWD_HINT) from error
    task_id = str(values.get("Input.task_id") or "mturk")
    who = pseudonym("mturk", values["WorkerId"])
    for one in found:
        question = study.questions.get(one.question)
        if question is None:
            raise InputError(path, f"answers {one.question!r:.40}, which the study does not ask", record=record)
        if one.answer not in {option.value for option in study.options(question)} and not study.takes_text(question):
            raise InputError(
                path, f"has the answer {one.answer!r:.60}, which is no option", record=record, hint=_CROWD_HINT
            )
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
    return files("falter.apps.people").joinpath("assets", name).read_text("utf-8")


TASK_ID = "label-studio"
_LABEL_STUDIO_FOLDER = kind_of_names("an export for Label Studio", ("config.xml", "project.json", "tasks.json"))
_LABEL_STUDIO_HINT = "export from Label Studio as JSON, JSON-MIN or CSV"


def export_label_studio(
    study: Study, out: Path, image_url: Callable[[str], str], *, overwrite: bool = False
) -> dict[str, int]:
    """Write ``config.xml``, ``project.json`` (with the configuration and instructions) and ``tasks.json``.

    Tasks are in the order of the study's tasks and tell nothing of gold answers, tests or controls.
    """
    order = list(dict.fromkeys(one for task in study.tasks.values() for one in task.questions))
    tasks = [{"data": _data(study, study.questions[name], image_url)} for name in order]
    config = _config(study)
    form = study.form
    project = {
        "title": form.title,
        "description": form.prompt,
        "expert_instruction": "\n".join(form.instructions),
        "show_instruction": True,
        "label_config": config,
        "maximum_annotations": study.manifest.per_item,
    }
    with atomic_folder(out, overwrite=overwrite, kind=_LABEL_STUDIO_FOLDER, inputs=[study.folder]) as folder:
        (folder / "config.xml").write_text(config, "utf-8")
        (folder / "project.json").write_text(json.dumps(project, indent=2, ensure_ascii=False) + "\n", "utf-8")
        (folder / "tasks.json").write_text(json.dumps(tasks, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return {"config.xml": 1, "project.json": 1, "tasks.json": len(tasks)}


def _data(study: Study, question: StudyQuestion, image_url: Callable[[str], str]) -> dict[str, Any]:
    shown = question.text if question.second is None else f"1. {question.text}\n2. {question.second}"
    if question.context:
        shown = "\n".join([*(f"{turn.speaker}: {turn.text}" for turn in question.context), shown])
    data: dict[str, Any] = {"question_id": question.question_id, "text": shown}
    if question.label is not None:
        data["text"] += f"\nAnswer: {question.label}"
    if question.image is not None:
        data["image"] = image_url(question.image)
    data["options"] = [
        {"value": option.label, "alias": option.value, "hint": option.hint} for option in study.options(question)
    ]
    return data


def _config(study: Study) -> str:
    """Choices come from each task's ``options``; their alias is what is stored."""
    has_images = any(one.image is not None for one in study.questions.values())
    lines = ["<View>", f"  <Header value={quoteattr(study.form.prompt)}/>"]
    if has_images:
        lines.append('  <Image name="image" value="$image" zoom="true"/>')
    lines += [
        '  <Text name="text" value="$text"/>',
        '  <Choices name="answer" toName="text" value="$options" choice="single" layout="vertical"/>',
    ]
    if study.form.free_text:
        lines.append('  <TextArea name="typed" toName="text" maxSubmissions="1" placeholder="or type an answer"/>')
    return "\n".join([*lines, "</View>"]) + "\n"


def is_label_studio(value: Any) -> bool:
    """Whether parsed JSON looks like an export of Label Studio: a list of tasks, or of rows of JSON_MIN."""
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
        return False
    first = value[0]
    return ("data" in first and "annotations" in first) or (
        "question_id" in first and "annotator" in first and "annotation_id" in first
    )


def read_label_studio(path: Path, study: Study, value: list[dict[str, Any]]) -> Iterator[AnswerRow]:
    """The answers of an export; annotations that were cancelled count for nothing."""
    for number, task in enumerate(value, start=1):
        record = f"task {number}"
        data = task.get("data", task)
        question = study.questions.get(str(data.get("question_id")))
        if question is None:
            raise InputError(
                path, "is about a question that the study does not have", record=record, hint=_LABEL_STUDIO_HINT
            )
        if "annotations" not in task:
            answer = _from_min(task)
            who = task.get("annotator")
            yield _row(path, record, study, question, who, answer, task.get("lead_time"))
            continue
        for annotation in task["annotations"]:
            if annotation.get("was_cancelled") or not annotation.get("result"):
                continue
            who = annotation.get("completed_by")
            who = who.get("email") or who.get("id") if isinstance(who, Mapping) else who
            answer = _from_result(annotation["result"])
            yield _row(path, record, study, question, who, answer, annotation.get("lead_time"))


def _from_result(result: list[dict[str, Any]]) -> str | None:
    """The choice, else the typed text, of an annotation's ``result``."""
    found: dict[str, str] = {}
    for one in result:
        value = one.get("value", {})
        given = value.get("choices") if one.get("type") == "choices" else value.get("text")
        if isinstance(given, list) and given:
            given = given[0]
        if isinstance(given, str):
            found[str(one.get("from_name"))] = given
    return found.get("answer", found.get("typed"))


def _from_min(row: Mapping[str, Any]) -> str | None:
    for name in ("answer", "typed"):
        given = row.get(name)
        if isinstance(given, Mapping):
            given = (given.get("choices") or [None])[0]
        if isinstance(given, list):
            given = given[0] if given else None
        if isinstance(given, str) and given:
            return given
    return None


def _row(
    path: Path, record: str, study: Study, question: StudyQuestion, who: Any, answer: str | None, seconds: Any
) -> AnswerRow:
    if answer is None or who is None:
        raise InputError(
            path, "has an annotation without an answer or an annotator", record=record, hint=_LABEL_STUDIO_HINT
        )
    options = study.options(question)
    # Exports hold the alias where there is one, older versions the text that was shown.
    by_text = {option.label: option.value for option in options}
    value = answer if answer in {option.value for option in options} else by_text.get(answer, answer)
    if value not in {option.value for option in options} and not study.takes_text(question):
        raise InputError(
            path, f"has the answer {answer!r:.60}, which is no option", record=record, hint=_LABEL_STUDIO_HINT
        )
    taken = float(seconds) if isinstance(seconds, int | float) else 0.0
    return AnswerRow(pseudonym("ls", who), TASK_ID, question.question_id, value, taken)


_COLUMNS_HINT = "columns: question_id (or probe_id), annotator, answer, and if known seconds and task_id"


def collect_file(study: Study, store: AnswerStore, path: Path) -> int:
    """Add the answers of a file, all or none; how many are new. Reading a file twice adds nothing."""
    return store.import_answers(read_answer_file(study, path), path.name)


def read_answer_file(study: Study, path: Path) -> list[AnswerRow]:
    """The answers of a file, whatever it comes from; nobody may answer a question twice with different answers."""
    rows = list(_read(study, path))
    if not rows:
        raise InputError(path, "has no answers", hint=_COLUMNS_HINT)
    given: dict[tuple[str, str, str], str] = {}
    for row in rows:
        key = (row.annotator, row.task_id, row.question_id)
        if given.setdefault(key, row.answer) != row.answer:
            raise InputError(path, f"{row.annotator!r:.60} answers {row.question_id} twice, and differently")
    return rows


def _read(study: Study, path: Path) -> Iterator[AnswerRow]:
    if path.suffix.lower() == ".json":
        value: Any = read_json(path, list[dict[str, Any]], what="a list of answers", hint=_COLUMNS_HINT)
        if is_label_studio(value):
            yield from read_label_studio(path, study, value)
            return
    first = next(iter(read_rows(path, hint=_COLUMNS_HINT)), None)
    if first is not None and not first.problem and "probe_id" in first.values and "question_id" not in first.values:
        yield from _from_votes(study, path)
        return
    for row in read_rows(path, hint=_COLUMNS_HINT):
        if row.problem:
            raise InputError(path, row.problem, record=row.record, hint=_COLUMNS_HINT)
        if is_crowd_row(row.values):
            yield from read_crowd_row(path, row.record, study, row.values)
        elif is_label_studio([dict(row.values)]):
            yield from read_label_studio(path, study, [dict(row.values)])
        else:
            yield _from_columns(study, path, row.record, row.values)


def _from_votes(study: Study, path: Path) -> Iterator[AnswerRow]:
    """Votes on captions and foils, as ``falter people votes`` reads them."""
    asked: dict[str, StudyQuestion] = {one.probe_id: one for one in study.judged.values() if one.second is not None}
    for vote in read_vote_file(path, asked):
        question = asked[vote.probe_id or ""]
        shown = show_side(vote.answer, question.original_first)
        yield AnswerRow(vote.annotator, "collected", question.question_id, shown, vote.seconds or 0.0)


def _from_columns(study: Study, path: Path, record: str, values: Mapping[str, Any]) -> AnswerRow:
    for name in ("question_id", "annotator", "answer"):
        if values.get(name) in (None, ""):
            raise InputError(path, f"has no {name}", record=record, hint=_COLUMNS_HINT)
    question = study.questions.get(str(values["question_id"]))
    if question is None:
        raise InputError(
            path,
            f"is about {values['question_id']!r:.40}, which the study does not ask",
            record=record,
            hint=_COLUMNS_HINT,
        )
    answer = str(values["answer"]).strip()
    if answer not in {option.value for option in study.options(question)} and not study.takes_text(question):
        raise InputError(path, f"has the answer {answer!r:.60}, which is no option", record=record, hint=_COLUMNS_HINT)
    try:
        seconds = float(values.get("seconds") or 0.0)
    except (TypeError, ValueError) as error:
        raise InputError(path, f"has {values['seconds']!r:.40} seconds", record=record, hint="give a number") from error
    task = str(values.get("task_id") or "collected")
    return AnswerRow(str(values["annotator"]), task, question.question_id, answer, max(seconds, 0.0))
