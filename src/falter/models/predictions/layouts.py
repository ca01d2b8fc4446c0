"""The layouts that files of predictions come in: which field is the id, and what was predicted.

- Falter's own: ``item_id`` or ``source_id``, with ``answer``, ``text`` or ``score``;
- results of VQA and of MMF: ``question_id`` and ``answer``; of GQA and LXMERT: ``questionId`` and ``prediction``;
- MMF's binary classifiers: ``id`` and ``proba``;
- samples of lmms-eval and lm-evaluation-harness: ``doc_id`` or an id in ``doc``, with ``resps``;
- scores of VALSE: ``instrument``, ``id`` (the pair's place in the release), ``type`` (caption or foil) and ``score``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

from falter.errors import InputError
from falter.models.predictions.rows import REMEDY, Row
from falter.runs.reply import ScoreKind

__all__ = ["SCORE_KINDS", "Prediction", "Read", "read_row"]

SCORE_KINDS: tuple[ScoreKind, ...] = get_args(ScoreKind)

_OUTSIDE_IDS = ("source_id", "question_id", "questionId", "ident", "id")
_DOC_IDS = ("item_id", *_OUTSIDE_IDS)
# A file that has both tells the right answer in the second.
_ANSWERS = ("prediction", "answer")
_TEXTS = ("text", "response")
_SIDES = ("caption", "foil")


class Prediction(NamedTuple):
    """What was predicted for one id."""

    answer: str | None = None
    text: str | None = None
    score: float | None = None
    score_kind: ScoreKind | None = None
    by_place: tuple[float, ...] | None = None
    """The log-likelihoods of the choices, in their order."""


class Read(NamedTuple):
    """A row that was understood; ``is_item`` tells ids of items from published ones."""

    identity: str
    is_item: bool
    prediction: Prediction


def read_row(row: Row, path: Path) -> Read:
    """Understand a row by the fields that it has."""
    values, record = row.values, row.record
    if values.get("item_id") is not None:
        return Read(_identity(values["item_id"], path, record), True, _plain(values, path, record))
    if values.get("instrument") is not None and values.get("type") is not None:
        return Read(_of_valse(values, path, record), False, _plain(values, path, record))
    if values.get("doc_id") is not None and ("resps" in values or "filtered_resps" in values):
        return _sample(values, path, record)
    column = next((name for name in _OUTSIDE_IDS if values.get(name) is not None), None)
    if column is None:
        raise InputError(path, "has no item_id and no source_id", record=record, hint=REMEDY)
    return Read(_identity(values[column], path, record), False, _plain(values, path, record))


def _identity(value: Any, path: Path, record: str) -> str:
    if isinstance(value, float) and value.is_integer():
        # A table with a gap in its ids keeps them as numbers with a point.
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(path, f"an id is text or a whole number, not {value!r:.50}", record=record)
    return str(value)


def _plain(values: Mapping[str, Any], path: Path, record: str) -> Prediction:
    answer = _text(next((values[name] for name in _ANSWERS if values.get(name) is not None), None), path, record)
    text = _text(next((values[name] for name in _TEXTS if values.get(name) is not None), None), path, record)
    kind = values.get("score_kind")
    score = values.get("score")
    if score is None and values.get("proba") is not None:
        score, kind = values["proba"], kind or "probability"
    if score is not None and (
        isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score)
    ):
        raise InputError(path, f"a score is a finite number, not {score!r:.50}", record=record)
    if kind is not None and kind not in SCORE_KINDS:
        raise InputError(path, f"score_kind is one of {', '.join(SCORE_KINDS)}, not {kind!r:.50}", record=record)
    if answer is None and text is None and score is None:
        raise InputError(path, "has neither an answer nor a score", record=record, hint=REMEDY)
    return Prediction(answer, text, None if score is None else float(score), kind)


def _text(value: Any, path: Path, record: str) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}"
    if not isinstance(value, str | None):
        raise InputError(path, f"an answer is text, not {value!r:.50}", record=record)
    return value


def _of_valse(values: Mapping[str, Any], path: Path, record: str) -> str:
    """The published id of a caption or a foil, under the release's name of the instrument or the paper's."""
    from falter.suites.valse.instruments import published_id

    instrument, side = values["instrument"], values["type"]
    if side not in _SIDES:
        raise InputError(path, f"type is caption or foil, not {side!r:.50}", record=record)
    if not isinstance(instrument, str):
        raise InputError(path, f"an instrument is a name, not {instrument!r:.50}", record=record)
    number = values.get("id")
    if isinstance(number, str) and number.isascii() and number.isdigit():
        number = int(number)
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise InputError(path, f"the id of a pair of VALSE is its number from 0, not {number!r:.50}", record=record)
    return published_id(instrument, number, side)


def _sample(values: Mapping[str, Any], path: Path, record: str) -> Read:
    """A sample of an evaluation harness; the question's own id, if its document has one, else the document's."""
    doc = values.get("doc")
    doc = doc if isinstance(doc, Mapping) else {}
    column = next((name for name in _DOC_IDS if doc.get(name) is not None), None)
    identity = _identity(values["doc_id"] if column is None else doc[column], path, record)
    given = values.get("filtered_resps")
    given = values.get("resps") if given is None or given == [] else given
    said = _innermost(given)
    if isinstance(said, str):
        return Read(identity, column == "item_id", Prediction(text=said))
    likelihoods = _likelihoods(given)
    if likelihoods is None:
        raise InputError(path, "has responses that are neither a text nor log-likelihoods", record=record)
    return Read(identity, column == "item_id", Prediction(by_place=likelihoods))


def _innermost(value: Any) -> Any:
    while isinstance(value, list | tuple) and len(value) >= 1 and not isinstance(value[0], int | float):
        if len(value) > 1 and isinstance(value[0], list | tuple):
            return None
        value = value[0]
    return value


def _likelihoods(value: Any) -> tuple[float, ...] | None:
    """Of each choice its log-likelihood, from pairs of that and whether it is the likeliest text of all."""
    found = []
    for one in value if isinstance(value, list | tuple) else ():
        pair = one
        while isinstance(pair, list | tuple) and pair and isinstance(pair[0], list | tuple):
            pair = pair[0]
        first = pair[0] if isinstance(pair, list | tuple) and pair else pair
        if isinstance(first, str):
            try:
                first = float(first)
            except ValueError:
                return None
        if isinstance(first, bool) or not isinstance(first, int | float) or not math.isfinite(first):
            return None
        found.append(float(first))
    return tuple(found) or None
