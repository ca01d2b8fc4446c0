"""Whether a question of a source can be used: its text can be asked, and its people agree on the answer.

Generators skip and count what cannot be asked. The answer of several people is trusted where enough of them gave it,
and no other answer came close.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

__all__ = ["says_nothing", "text_problem", "votes_problem"]

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


_FEWEST_VOTES = 3
_NOTHING = ("no ", "none", "not ", "there is no", "there are no")
"""How answers begin that say that there is no such thing."""
_LEAD = 2
"""Votes that an answer must have more than any other that excludes it: what people cannot agree on is not asked."""


def says_nothing(answer: str) -> bool:
    """Whether an answer in lower case says that there is no such thing."""
    return answer.startswith(_NOTHING)


def votes_problem(
    answer: str,
    answers: Sequence[str],
    excludes: Callable[[str], bool],
    differs: Callable[[str], bool] | None = None,
) -> str | None:
    """Why an answer is not trusted, or None; ``excludes`` says of another, in lower case, that it cannot be right too.

    Where ``differs`` says which others mean something else, fewer people must have given these than the answer.

    >>> votes_problem("2", ["2"] * 6 + ["3"] * 4, lambda other: other == "3")
    >>> votes_problem("2", ["2"] * 5 + ["3"] * 4, lambda other: other == "3")
    'another answer has almost as many votes'
    >>> votes_problem("8", ["8"] * 4 + ["10", "10", "7", "7", "9", "11"], lambda other: True, lambda other: True)
    'as many people or more gave other answers'
    """
    given = Counter(other.lower() for other in answers)
    votes = given[answer.lower()]
    if votes < min(_FEWEST_VOTES, len(answers)):
        return f"the answer has fewer than {_FEWEST_VOTES} votes"
    others = {other: count for other, count in given.items() if other != answer.lower()}
    if any(count > votes - _LEAD and excludes(other) for other, count in others.items()):
        return "another answer has almost as many votes"
    if differs is not None and sum(count for other, count in others.items() if differs(other)) >= votes:
        return "as many people or more gave other answers"
    return None
