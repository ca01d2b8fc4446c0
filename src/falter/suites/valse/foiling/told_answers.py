"""Questions that their caption answers: nobody needs the image to know whether a red bus is red."""

from __future__ import annotations

import re

from falter.suites.valse.foiling.antecedents import word_list

__all__ = ["is_told"]

_WORD = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_ENDINGS = ("ing", "ed", "es", "s", "y", "e")
_SHORTEST = 3
"""Letters that a word without its ending has at least."""


def is_told(question: str, caption: str) -> bool:
    """Whether a caption has all words of a question that are not words of grammar, in whatever form.

    >>> is_told("is it raining", "a cyclist in the rain"), is_told("is it snowing", "a car stuck in the snow")
    (True, True)
    >>> is_told("is it red", "a bus"), is_told("is it", "a bus")
    (False, False)
    """
    asked = {_stem(word) for word in _WORD.findall(question.lower()) if word not in word_list("of_grammar")}
    return bool(asked) and asked <= {_stem(word) for word in _WORD.findall(caption.lower())}


def _stem(word: str) -> str:
    """A word without its ending: sun for sunny, rid for riding and ride."""
    ending = next((one for one in _ENDINGS if word.endswith(one) and len(word) - len(one) >= _SHORTEST), "")
    stem = word.removesuffix(ending)
    return stem[:-1] if len(stem) > _SHORTEST and stem[-1] == stem[-2] else stem
