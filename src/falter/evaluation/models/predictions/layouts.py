"""The layouts that files of predictions come in: which field is the id, what was predicted, and for which item.

- Falter's own: ``item_id`` or ``source_id``, with ``answer``, ``text`` or ``score``; ``reply``, ``response``,
  ``prediction`` and ``output`` are other names of ``text``;
- results of VQA and of MMF: ``question_id`` and ``answer``; of GQA and LXMERT: ``questionId`` and ``prediction``;
- a column ``finish_reason`` beside a text says how it ended: ``length`` or ``max_tokens`` where it was cut off;
- MMF's binary classifiers: ``id`` and ``proba``;
- samples of lmms-eval and lm-evaluation-harness: ``doc_id`` or an id in ``doc``, with ``resps``;
- tables of VLMEvalKit: ``index`` and ``prediction``.

GQA's, LXMERT's and VLMEvalKit's files have the gold answer under ``answer``. In any other layout, which of two such
columns is the reply cannot be known, and the user has to name it.

The bundle of a suite may add layouts of score files that were released with it. A file that goes by published ids is
joined to the items that have them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from falter.core.errors import InputError
from falter.data.model import PublishedItem, ScoreKind
from falter.data.model_loading import Layout, ReleasedPrediction
from falter.evaluation.models.predictions.rows import (
    ITEM_ID,
    PUBLISHED_IDS,
    REMEDY,
    REPLIES,
    PredictionRow,
    first_text,
    is_sample,
    sample_reply,
)

YES_NO_HINT = "write yes or no where the question is a yes/no question"

SCORE_KINDS: tuple[ScoreKind, ...] = get_args(ScoreKind)

_DOC_IDS = (ITEM_ID, *PUBLISHED_IDS)
_GOLD_BESIDE = ("questionId", "index")
"""The ids of layouts in which ``prediction`` is the reply, whatever is beside it: those of GQA and of VLMEvalKit."""
_OWN_IDS = (ITEM_ID, "source_id")
_OWN_PAIR = {"answer", "text"}
"""In Falter's own layout, what was parsed and the raw text."""
_CUT_OFF = ("length", "max_tokens", "max_output_tokens", "model_length")
"""What servers call it when a text ends at the limit of tokens."""


class Prediction(NamedTuple):
    """What was predicted for one id."""

    answer: str | None = None
    text: str | None = None
    score: float | None = None
    score_kind: ScoreKind | None = None
    choice_loglikelihoods: tuple[float, ...] | None = None
    """The log-likelihoods of the choices, in their order."""
    unparsed: bool = False
    """The text holds no answer, by the reading of those who released it."""
    cut_off: bool = False
    """The text ends at the limit of tokens (``finish_reason``)."""


class ParsedRow(NamedTuple):
    """A parsed row; ``is_item`` tells ids of items from published ones, ``released`` a layout of the suite's bundle."""

    identity: str
    is_item: bool
    prediction: Prediction
    released: bool = False


def parse_row(
    row: PredictionRow, path: Path, layouts: Sequence[Layout] = (), columns: Mapping[str, str] | None = None
) -> ParsedRow:
    """Parse a row by the fields that it has; ``layouts`` are tried before the general ones.

    ``columns`` are those that the user named.
    """
    values, record = row.values, row.record
    if values.get(ITEM_ID) is not None:
        said = _choose_reply(values, path, record, columns or {})
        return ParsedRow(_identity(values[ITEM_ID], path, record), True, _plain(said, path, record))
    for layout in layouts:
        try:
            found = layout(values)
        except ValueError as error:
            raise InputError(path, str(error), record=record) from error
        if found is not None:
            return ParsedRow(found[0], False, _plain(found[1], path, record), released=True)
    if is_sample(values):
        return _sample(values, path, record)
    column = next((name for name in PUBLISHED_IDS if values.get(name) is not None), None)
    if column is None:
        raise InputError(path, "has no item_id and no source_id", record=record, hint=REMEDY)
    said = _choose_reply(values, path, record, columns or {})
    return ParsedRow(_identity(values[column], path, record), False, _plain(said, path, record))


def _choose_reply(values: Mapping[str, Any], path: Path, record: str, columns: Mapping[str, str]) -> Mapping[str, Any]:
    """A row with one column of what the model said; where several may be it, the user is asked to name it."""
    there = [name for name in ("answer", *REPLIES) if name in values]
    if len(there) < 2 or columns.keys() >= set(there):
        return values
    if "prediction" in there and any(values.get(name) is not None for name in _GOLD_BESIDE):
        return {name: value for name, value in values.items() if name not in there or name == "prediction"}
    if set(there) == _OWN_PAIR and not columns and any(values.get(name) is not None for name in _OWN_IDS):
        return values
    others = "".join(f"{role}={name}," for role, name in columns.items())
    replies = [name for name in there if name != "answer"]
    mappings = [f"--model 'file:{path}#{others}text={name}'" for name in (*replies, *there[: there[0] == "answer"])]
    raise InputError(
        path,
        f"has the columns {' and '.join(there)}, and one of them may be the gold answer or the question",
        record=record,
        hint=f"say which is the model's reply: {' or '.join(mappings)}",
    )


def parse_released(row: ReleasedPrediction, path: Path) -> ParsedRow:
    """A row that a layout of whole files has read."""
    prediction = _plain(row.fields, path, row.record)
    prediction = prediction._replace(unparsed=row.fields.get("status") == "unparsed")
    return ParsedRow(row.source_id, False, prediction, released=True)


