"""A question by its words alone: what differs in case or punctuation only is the same question."""

from __future__ import annotations

import re

__all__ = ["plain_words"]

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def plain_words(text: str) -> str:
    """The words of a text in lower case.

    >>> plain_words("What's the dog's color ?") == plain_words("what's the Dog's color")
    True
    """
    return " ".join(_WORD.findall(text.casefold()))
