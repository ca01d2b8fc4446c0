"""Answers to NaturalBench as its authors' evaluation takes them, read as it reads them.

A file is a list of four texts a sample, in the order question 0 on image 0, question 0 on image 1, question 1 on image
0, question 1 on image 1; or by sample an object of ``q0_i0`` to ``q1_i1``, or a list of four.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from falter.errors import InputError
from falter.files import read_json, read_json_lines
from falter.models.released_files import OddRecords, ReleasedPrediction, ReleasedPredictions, SuiteRow
from falter.tables import format_count

__all__ = ["LAYOUTS", "NaturalBenchAnswers", "official_answer"]

_ORDER = ("q0_i0", "q0_i1", "q1_i0", "q1_i1")
_TEXTS = ("prediction", "response", "output", "text", "answer")
"""What an answer may stand under; beside another, ``answer`` is the gold."""
_HINT = "give four answers for every sample, in the order of the release"


def official_answer(text: str, choices: Sequence[str]) -> str | None:
    """The choice that the authors' evaluation reads: the one whose word comes first in the text, in any case.

    >>> official_answer("Yes, not no", ("yes", "no")), official_answer("I see a B", ("A", "B"))
    ('yes', 'A')
    """
    places = {one: found.start() for one in choices if (found := re.search(rf"\b{one}\b", text, re.IGNORECASE))}
    return min(places, key=places.__getitem__) if places else None


class NaturalBenchAnswers:
    """A file of answers in the order of the release, or by sample."""

    def read_file(self, path: Path, rows: Callable[[], Sequence[SuiteRow]]) -> ReleasedPredictions | None:
        if path.suffix.lower() not in (".json", ".jsonl") or not path.is_file():
            return None
        content = _read(path)
        samples = _samples(path, content)
        if samples is None:
            return None
        asked = {row.source_id: row for row in rows()}
        count = len({one.partition("_")[0] for one in asked})
        if isinstance(content, list) and len(samples) != count:
            raise InputError(
                path, f"has answers to {format_count(len(samples), 'samples')}, and the suite has {count:,}", hint=_HINT
            )
        odd = OddRecords(path)
        found = list(_predictions(samples, asked, odd))
        return ReleasedPredictions(found, (path,), odd.notes())


def _read(path: Path) -> Any:
    if path.suffix.lower() == ".jsonl":
        return [one for _, one in read_json_lines(path, Any, what="JSON")]
    return read_json(path, Any, what="JSON")


def _samples(path: Path, content: Any) -> Mapping[str, Mapping[str, Any]] | None:
    """By number of the sample its four answers; None where the file is in another layout."""
    if isinstance(content, dict):
        keyed = {key: _by_name(one) for key, one in content.items()}
    elif isinstance(content, list) and content and all(_by_name(one) for one in content):
        keyed = {str(number): _by_name(one) for number, one in enumerate(content)}
    elif isinstance(content, list) and content and all(_is_answer(one) for one in content):
        if len(content) % len(_ORDER):
            raise InputError(
                path, f"has {format_count(len(content), 'answers')}, which are not four a sample", hint=_HINT
            )
        size = len(_ORDER)
        keyed = {
            str(number): dict(zip(_ORDER, content[size * number : size * (number + 1)], strict=True))
            for number in range(len(content) // size)
        }
    else:
        return None
    if not all(keyed.values()):
        return None
    return {key: one for key, one in keyed.items() if one is not None}


def _is_answer(value: Any) -> bool:
    if isinstance(value, dict):
        return "item_id" not in value and "source_id" not in value and any(name in value for name in _TEXTS)
    return isinstance(value, str | int)


def _by_name(value: Any) -> Mapping[str, Any] | None:
    """The four answers of a sample."""
    if isinstance(value, dict) and all(name in value for name in _ORDER):
        return value
    if isinstance(value, list) and len(value) == len(_ORDER):
        return dict(zip(_ORDER, value, strict=True))
    return None


def _predictions(
    samples: Mapping[str, Mapping[str, Any]], asked: Mapping[str, SuiteRow], odd: OddRecords
) -> Iterator[ReleasedPrediction]:
    for number, answers in samples.items():
        for name in _ORDER:
            source_id = f"{number}_{name}"
            row = asked.get(source_id)
            choices = ("yes", "no") if row is None or row.choices is None else row.choices
            said = answers[name]
            if isinstance(said, dict):
                said = next((said[one] for one in _TEXTS if one in said), None)
            if said is None:
                odd.add("hold no answer, and count as missing", source_id)
                continue
            if isinstance(said, int | float):
                # The evaluation's own codes: 1 for the first choice, 0 for the second.
                answer = choices[0] if said == 1 else choices[1] if said == 0 else None
            else:
                answer = official_answer(str(said), choices)
            text = str(said)
            fields = {"text": text, "status": "unparsed"} if answer is None else {"text": text, "answer": answer}
            yield ReleasedPrediction(source_id, source_id, fields)


LAYOUTS = (NaturalBenchAnswers(),)
