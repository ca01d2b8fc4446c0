"""A main question, alone and with noise, as the items of a probe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from falter.probes import ImageRef, Item, Probe
from falter.sources.protocol import Question
from falter.suites.basic_questions.combine import LONGEST, CombinedQuestion
from falter.suites.basic_questions.dataset import BasicQuestion

__all__ = ["Variant", "make_probe"]


class Variant(NamedTuple):
    """A main question with its basic ones, and the facets that this variant alone has."""

    asked: CombinedQuestion
    basics: tuple[BasicQuestion, ...]
    facets: dict[str, str]


def make_probe(
    test: str,
    question: Question,
    image: ImageRef,
    variants: Sequence[Variant],
    facets: dict[str, str] | None = None,
    told: dict[str, Any] | None = None,
) -> Probe:
    """The probe of a main question; ``facets`` are those of all its items, ``told`` is written with the original."""
    shared = {"answer_type": question.answer_type or "unknown", **(facets or {})}
    items = [_item(test, 0, question, image, CombinedQuestion(question.text), shared, told)]
    for number, (asked, basics, own) in enumerate(variants, start=1):
        length = f"more than {LONGEST}" if asked.words > LONGEST else f"{LONGEST} or fewer"
        extra = {"basic_questions": [{"BQ": one.text, "score": one.score} for one in basics]}
        items.append(_item(test, number, question, image, asked, {**shared, **own, "words": length}, extra))
    return Probe(tuple(items))


def _item(
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
        context=(*(question.context or ()), *(asked.context or ())) or None,
        choices=question.choices,
        gold=question.answer,
        answers=question.answers,
        source_id=question.id,
        facets=facets,
        extra=None if extra is None else msgspec.json.encode(extra).decode(),
    )
