"""What a model is shown, and what comes back."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from falter.probes import Item, Suite, Task, Turn

__all__ = ["Reply", "Request", "ScoreKind", "Status", "request_of"]

Status = Literal["ok", "unparsed", "unsupported", "failed"]
ScoreKind = Literal["probability", "similarity", "logprob"]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """An item as a model may see it: nothing in it gives the right answer away."""

    item_id: str
    task: Task
    text: str
    image: Path | None = None
    image_id: str | None = None
    image_sha256: str | None = None
    context: tuple[Turn, ...] | None = None
    choices: tuple[str, ...] | None = None
    source_id: str | None = None


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model's reply to one item.

    ``ok``: ``answer`` (or, for a match, ``score``) stands. ``unparsed``: the text could not be read as an answer; it
    counts as wrong. ``unsupported``: the model cannot be asked this; it counts nowhere. ``failed``: no reply could be
    had; the pair is left out and counted.
    """

    item_id: str
    status: Status = "ok"
    text: str | None = None
    answer: str | None = None
    score: float | None = None
    score_kind: ScoreKind | None = None
    choice_scores: dict[str, float] | None = None
    error: str | None = None


def request_of(item: Item, suite: Suite) -> Request:
    """The part of an item that a model is shown."""
    return Request(
        item_id=item.item_id,
        task=item.task,
        text=item.text,
        image=suite.image_path(item),
        image_id=item.image_id,
        image_sha256=item.image_sha256,
        context=item.context,
        choices=item.choices,
        source_id=item.source_id,
    )
