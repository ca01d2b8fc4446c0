"""The VQA v2 normalization of answers: punctuation, case, number words, articles, contractions."""

from __future__ import annotations

import re
from functools import lru_cache

from falter.answers.contractions import CONTRACTIONS

__all__ = ["ANSWERS_VERSION", "normalize", "normalize_vqa"]

ANSWERS_VERSION = "vqa-v2.1"
"""Changes whenever the same answer would be normalized differently; part of signatures and cache keys."""

_MARKS = ';/[]"{}()=+\\_-><@`,?!'
_GROUPED_NUMBER = re.compile(r"\d,\d")
_LOOSE_PERIOD = re.compile(r"\.(?!\d)")
_ANY_MARK = re.compile(r"[^\w\s']")
_NUMBERS_TO_TEN = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER_WORDS = {word: str(number) for number, word in enumerate(_NUMBERS_TO_TEN)} | {"none": "0"}
_ARTICLES = frozenset(("a", "an", "the"))

_OFFICIAL_PERIODS = 32
"""The evaluation removes at most this many periods (a flag stands where a count belongs in its call)."""


@lru_cache(maxsize=1 << 14)
def normalize(text: str) -> str:
    """The form in which two answers are compared.

    It is the VQA evaluation's, but for answers that are nothing but articles, which stay (the answer "A" is not
    nothing), and for texts of more than 32 periods, of which all are removed, so that normalizing twice is the same
    as once.

    >>> normalize("The two dogs.")
    '2 dogs'
    >>> normalize("A")
    'a'
    """
    return _normalize(text, periods=0) or " ".join(_without_marks(text, periods=0).lower().split())


def normalize_vqa(text: str) -> str:
    """What the official VQA v2 evaluation makes of an answer, to the letter.

    >>> normalize_vqa("1,000 dont's"), normalize_vqa("$2.50."), normalize_vqa("A")
    ("1000 dont's", '$2.50', '')
    """
    return _normalize(text, periods=_OFFICIAL_PERIODS)


def _normalize(text: str, *, periods: int) -> str:
    words = _without_marks(text, periods=periods).lower().split()
    numbered = (_NUMBER_WORDS.get(word, word) for word in words)
    return " ".join(CONTRACTIONS.get(word, word) for word in numbered if word not in _ARTICLES)


def _without_marks(text: str, *, periods: int) -> str:
    """A mark vanishes if it stands beside a space anywhere (or a number has grouped digits), else it parts words."""
    text = text.replace("\n", " ").replace("\t", " ").strip()
    if not _ANY_MARK.search(text) and "_" not in text:
        return text
    joined = _GROUPED_NUMBER.search(text) is not None
    result = text
    for mark in _MARKS:
        if mark in text:
            vanishes = joined or f"{mark} " in text or f" {mark}" in text
            result = result.replace(mark, "" if vanishes else " ")
    return _LOOSE_PERIOD.sub("", result, count=periods)
