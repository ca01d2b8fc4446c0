"""An open question and one about an answer, as the items of a probe."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from falter.probes import ImageRef, Item, Probe
from falter.suites.rad.candidates import ReadQuestion
from falter.suites.rad.offered import with_yes_and_no

__all__ = ["Asked", "make_probe"]


class Asked(NamedTuple):
    """A yes/no question about an answer, or a choice between answers."""

    text: str
    answer: str
    gold: str
    choices: tuple[str, ...] = ()


def make_probe(test: str, candidate: ReadQuestion, image: ImageRef, asked: Asked, number: int, labels: str) -> Probe:
    """The pair, the ``number``-th of its question; ``labels`` is the rule by which the answer is trusted."""
    question, rewrite = candidate.question, candidate.reading.rewrite
    told = {"choices": str(len(asked.choices))} if asked.choices else {"answer": asked.gold}
    facets = {**told, "labels": labels, **_direction(asked.answer, candidate.answer)}
    original = Item.make(
        suite="rad",
        test=test,
        probe_id=f"{test}-{question.id}" + (f"-{number + 1}" if number else ""),
        variant=0,
        expects="each",
        image=image,
        text=question.text,
        gold=question.answer,
        answers=question.answers,
        context=question.context,
        choices=question.choices,
        source_id=question.id,
        facets=facets,
    )
    variant = Item.make(
        suite="rad",
        test=test,
        probe_id=original.probe_id,
        variant=1,
        expects="each",
        image=image,
        text=asked.text,
        gold=rewrite.said_as(asked.gold) if asked.choices else asked.gold,
        context=question.context,
        choices=tuple(map(rewrite.said_as, asked.choices)) or with_yes_and_no(question),
        facets=facets,
        extra=msgspec.json.encode({"asked": asked.answer}).decode(),
    )
    return Probe((original, variant))


def _direction(asked: str, answer: str) -> dict[str, str]:
    """Of numbers, whether the one asked about is below the right one: "two dogs" are there where three are."""
    if not (asked.isdigit() and answer.isdigit()):
        return {}
    step = int(asked) - int(answer)
    return {"number": "below" if step < 0 else ("above" if step > 0 else "equal")}
