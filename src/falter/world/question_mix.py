"""Samples a number of questions of each form for one scene."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from falter.world.question_sampler import QuestionSampler

__all__ = ["sample_questions"]

_TRIES = 10


class _Question(Protocol):
    @property
    def text(self) -> str: ...


Q = TypeVar("Q", bound=_Question)
S = TypeVar("S", bound=QuestionSampler)


def sample_questions(
    sampler: S,
    forms: Sequence[tuple[Callable[[S, str], Q | None], int]],
    rng: random.Random,
) -> list[Q]:
    """Sample up to the given number of questions per form; no text occurs twice."""
    questions: dict[str, Q] = {}
    for form, times in forms:
        # Either answer comes first equally often and the other follows, so that yes and no stay balanced.
        first = rng.random() < 0.5
        for turn in range(times):
            wanted = "yes" if first == (turn % 2 == 0) else "no"
            for _ in range(_TRIES):
                question = form(sampler, wanted)
                if question is not None and question.text not in questions:
                    questions[question.text] = question
                    break
    return list(questions.values())
