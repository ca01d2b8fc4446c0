"""Putting basic questions beside a main one: after it as the paper does, before, around, or as earlier turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from falter.probes import Turn
from falter.suites.basic_questions.options import NoisePosition

__all__ = ["LONGEST", "CombinedQuestion", "combine_questions"]

LONGEST = 26
"""What the paper takes to be the most words of a main question with three basic ones."""

SPEAKER = "user"


class CombinedQuestion(NamedTuple):
    """What a model is asked: a text, and earlier turns where the basic questions are such."""

    text: str
    context: tuple[Turn, ...] | None = None

    @property
    def words(self) -> int:
        """All words that the model reads."""
        return len(self.text.split()) + sum(len(turn.text.split()) for turn in self.context or ())


def combine_questions(main: str, basics: Sequence[str], position: NoisePosition) -> CombinedQuestion:
    """The main question with its basic ones, one space between.

    >>> combine_questions("Is it red?", ["Is it blue?", "Is it green?"], "around").text
    'Is it blue? Is it red? Is it green?'
    """
    if not basics:
        return CombinedQuestion(main)
    if position == "chat":
        return CombinedQuestion(main, tuple(Turn(SPEAKER, text) for text in basics))
    before = {"after": 0, "before": len(basics), "around": len(basics) // 2}[position]
    return CombinedQuestion(" ".join([*basics[:before], main, *basics[before:]]))
