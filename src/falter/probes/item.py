"""One thing put to a model, and the probe that holds an original and its variants together."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

__all__ = ["Expects", "Item", "Probe", "Role", "Task", "Turn", "item_id_of"]

Task = Literal["answer", "match"]
Role = Literal["original", "variant"]
Expects = Literal["same", "different", "each", "prefer"]


class Turn(msgspec.Struct, frozen=True):
    """One earlier turn of a dialogue."""

    speaker: str
    text: str


class Item(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """An image and a text, with the task and the right answer: one row of ``items.parquet``."""

    probe_id: str
    variant: int
    item_id: str
    suite: str
    test: str
    role: Role
    expects: Expects
    task: Task
    text: str
    gold: str | None = None
    image: str | None = None
    image_id: str | None = None
    image_sha256: str | None = None
    context: tuple[Turn, ...] | None = None
    answers: tuple[str, ...] | None = None
    choices: tuple[str, ...] | None = None
    meaning: str | None = None
    source_id: str | None = None
    facets: dict[str, str] = msgspec.field(default_factory=dict)
    extra: str | None = None


class Probe(msgspec.Struct, frozen=True, gc=False):
    """An original item and its variants, and what must hold between the answers."""

    items: tuple[Item, ...]

    @property
    def probe_id(self) -> str:
        return self.items[0].probe_id

    @property
    def original(self) -> Item:
        return self.items[0]

    @property
    def variants(self) -> tuple[Item, ...]:
        return self.items[1:]


def item_id_of(
    *,
    task: Task,
    text: str,
    image_sha256: str | None = None,
    image_id: str | None = None,
    context: Sequence[Turn] | None = None,
    choices: Sequence[str] | None = None,
) -> str:
    """The id of what a model sees: equal inputs have equal ids, in every suite.

    The picture's bytes stand for the picture; where they are not at hand, its id does.

    >>> item_id_of(task="answer", text="Is there a dog?") == item_id_of(task="match", text="Is there a dog?")
    False
    """
    seen: list[Any] = [
        task,
        image_sha256 if image_sha256 is not None or image_id is None else f"id:{image_id}",
        text,
        None if context is None else [[turn.speaker, turn.text] for turn in context],
        None if choices is None else list(choices),
    ]
    return hashlib.sha256(msgspec.json.encode(seen)).hexdigest()[:32]
