"""What a model replied to one item."""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = ["TRANSIENT", "Reply", "ScoreKind", "Status", "is_transient", "own_id", "split_own_id"]

Status = Literal["ok", "unparsed", "truncated", "unsupported", "failed"]
_OWN = "@@"

TRANSIENT = "transient: "
"""How the error of a failure begins that may have passed by the next attempt."""

ScoreKind = Literal["probability", "similarity", "logprob"]


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model's reply to one item.

    ``ok``: ``answer`` (or, for a match, ``score``) is valid. ``unparsed``: no answer could be parsed from the text, and
    ``truncated``: the text was cut off before a whole answer; both count as incorrect. ``unsupported``: the model
    cannot be given this item. ``failed``: the call failed. Pairs with one of the last two are excluded and counted.
    """

    item_id: str
    status: Status = "ok"
    text: str | None = None
    answer: str | None = None
    score: float | None = None
    score_kind: ScoreKind | None = None
    choice_scores: dict[str, float] | None = None
    error: str | None = None
    finish_reason: Literal["length"] | None = None
    """``length``: the text ends at the limit of tokens. Only an answer that came whole before is read from it."""
    given: bool = False
    """The model gave the answer, or that there is none, itself: beside a text, it is not read from the text."""


def is_transient(reply: Reply) -> bool:
    """Whether a reply is a failure that may have passed by now."""
    return reply.status == "failed" and reply.error is not None and reply.error.startswith(TRANSIENT)


def own_id(item_id: str, source_id: str) -> str:
    """The id of a reply to one published id of an item that was published under several."""
    return f"{item_id}{_OWN}{source_id}"


def split_own_id(reply_id: str) -> tuple[str, str | None]:
    """The item's id, and the published id that a reply is about where it is not about all of them.

    >>> split_own_id("1f3a"), split_own_id(own_id("1f3a", "q-7"))
    (('1f3a', None), ('1f3a', 'q-7'))
    """
    item_id, separator, source_id = reply_id.partition(_OWN)
    return item_id, source_id if separator else None
