"""Whether the text of a question can be asked; generators of questions skip and count what cannot."""

from __future__ import annotations

import unicodedata

__all__ = ["LONGEST_QUESTION", "text_problem"]

LONGEST_QUESTION = 1000
"""Characters; the longest question of VQA v2 has about 100."""
_LAST_LATIN = "\u024f"


def text_problem(text: str) -> str | None:
    """Why a text is no question that can be asked, or None.

    >>> text_problem("What color is the dog?"), text_problem(" ?")
    (None, 'the question has no words')
    """
    if len(text) > LONGEST_QUESTION:
        return f"the question is longer than {LONGEST_QUESTION} characters"
    if not text.isprintable() and any(unicodedata.category(one) == "Cc" and not one.isspace() for one in text):
        return "the question has control characters"
    if text.isascii():
        return None if any(map(str.isalpha, text)) else "the question has no words"
    letters = [letter for letter in text if letter.isalpha()]
    if not letters:
        return "the question has no words"
    latin = sum(letter <= _LAST_LATIN for letter in letters)
    return "the question is not written in Latin letters" if latin * 2 < len(letters) else None
