"""A main question, with or without noise, as an item."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from falter.probes import ImageRef, Item
from falter.sources.protocol import Question
from falter.suites.basic_questions.combine import CombinedQuestion
from falter.suites.basic_questions.dataset import BasicQuestion

__all__ = ["Variant", "item_of"]


class Variant(NamedTuple):
    asked: CombinedQuestion
    basics: tuple[BasicQuestion, ...]
    facets: dict[str, str]


def item_of(
    test: str,
    number: int,
    question: Question,
    image: ImageRef,
    asked: CombinedQuestion,
    facets: dict[str, str],
    extra: dict[str, Any] | None,
) -> Item:
    return Item.make(
        suite="basic-questions",
        test=test,
        probe_id=f"{test}-{question.id}",
        variant=number,
        image=image,
        text=asked.text,
        context=asked.context,
        gold=question.answer,
        answers=question.answers,
        source_id=question.id,
        facets=facets,
        extra=None if extra is None else msgspec.json.encode(extra).decode(),
    )
