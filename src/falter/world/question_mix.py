"""Going round the forms of questions until a scene has its share of each."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from falter.world.question_sampler import Asker

__all__ = ["questions_of"]

_TRIES = 10


class _Question(Protocol):
    @property
    def text(self) -> str: ...


Q = TypeVar("Q", bound=_Question)


def questions_of(
    asker: Asker, forms: Sequence[tuple[Callable[[Asker, str], Q | None], int]], rng: random.Random
) -> list[Q]:
    """So many questions of each form as the scene allows, no text twice."""
    asked: dict[str, Q] = {}
    for form, times in forms:
        # Either answer comes first as often, and the other follows, so that yes and no stay even.
        first = rng.random() < 0.5
        for turn in range(times):
            wanted = "yes" if first == (turn % 2 == 0) else "no"
            for _ in range(_TRIES):
                question = form(asker, wanted)
                if question is not None and question.text not in asked:
                    asked[question.text] = question
                    break
    return list(asked.values())
