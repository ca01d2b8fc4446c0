"""Questions and answers by their words alone: what differs in case, punctuation or an article only is the same."""

from __future__ import annotations

import re

__all__ = ["plain_answer", "plain_words"]

_ARTICLE = re.compile(r"\s*(?:(?:an?|the)\s+)?(.*?)[\s.!]*", re.IGNORECASE | re.DOTALL)
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def plain_words(text: str) -> str:
    """The words of a text in lower case.

    >>> plain_words("What's the dog's color ?") == plain_words("what's the Dog's color")
    True
    """
    return " ".join(_WORD.findall(text.casefold()))


def plain_answer(answer: str) -> str:
    """An answer without an article before it, or a full stop after it.

    >>> plain_answer("A dog."), plain_answer("the"), plain_answer("Dell")
    ('dog', 'the', 'Dell')
    """
    found = _ARTICLE.fullmatch(answer)
    return answer if found is None else found[1]
