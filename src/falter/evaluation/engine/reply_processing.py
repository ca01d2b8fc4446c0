"""Turning what a model returned into a valid reply: checked, and its text parsed as an answer."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, get_args, overload

import msgspec

from falter.core.tables import format_count
from falter.data.model import PermanentError, Reply, Request, ScoreKind, Status, failed_reply
from falter.evaluation.answers import is_read_from_text
from falter.evaluation.answers.reply_reading import read_reply

_STATUSES = frozenset(get_args(Status))
_TEXT_TYPES = (str, type(None))
_SCORE_KINDS = (*get_args(ScoreKind), None)


class ReplyCountError(Exception):
    """What a model returned for a batch cannot be matched to it: no list, or not one reply per request."""


def process_batch(batch: Sequence[Request], given: Any) -> list[Reply]:
    """One processed reply per request; replies that cannot be told apart are a failure of the whole batch."""
    if isinstance(given, str | bytes) or not isinstance(given, Sequence):
        raise ReplyCountError(f"returned a {type(given).__name__} instead of a list of replies")
    if len(given) != len(batch):
        raise ReplyCountError(
            f"returned {format_count(len(given), 'replies')} to {format_count(len(batch), 'requests')}"
        )
    return [process_reply(request, reply) for request, reply in zip(batch, _in_order(batch, given), strict=True)]


def _in_order(batch: Sequence[Request], given: Sequence[Any]) -> Sequence[Any]:
    """Replies carry ids and are ordered by them; texts are taken by position."""
    pairs = zip(batch, given, strict=True)
    if all(not isinstance(reply, Reply) or reply.item_id == request.item_id for request, reply in pairs):
        return given
    if not all(isinstance(reply, Reply) for reply in given):
        raise PermanentError("the model gave replies for items that it was not asked")
    by_id = {reply.item_id: reply for reply in given}
    if by_id.keys() != {request.item_id for request in batch}:
        raise PermanentError("the model gave replies for items that it was not asked")
    return [by_id[request.item_id] for request in batch]


def process_reply(request: Request, given: Any) -> Reply:
    """What a model returned for one request as a valid reply."""
    if isinstance(given, str):
        return _read(request, Reply(item_id=request.item_id, text=_encodable(given)))
    if not isinstance(given, Reply):
        return failed_reply(request.item_id, f"the model gave a {type(given).__name__} instead of a reply or a text")
    reply: Reply = given
    if type(reply.score) not in (float, type(None)) or reply.choice_scores is not None:
        try:
            reply = _with_plain_numbers(reply)
        except (TypeError, ValueError, AttributeError):
            return failed_reply(request.item_id, "the model gave a score that is not a number")
    problem = _problem(reply)
    if problem is not None:
        return failed_reply(request.item_id, problem)
    if not _is_ascii(reply):
        reply = msgspec.structs.replace(
            reply, text=_encodable(reply.text), answer=_encodable(reply.answer), error=_encodable(reply.error)
        )
    if reply.status != "ok" or reply.answer is not None or (request.task == "match" and reply.score is not None):
        return _mark_given(reply)
    return _read(request, reply)


def _mark_given(reply: Reply) -> Reply:
    """Say of an answer beside a text that it is the model's own, so that it is never read from the text."""
    says = reply.answer is not None or reply.status == "unparsed"
    if not says or reply.text is None or reply.score is not None or reply.choice_scores is not None:
        return reply
    return msgspec.structs.replace(reply, given=True)


def read_anew(request: Request, reply: Reply) -> Reply:
    """A reply that was kept, read by the present reader; one whose answer is not read from a text stays as it is."""
    if not is_read_from_text(
        request.task,
        reply.status,
        has_text=reply.text is not None,
        given=reply.given,
        has_score=reply.score is not None,
        has_choice_scores=reply.choice_scores is not None,
    ):
        return reply
    return _read(request, msgspec.structs.replace(reply, status="ok", answer=None))


def _read(request: Request, reply: Reply) -> Reply:
    """Fill in the answer from the scores of the choices, or from the text."""
    if reply.choice_scores and request.choices:
        scored = [choice for choice in request.choices if choice in reply.choice_scores]
        if scored:
            return msgspec.structs.replace(reply, answer=max(scored, key=reply.choice_scores.__getitem__))
    if reply.text is None:
        return failed_reply(request.item_id, f"the model gave nothing that {request.task}s")
    read = read_reply(request.task, request.choices, reply.text, cut_off=reply.finish_reason == "length")
    # What was read before a cut is not to be read anew from the whole text.
    given = reply.finish_reason == "length" and read.answer is not None
    return msgspec.structs.replace(reply, status=read.status, answer=read.answer, given=given)


def _with_plain_numbers(reply: Reply) -> Reply:
    """Numbers of other libraries (a NumPy scalar) as Python's own."""
    scores = reply.choice_scores
    return msgspec.structs.replace(
        reply,
        score=None if reply.score is None else float(reply.score),
        choice_scores=None if scores is None else {choice: float(score) for choice, score in scores.items()},
    )


def _is_ascii(reply: Reply) -> bool:
    return all(text is None or text.isascii() for text in (reply.text, reply.answer, reply.error))


@overload
def _encodable(text: str) -> str: ...
@overload
def _encodable(text: None) -> None: ...
def _encodable(text: str | None) -> str | None:
    """Half a surrogate pair, which no file can hold, as a question mark."""
    return text if text is None or text.isascii() else text.encode("utf-8", "replace").decode()


def _problem(reply: Reply) -> str | None:
    if reply.status not in _STATUSES:
        return f"the model gave the status {reply.status!r:.50}"
    for name in ("text", "answer", "error"):
        if type(getattr(reply, name)) not in _TEXT_TYPES:
            return f"the model gave a {name} that is not text"
    if reply.score_kind not in _SCORE_KINDS:
        return f"the model gave the score kind {reply.score_kind!r:.50}"
    if reply.score is not None and not isfinite(reply.score):
        return "the model gave a score that is not finite"
    if reply.choice_scores is not None and not all(
        isinstance(choice, str) and choice == _encodable(choice) and isfinite(score)
        for choice, score in reply.choice_scores.items()
    ):
        return "the model gave a score of a choice that is not finite"
    return None
