"""Choices under letters, for choices whose first tokens do not tell them apart."""

from __future__ import annotations

import string
from collections.abc import Sequence

__all__ = ["LETTERING_VERSION", "MOST", "letters_for", "with_letters"]

LETTERING_VERSION = 1
"""Changes whenever the same choices would be put in other words."""

MOST = 20
"""Servers list at most so many tokens in one place."""


def letters_for(choices: Sequence[str]) -> tuple[str, ...]:
    """A letter for each choice.

    >>> letters_for(["red bus", "blue bus"])
    ('A', 'B')
    """
    return tuple(string.ascii_uppercase[: len(choices)])


def with_letters(text: str, choices: Sequence[str]) -> str:
    """A question with its choices under letters.

    >>> print(with_letters("What is it?", ["a red bus", "a blue bus"]))
    What is it?
    A. a red bus
    B. a blue bus
    Answer with the letter only.
    """
    lines = [f"{letter}. {choice}" for letter, choice in zip(letters_for(choices), choices, strict=True)]
    return "\n".join([text, *lines, "Answer with the letter only."])
