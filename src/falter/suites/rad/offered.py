"""The options that a yes/no question offers where its original has options: the same, with yes and no among them."""

from __future__ import annotations

from random import Random

from falter.sources.protocol import Question

__all__ = ["with_yes_and_no"]


def with_yes_and_no(question: Question) -> tuple[str, ...] | None:
    """The options of a question, with yes and no put in where they are missing; None where it has no options.

    The position of what is put in is drawn by the question's id, so that it does not tell the answer.
    """
    if question.choices is None:
        return None
    offered = list(question.choices)
    rng = Random(f"{question.id}|options")
    for word in ("yes", "no"):
        if word not in offered:
            offered.insert(rng.randrange(len(offered) + 1), word)
    return tuple(offered)
