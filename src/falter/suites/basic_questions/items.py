"""A main question, with or without noise, as an item."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from falter.images.files import ImageFile
from falter.probes import ImageRef, Item
from falter.sources.protocol import Question
from falter.suites.basic_questions.combine import Asked
from falter.suites.basic_questions.dataset import Basic

__all__ = ["Variant", "item_of"]


class Variant(NamedTuple):
    asked: Asked
    basics: tuple[Basic, ...]
    facets: dict[str, str]


def item_of(
    test: str,
    number: int,
    question: Question,
    picture: ImageFile,
    asked: Asked,
    facets: dict[str, str],
    extra: dict[str, Any] | None,
) -> Item:
    return Item.make(
        suite="basic-questions",
        test=test,
        probe_id=f"{test}-{question.id}",
        variant=number,
        image=ImageRef(question.image_id, picture.path, picture.sha256),
        text=asked.text,
        context=asked.context,
        gold=question.answer,
        answers=question.answers,
        source_id=question.id,
        facets=facets,
        extra=None if extra is None else msgspec.json.encode(extra).decode(),
    )