def _identity(value: Any, path: Path, record: str) -> str:
    if isinstance(value, float) and value.is_integer():
        # A table with a gap in its ids keeps them as numbers with a point.
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(path, f"an id is text or a whole number, not {value!r:.50}", record=record)
    return str(value)


def _plain(values: Mapping[str, Any], path: Path, record: str) -> Prediction:
    answer = _text(values.get("answer"), path, record)
    text = _text(next((values[name] for name in REPLIES if values.get(name) is not None), None), path, record)
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
    if answer is None and text is None and score is None and "prediction" in values:
        text = ""
    if answer is None and text is None and score is None:
        raise InputError(path, "has neither an answer nor a score", record=record, hint=REMEDY)
    cut_off = str(values.get("finish_reason") or "").lower() in _CUT_OFF
    return Prediction(answer, text, None if score is None else float(score), kind, cut_off=cut_off)


def _text(value: Any, path: Path, record: str) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:g}"
    if isinstance(value, bool):
        problem = f"an answer is text, not {str(value).lower()}"
        raise InputError(path, problem, record=record, hint=YES_NO_HINT)
    if not isinstance(value, str | None):
        raise InputError(path, f"an answer is text, not {value!r:.50}", record=record)
    return value


def _sample(values: Mapping[str, Any], path: Path, record: str) -> ParsedRow:
    """A sample of an evaluation harness; the question's own id, if its document has one, else the document's."""
    # Without its document, a sample's own scores may say which item it is.
    kept = (values.get("doc"), *(one for name, one in values.items() if name != "doc"))
    doc = next((one for one in kept if isinstance(one, Mapping) and any(name in one for name in _DOC_IDS)), {})
    column = next((name for name in _DOC_IDS if doc.get(name) is not None), None)
    identity = _identity(values["doc_id"] if column is None else doc[column], path, record)
    given = sample_reply(values)
    said = first_text(given)
    if isinstance(said, str):
        return ParsedRow(identity, column == "item_id", Prediction(text=said))
    likelihoods = _likelihoods(given)
    if likelihoods is None:
        raise InputError(path, "has responses that are neither a text nor log-likelihoods", record=record)
    return ParsedRow(identity, column == "item_id", Prediction(choice_loglikelihoods=likelihoods))


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


_COVERED = 0.9
"""A file of predictions is about a published file if it has this share of its ids."""


class JoinedIds(NamedTuple):
    """How published ids were joined with items."""

    first: dict[str, str]
    """Of an item the published id whose prediction is the reply to it."""
    own: Mapping[tuple[str, str], str | None]
    """By item and published id of rows whose reply is not that of their item the id that it is under; None for none."""
    joined: frozenset[str]
    """The published ids that have an item."""
    ambiguous: frozenset[str]
    """Published ids of different questions: which of them the prediction is for cannot be told."""


def join_published_ids(
    rows: Callable[[], Iterator[PublishedItem]], predictions: Mapping[str, Prediction], disputed: Collection[str]
) -> JoinedIds:
    """Give each row the prediction of its published id, if that id stands for one question alone.

    A row without one has that of an equal item of its test: a test of which a file holds nothing must not look as if it
    had been answered. An id of different questions in different published files belongs to the one file that the
    predictions are about, if there is one. ``disputed`` are ids with different predictions.
    """
    meant = _questions_meant(rows, predictions, disputed)
    first: dict[str, str] = {}
    by_test: dict[tuple[str, str], str] = {}
    lacking: set[tuple[str, str]] = set()
    joined: set[str] = set()
    for item_id, source_id, _, test in rows():
        if source_id is None:
            continue
        if source_id not in predictions or meant.get(source_id, item_id) != item_id:
            lacking.add((item_id, source_id))
            continue
        joined.add(source_id)
        first.setdefault(item_id, source_id)
        by_test.setdefault((item_id, test), source_id)
    own: dict[tuple[str, str], str | None] = {}
    for item_id, source_id, _, test in rows():
        if source_id is None or item_id not in first:
            continue
        replied = by_test.get((item_id, test)) if (item_id, source_id) in lacking else source_id
        if replied is None or predictions[replied] != predictions[first[item_id]]:
            own[item_id, source_id] = replied
    ambiguous = frozenset(source_id for source_id, item_id in meant.items() if item_id is None)
    return JoinedIds(first, own, frozenset(joined), ambiguous)


def _questions_meant(
    rows: Callable[[], Iterator[PublishedItem]], predictions: Mapping[str, Prediction], disputed: Collection[str]
) -> dict[str, str | None]:
    """Of ids of different questions the item that is meant, None where that cannot be told."""
    one: dict[str, str] = {}
    several: set[str] = set()
    published: Counter[str] = Counter()
    predicted: Counter[str] = Counter()
    for item_id, source_id, file, _ in rows():
        if source_id is None:
            continue
        published[file] += 1
        if source_id in predictions:
            predicted[file] += 1
            if one.setdefault(source_id, item_id) != item_id:
                several.add(source_id)
    if not several:
        return {}
    covered = {file for file, count in predicted.items() if count >= _COVERED * published[file]}
    candidates: dict[str, set[str]] = {source_id: set() for source_id in several}
    for item_id, source_id, file, _ in rows():
        if source_id in candidates and file in covered:
            candidates[source_id].add(item_id)
    return {
        source_id: next(iter(items)) if len(items) == 1 and source_id not in disputed else None
        for source_id, items in candidates.items()
    }
