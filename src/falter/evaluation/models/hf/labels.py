"""The labels of a classifier: the answers it can give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from falter.core.errors import InputError
from falter.core.files import Int64, read_json, read_text
from falter.core.tables import format_count
from falter.data.model import Reply, Request
from falter.data.model_options import AnswerBy
from falter.data.normalize import normalize
from falter.evaluation.models.weights.checkpoint import Checkpoint

__all__ = ["Labels", "load_labels"]

_FILES = ("label2ans.json", "trainval_label2ans.json", "answers.json", "labels.json", "labels.txt", "answers.txt")
_PLACE = re.compile(r"[0-9]{1,9}")
_NAMELESS = re.compile(r"LABEL_\d+")


class Labels:
    """Reads the scores of a classifier as replies."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._places: dict[str, list[int]] = {}
        for place, name in enumerate(self.names):
            self._places.setdefault(normalize(name), []).append(place)

    @property
    def know_yes_and_no(self) -> bool:
        """Whether a caption can be matched by asking about it."""
        return "yes" in self._places and "no" in self._places

    def answer(self, request: Request, logits: Any, answer_by: AnswerBy) -> Reply:
        """The likeliest label; with ``likelihood``, the likeliest of those that are among the choices."""
        logprobs = logits.double().log_softmax(-1)
        if answer_by == "likelihood" and request.choices:
            found = {choice: self._places.get(normalize(choice)) for choice in request.choices}
            scores = {choice: float(logprobs[places].logsumexp(0)) for choice, places in found.items() if places}
            if not scores:
                return Reply(item_id=request.item_id, status="unsupported", error="no choice is an answer it can give")
            return Reply(item_id=request.item_id, choice_scores=scores, score_kind="logprob")
        return Reply(item_id=request.item_id, text=self.names[int(logprobs.argmax())])

    def match(self, request: Request, logits: Any) -> Reply:
        """The probability of yes against no."""
        wide = logits.double()
        yes, no = (wide[self._places[word]].logsumexp(0) for word in ("yes", "no"))
        return Reply(item_id=request.item_id, score=float((yes - no).sigmoid()), score_kind="probability")


def load_labels(checkpoint: Checkpoint, count: int) -> Labels:
    """The names of a classifier's answers: from the user's file, from the configuration, or from beside the weights."""
    if checkpoint.labels is not None:
        return _check_labels(_read(checkpoint.labels), count, checkpoint.labels)
    named: dict[int, str] = getattr(checkpoint.config, "id2label", None) or {}
    if len(named) == count and not all(_NAMELESS.fullmatch(name) for name in named.values()):
        return Labels([named[place] for place in sorted(named)])
    if checkpoint.is_local:
        for name in _FILES:
            path = Path(checkpoint.source) / name
            if path.is_file():
                return _check_labels(_read(path), count, path)
    raise InputError(
        checkpoint.source,
        f"its {count} answers have no names",
        hint=f"give the list of answers it was trained with: hf:{checkpoint.source},labels=FILE",
    )


def _read(path: Path) -> list[str]:
    what, hint = "a list of answers", "a JSON list, or one answer a line"
    if path.suffix != ".json":
        return read_text(path, what=what, hint=hint).splitlines()
    raw: Any = read_json(path, cast(type[Any], list[str] | dict[str, str | Int64]), what=what, hint=hint)
    if isinstance(raw, list):
        return raw
    named_by_place = all(_PLACE.fullmatch(key) for key in raw)
    if not all(isinstance(value, str if named_by_place else int) for value in raw.values()):
        raise InputError(path, f"is not {what}: it maps names to texts", hint=hint)
    places = [(int(key), value) if named_by_place else (value, key) for key, value in raw.items()]
    return [name for _, name in sorted(places, key=lambda pair: pair[0])]


def _check_labels(names: list[str], count: int, path: Path) -> Labels:
    if len(names) != count:
        raise InputError(
            path,
            f"has {format_count(len(names), 'answers')}, and the model gives {count}",
            hint="give the list it came with",
        )
    return Labels(names)
