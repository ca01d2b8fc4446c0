"""A study for Label Studio: its labelling configuration, a project and tasks; and answers from what it exports.

The forms are those of its documentation: https://labelstud.io/guide/tasks (tasks to import),
https://labelstud.io/guide/task_format (``JSON`` exports) and https://labelstud.io/guide/export (``JSON_MIN``, ``CSV``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from falter.errors import InputError
from falter.files import atomic_folder, kind_of_names
from falter.people.pseudonyms import pseudonym
from falter.people.store import AnswerRow
from falter.people.study import Study, StudyQuestion

__all__ = ["export_label_studio", "is_label_studio", "read_label_studio"]

TASK_ID = "label-studio"
_FOLDER = kind_of_names("an export for Label Studio", ("config.xml", "project.json", "tasks.json"))
_HINT = "export from Label Studio as JSON, JSON-MIN or CSV"


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
    with atomic_folder(out, overwrite=overwrite, kind=_FOLDER, inputs=[study.folder]) as folder:
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
            raise InputError(path, "is about a question that the study does not have", record=record, hint=_HINT)
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
        raise InputError(path, "has an annotation without an answer or an annotator", record=record, hint=_HINT)
    options = study.options(question)
    # Exports hold the alias where there is one, older versions the text that was shown.
    by_text = {option.label: option.value for option in options}
    value = answer if answer in {option.value for option in options} else by_text.get(answer, answer)
    if value not in {option.value for option in options} and not study.takes_text(question):
        raise InputError(path, f"has the answer {answer!r:.60}, which is no option", record=record, hint=_HINT)
    taken = float(seconds) if isinstance(seconds, int | float) else 0.0
    return AnswerRow(pseudonym("ls", who), TASK_ID, question.question_id, value, taken)
