"""What a reader of a data set gives, whatever the data set's own format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from falter.scene import SceneGraph

__all__ = ["Question", "Source"]


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A published question with its answer; ``answers`` holds the ten human ones where a data set has them."""

    id: str
    image_id: str
    text: str
    answer: str | None = None
    answers: tuple[str, ...] | None = None
    answer_type: str | None = None
    question_type: str | None = None


class Source(Protocol):
    """A data set on disk. What it does not have, it gives empty: no scenes, no questions, no picture."""

    name: str
    licence: str

    def describe(self) -> dict[str, Any]:
        """The name and the fingerprints of the files read, for a suite's manifest."""
        ...

    def image_ids(self) -> Sequence[str]:
        """The pictures in the data set's own order."""
        ...

    def scene(self, image_id: str) -> SceneGraph | None:
        """The scene graph of one picture."""
        ...

    def scenes(self) -> Iterator[SceneGraph]:
        """All scene graphs, one in memory at a time."""
        ...

    def questions(self) -> Iterator[Question]:
        """All questions, one in memory at a time."""
        ...

    def image_path(self, image_id: str) -> Path | None:
        """Where a picture lies, or None when it is not at hand."""
        ...
