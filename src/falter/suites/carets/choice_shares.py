"""Shares of choices: none is correct much more often than guessing among those offered would make it."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["ChoiceShares"]

_SLACK, _ALWAYS = 0.25, 2.0
"""How far a choice may exceed its share, as a part of the share, and in pairs that are always borne."""


class ChoiceShares:
    """Knows of every choice how often it was correct, and how often it would be by guessing."""

    def __init__(self) -> None:
        self._correct: dict[str, int] = {}
        self._share: dict[str, float] = {}

    def admits(self, answer: str, choices: Sequence[str]) -> bool:
        """Whether a question keeps its answer from being correct much beyond its share."""
        share = self._share.get(answer, 0.0) + 1 / len(choices)
        return self._correct.get(answer, 0) + 1 - share <= _SLACK * share + _ALWAYS

    def add(self, answer: str, choices: Sequence[str]) -> None:
        """Count a question that was taken."""
        self._correct[answer] = self._correct.get(answer, 0) + 1
        for choice in choices:
            self._share[choice] = self._share.get(choice, 0.0) + 1 / len(choices)
