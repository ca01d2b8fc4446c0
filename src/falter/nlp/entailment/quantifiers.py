"""Exact numbers: "exactly one flower" and "some flowers" cannot both be true, "a flower" and "flowers" can."""

from __future__ import annotations

import re

from falter.english.words import singularize
from falter.english.words.numbers import word_to_number
from falter.nlp.entailment.protocol import Judgement

__all__ = ["compare_quantities", "drop_agreement", "drop_number"]

_EXACTLY_ONE = re.compile(
    r"\b(?:exactly one|a single|just one|only one|one single)\s+((?:[\w'’-]+[ ,]*){1,6})", re.IGNORECASE
)
_SEVERAL = re.compile(
    r"\b(?:some|a number of|several|many|a few|a couple of|multiple|numerous|both|two|three|four|five|six|seven|eight"
    r"|nine|ten|[2-9]|[1-9][0-9]+)\s+((?:[\w'’-]+[ ,]*){1,6})",
    re.IGNORECASE,
)
_QUANTIFIER = re.compile(r"\b(?:exactly one|a single|a number of|a couple of|a few|just one|only one)\b")
_NO = re.compile(r"\b(?:no|zero|0)\s+((?:[\w'’-]+[ ,]*){1,6})", re.IGNORECASE)
_AGREEMENT = (
    frozenset({"is", "are", "was", "were", "'s", "be"}),
    frozenset({"has", "have", "had"}),
    frozenset({"does", "do"}),
    frozenset({"it", "they", "he", "she", "them", "him", "her"}),
    frozenset({"its", "their", "his", "her"}),
    frozenset({"itself", "themselves", "himself", "herself"}),
    frozenset({"a", "an", "the", "this", "that", "some", "these", "those"}),
)


def compare_quantities(premise: str, hypothesis: str) -> Judgement | None:
    """A contradiction where one text has exactly one of what the other has several of; None where none is counted."""
    for one, other in ((premise, hypothesis), (hypothesis, premise)):
        for noun in _counted(_EXACTLY_ONE, one):
            if noun in _counted(_SEVERAL, other):
                return Judgement("contradiction", f"exactly one {noun}, and several")
    for one, other in ((premise, hypothesis), (hypothesis, premise)):
        for noun in _counted(_NO, one):
            if noun in _counted(_SEVERAL, other) or noun in _counted(_EXACTLY_ONE, other):
                return Judgement("contradiction", f"no {noun}, and some")
    return None


def _counted(pattern: re.Pattern[str], text: str) -> set[str]:
    """The words after a quantifier up to six, each in the singular: one of them is the noun."""
    return {
        singularize(word) or word
        for found in pattern.finditer(text)
        for word in re.findall(r"[a-z]+", found[1].lower())[:6]
        if len(word) > 2
    }


def drop_number(text: str) -> str:
    """A text in which quantifiers are one word, and nouns, auxiliaries and pronouns have one form.

    >>> drop_number("Exactly one dog is running.") == drop_number("A number of dogs are running.")
    True
    """
    return " ".join(_one_form(word) for word in _QUANTIFIER.sub("some", text.lower()).replace(".", " ").split())


def _one_form(word: str) -> str:
    group = next((group for group in _AGREEMENT if word in group), None)
    return singularize(word) or word if group is None else min(group)


def drop_agreement(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words that are left where forms of one word, articles and pronouns of the same case are the same.

    >>> drop_agreement(("dog", "is"), ("dogs", "are"))
    ((), ())
    >>> drop_agreement(("two", "cats"), ("three", "cats"))
    (('two',), ('three',))
    """
    if len(old) == len(new):
        kept = [(one, other) for one, other in zip(old, new, strict=True) if not _is_form(one, other)]
        return tuple(one for one, _ in kept), tuple(other for _, other in kept)
    articles = _AGREEMENT[-1]
    return tuple(word for word in old if word not in articles), tuple(word for word in new if word not in articles)


def _is_form(one: str, other: str) -> bool:
    if one == other or any(one in group and other in group for group in _AGREEMENT):
        return True
    if word_to_number(one) is not None or word_to_number(other) is not None:
        return word_to_number(one) == word_to_number(other)
    return (singularize(one) or one) == (singularize(other) or other)
