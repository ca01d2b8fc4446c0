"""What a record of answers to POPE says, under the names that its fields go by."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = [
    "SHIFTED_TESTS",
    "asks",
    "gold_of",
    "image_key",
    "image_of",
    "number_of",
    "prediction_of",
    "question_key",
    "question_of",
    "shift_of",
]

SHIFTED_TESTS = ("adversarial", "random", "popular")
"""LLaVA's ids are those of the files, plus 10,000,000 times the position in this list."""
_SHIFT = 10_000_000
_LONGEST_NUMBER = 19
_PREDICTIONS = ("prediction", "pred", "model_answer", "model_prediction", "response", "output", "outputs", "ans")
_QUESTIONS = ("question", "prompt", "query")
_IMAGES = ("image", "image_source", "image_id", "image_file", "image_path", "filename")
_GOLDS = ("label", "gt_answer", "gt_ans", "gt", "ground_truth", "answer")


def prediction_of(values: Mapping[str, Any]) -> str | None:
    """What the model said: beside another prediction ``answer`` is the gold, beside a question ``text`` is no question.

    >>> prediction_of({"question": "Is there a dog?", "text": "Yes", "answer": "no"})
    'Yes'
    >>> prediction_of({"text": "Is there a dog?", "label": "no", "answer": "Yes"})
    'Yes'
    """
    asked = any(name in values for name in _QUESTIONS)
    names = (*_PREDICTIONS, "text", "answer") if asked else (*_PREDICTIONS, "answer", "text")
    found = next((values[name] for name in names if name in values), None)
    return found if isinstance(found, str) else None


def question_of(values: Mapping[str, Any]) -> str | None:
    """The question that a record quotes."""
    names = list(_QUESTIONS)
    if "prompt" not in values and any(name in values for name in (*_PREDICTIONS, "answer")):
        names.append("text")
    return next((values[name] for name in names if isinstance(values.get(name), str)), None)


def gold_of(values: Mapping[str, Any]) -> str | None:
    """The gold answer that a record repeats, where something else in it is the prediction."""
    names = _GOLDS if any(name in values for name in _PREDICTIONS) else _GOLDS[:-1]
    found = next((values[name] for name in names if isinstance(values.get(name), str)), None)
    return None if found is None else found.strip().lower()


def asks(values: Mapping[str, Any], text: str) -> bool | None:
    """Whether a record is about this question; None where it does not say."""
    asked = question_of(values)
    return None if asked is None else question_key(text) in question_key(asked, whole=True)


def question_key(text: str, *, whole: bool = False) -> str:
    """A question without case, blanks and the slip "imange"; of a prompt, the line that asks."""
    words = " ".join(text.lower().replace("imange", "image").split())
    return words if whole else words.partition("?")[0].strip()


def image_of(values: Mapping[str, Any]) -> str:
    """The key of the image that a record names; empty where it names none."""
    return next((key for name in _IMAGES if (key := image_key(values.get(name)))), "")


def image_key(value: Any) -> str:
    """The number of an image of COCO, under whichever name; else the name without its ending."""
    if not isinstance(value, str | int):
        return ""
    stem = Path(str(value)).stem
    number = stem.rpartition("_")[2]
    return str(int(number)) if _is_number(number) else stem


def shift_of(values: Mapping[str, Any]) -> int:
    """Which of LLaVA's shifts an id has; 0 where it has none."""
    number = str(values.get("question_id"))
    return int(number) // _SHIFT if _is_number(number) else 0


def number_of(values: Mapping[str, Any]) -> str:
    """The id in its file; one beyond LLaVA's shifts stays as it is, and is that of no question."""
    number = str(values.get("question_id"))
    return str(int(number) % _SHIFT) if _is_number(number) and shift_of(values) < len(SHIFTED_TESTS) else number


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < _LONGEST_NUMBER
