"""Questions of a contrast set that was made elsewhere, in LXMERT's, MAC's or GQA's own format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.errors import InputError
from falter.files import JsonDecoder, read_bytes
from falter.sources.question_checks import text_problem

__all__ = ["FORMATS", "GivenQuestion", "read_questions"]

_IDS = ("question_id", "questionId", "qid", "id")
_IMAGES = ("img_id", "imageId", "image_id")
_TEXTS = ("sent", "question")
_ORIGINALS = ("original_question_id", "originalQuestionId", "original_id", "originalId", "original_qid")

_Content = list[msgspec.Raw] | dict[str, msgspec.Raw]
_file: JsonDecoder[_Content] = JsonDecoder(_Content, "a JSON list or object of questions")  # type: ignore[arg-type]
_list = JsonDecoder(list[msgspec.Raw], "a JSON list of questions")
_record = JsonDecoder(dict[str, Any], "a question")
FORMATS = "give a file in the format of LXMERT, MAC or GQA"


class GivenQuestion(NamedTuple):
    """A question with its answer; ``original_id`` where the record names the question that it was made from."""

    id: str
    image_id: str
    text: str
    answer: str
    original_id: str | None = None


def read_questions(path: Path, problems: Counter[str]) -> list[GivenQuestion]:
    """The questions of a file; a record that cannot be used is counted by its reason."""
    found: dict[tuple[str, str, str], GivenQuestion] = {}
    for key, raw in _records(path):
        question = _question(key, raw)
        if isinstance(question, str):
            problems[question] += 1
        elif found.setdefault((question.id, question.image_id, question.text), question) is not question:
            problems["the same question comes twice"] += 1
    return list(found.values())


def _records(path: Path) -> Iterator[tuple[str | None, msgspec.Raw]]:
    content = _file.decode(read_bytes(path), path, hint=FORMATS)
    if isinstance(content, list):
        yield from ((None, raw) for raw in content)
        return
    listed = content.get("questions")
    if listed is None:
        yield from content.items()
        return
    yield from ((None, raw) for raw in _list.decode(listed, path, hint=FORMATS))


def _question(key: str | None, raw: msgspec.Raw) -> GivenQuestion | str:
    """The question of a record, or why it has none."""
    try:
        record = _record.decode(raw, "")
    except InputError:
        return "the record is not an object"
    own = key if key is not None else _text(record, _IDS)
    image, text = _text(record, _IMAGES), _text(record, _TEXTS)
    if not text:
        return "the question has no text"
    if (problem := text_problem(text)) is not None:
        return problem
    if not own:
        return "the question has no id"
    if not image:
        return "the question names no image"
    answer = _answer(record)
    return answer if isinstance(answer, _Refused) else GivenQuestion(own, image, text, answer, _original(record))


def _text(record: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    value = next((record[name] for name in names if name in record), None)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return " ".join(str(value).split()) or None


def _original(record: Mapping[str, Any]) -> str | None:
    return _text(record, _ORIGINALS)


class _Refused(str):
    """Why a record has no single answer."""

    __slots__ = ()


def _answer(record: Mapping[str, Any]) -> str | _Refused:
    """The answer, or the one that scores most."""
    scored = record.get("label", record.get("answer"))
    if isinstance(scored, dict):
        scores = {name: score for name, score in scored.items() if isinstance(score, int | float)}
        best = [name for name, score in scores.items() if score == max(scores.values())]
        if len(best) > 1:
            return _Refused("several answers of the question score the same")
        scored = best[0] if best else None
    if not isinstance(scored, str) or not scored.strip():
        return _Refused("the question has no answer")
    return scored.strip().lower()
