"""The input of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Self

import msgspec

from falter.probes import Item, Suite, Task, Turn

__all__ = ["Request"]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """The part of an item that a model may see: it holds no gold answer and no meaning."""

    item_id: str
    task: Task
    text: str
    image: Path | None = None
    image_id: str | None = None
    image_sha256: str | None = None
    context: tuple[Turn, ...] | None = None
    choices: tuple[str, ...] | None = None
    source_id: str | None = None

    @classmethod
    def from_item(cls, item: Item, suite: Suite) -> Self:
        """The request for an item of a suite, with the path of its image."""
        return cls(
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
