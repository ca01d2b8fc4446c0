"""What a reader of a data set provides, whatever the data set's own format.

A source is a :class:`Source`; what else it has, it says by its methods: :class:`HasScenes`, :class:`HasQuestions`.
A caller that needs one of these checks with ``isinstance``, or calls :func:`require_scenes` or
:func:`require_questions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import msgspec

from falter.errors import UsageError
from falter.scene import SceneGraph

__all__ = ["HasCategories", "HasQuestions", "HasScenes", "Question", "Source", "require_questions", "require_scenes"]


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A published question with its answer; ``answers`` holds the ten human ones where a data set has them."""

    id: str
    image_id: str
    text: str
    answer: str | None = None
    answers: tuple[str, ...] | None = None
    answer_type: str | None = None
    question_type: str | None = None


@runtime_checkable
class Source(Protocol):
    """A data set on disk: its name, its licence and its images."""

    name: str
    licence: str

    def describe(self) -> dict[str, Any]:
        """The name and the hashes of the files read, for a suite's manifest."""
        ...

    def image_ids(self) -> Sequence[str]:
        """The ids of the images, in the order of the data set."""
        ...

    def image_path(self, image_id: str) -> Path | None:
        """The file of an image, or None where it is not available."""
        ...


@runtime_checkable
class HasScenes(Source, Protocol):
    """A source with scene graphs."""

    def scene(self, image_id: str) -> SceneGraph | None:
        """The scene graph of one image, or None where it has none."""
        ...

    def scenes(self) -> Iterator[SceneGraph]:
        """All scene graphs, one in memory at a time."""
        ...


@runtime_checkable
class HasCategories(HasScenes, Protocol):
    """A source whose annotators looked for a fixed list of kinds: whatever else an image has, they did not say."""

    categories: frozenset[str]
    """The names of the kinds that were looked for."""


@runtime_checkable
class HasQuestions(Source, Protocol):
    """A source with questions."""

    def questions(self) -> Iterator[Question]:
        """All questions, one in memory at a time."""
        ...


def require_scenes(source: Source) -> HasScenes:
    """The source itself, where it has scene graphs; a :class:`UsageError` otherwise."""
    if not isinstance(source, HasScenes):
        raise UsageError(f"the source {source.name} has no scene graphs; use one that has, e.g. gqa:FOLDER")
    return source


def require_questions(source: Source) -> HasQuestions:
    """The source itself, where it has questions; a :class:`UsageError` otherwise."""
    if not isinstance(source, HasQuestions):
        raise UsageError(f"the source {source.name} has no questions; use one that has, e.g. vqa:FOLDER")
    return source
