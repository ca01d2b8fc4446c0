"""Questions as words, the same for every ranker that counts them."""

from __future__ import annotations

import re

__all__ = ["tokenize"]

_WORD = re.compile(r"[^\W_]+", re.UNICODE)


def tokenize(text: str) -> list[str]:
    """The lower-case words of a text; one that has no letter or digit is told by its signs.

    >>> tokenize("What's the dog's name?")
    ['what', 's', 'the', 'dog', 's', 'name']
    """
    return _WORD.findall(text.lower()) or text.split()
