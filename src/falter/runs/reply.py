"""What a model replied to one item."""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = ["Reply", "ScoreKind", "Status"]

Status = Literal["ok", "unparsed", "truncated", "unsupported", "failed"]
ScoreKind = Literal["probability", "similarity", "logprob"]


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model's reply to one item.

    ``ok``: ``answer`` (or, for a match, ``score``) is valid. ``unparsed``: no answer could be parsed from the text, and
    ``truncated``: the text ended before an answer; both count as incorrect. ``unsupported``: the model cannot be given
    this item. ``failed``: the call failed. Pairs with one of the last two are excluded and counted.
    """

    item_id: str
    status: Status = "ok"
    text: str | None = None
    answer: str | None = None
    score: float | None = None
    score_kind: ScoreKind | None = None
    choice_scores: dict[str, float] | None = None
    error: str | None = None
    given: bool = False
    """The model gave the answer, or that there is none, itself: beside a text, it is not read from the text."""
