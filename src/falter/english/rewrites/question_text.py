"""Questions as people type them, made ready to be read: one line, no shouting, no emoji; and what is more than one."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["asks_more", "tidy_question"]

_QUOTED = re.compile(r"[\"“'‘*(\[]+(?P<inside>[A-Za-z].*?[?.!]?)[\"”'’*)\]]+[\s?.!]*")
_FIRST_JUNK = "¿¡- "
_TWICE = re.compile(r"\b(the|a|an|of|in|on|is|are)(?: \1)+\b", re.IGNORECASE)
_JOINERS = "\u200b\u200c\u200d\ufe0e\ufe0f\ufeff"
_SUBJECT = r"(?:it|they|there|he|she|you|we|this|that|these|those|the|his|her|their|a|an)"
_MORE = re.compile(
    r"\w{3,}[.!;:] \w"
    r"|\b(?:and|or|but) (?:what|how|where|when|why|whose)\b"
    rf"|\b(?:and|or|but) (?:is|are|was|were|do|does|did|can|has|have) {_SUBJECT}\b"
    r"|\b(?:if|vs|versus)\b|;| - |\?"
    r"|^(?:and|or|but|compared)\b"
    r"|,.* or |, (?:is|are|was|were|does|do|which|who)\b",
    re.IGNORECASE,
)
"""A second sentence or question, a condition, or answers to choose from."""


def asks_more(words: str) -> bool:
    """Whether words hold more than the part of one question: "dog, black or white", "cat. Is it asleep".

    >>> [asks_more(words) for words in ("cat. Is it asleep", "dog, black or white", "dogs and what are they")]
    [True, True, True]
    >>> [asks_more(words) for words in ("sign on St. John street", "man and woman", "dog that is black and is big")]
    [False, False, False]
    """
    return _MORE.search(words) is not None


def tidy_question(question: str) -> str:
    """A question in one line, without quotes around it and emoji; one in capitals is written as others are.

    >>> tidy_question("WHAT COLOR IS THE  BUS?"), tidy_question('"How many dogs are there?"')
    ('What color is the bus?', 'How many dogs are there?')
    """
    line = question if question.isascii() else _plain(question)
    line = _TWICE.sub(r"\1", " ".join(line.split()).lstrip(_FIRST_JUNK))
    quoted = _QUOTED.fullmatch(line)
    if quoted is not None:
        line = quoted["inside"].strip()
    return f"{line[:1]}{line[1:].lower()}" if line.isupper() else line


def _plain(text: str) -> str:
    text = text.replace("’", "'").replace("‘", "'")
    return "".join(
        one for one in text if one not in _JOINERS and unicodedata.category(one) not in ("So", "Sk", "Cn", "Co")
    )
