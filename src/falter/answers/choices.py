"""The choices of an item, prepared once: which of them a text is, which it names, and which its number stands for."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from falter.answers.lexicon import NEGATIONS
from falter.answers.normalize import normalize

__all__ = ["EDGES", "Choices", "exactly", "is_listing", "mentioned", "prepare", "words_of"]

EDGES = " \t\r\n.,;:!?\"'()[]{}<>|-–—…*"

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[.,;:!?\n/|…—–]")
_NUMBER = re.compile(r"\d")
_MARK_FIRST = re.compile(r"\s*[(\[]?\w(?:\s*[)\]]|[.:]\s)\s*\S")
_MARGIN = 24
"""So much longer than a choice its spelling may be: articles, number words, punctuation."""
_LISTING = re.compile(
    r"(?:both\s+|either\s+)?\(?\b(?:[a-z]|\d)\b\)?(?:\s*(?:,|/|&|and|or|\.)\s*(?:both\s+)?\(?\b(?:[a-z]|\d)\b\)?)+\.?"
)


class Choices(NamedTuple):
    """The choices of an item, prepared once."""

    given: tuple[str, ...]
    by_form: dict[str, str | None]
    phrases: tuple[tuple[tuple[str, ...], str], ...]
    polar: dict[str, str]
    lettered: bool
    """Letters may stand for the choices: none of them is a letter."""
    numbered: bool
    """Numbers may stand for the choices: none of them holds a number."""
    counts: bool
    """All choices are numbers."""
    ascii: bool
    longest: int
    """How long a text may be that is one of them."""


@lru_cache(maxsize=1 << 12)
def prepare(given: tuple[str, ...]) -> Choices:
    """Prepare choices."""
    by_form: dict[str, str | None] = {}
    for form, choice in [*((choice.casefold(), choice) for choice in given), *((normalize(c), c) for c in given)]:
        # Two choices of one form (they differ in case or an article) are told apart only by their exact spelling.
        by_form[form] = choice if by_form.get(form, choice) == choice else None
    polar = {form: choice for choice in given if (form := normalize(choice)) in ("yes", "no")}
    phrases = [(tuple(words_of(choice.lower())[0]), choice) for choice in given]
    phrases = [(words, choice) for words, choice in phrases if words]
    several = 2 <= len(given) <= 26
    return Choices(
        given=given,
        by_form=by_form,
        phrases=tuple(sorted(phrases, key=lambda phrase: -len(phrase[0]))),
        polar=polar if len(polar) == 2 else {},
        lettered=several and all(len(choice.strip()) > 1 or choice.strip().isdigit() for choice in given),
        numbered=several and not any(_NUMBER.search(normalize(choice)) for choice in given),
        counts=all(normalize(choice).isdigit() for choice in given),
        ascii=all(choice.isascii() for choice in given),
        longest=max(map(len, given)) * 2 + _MARGIN,
    )


def exactly(text: str, choices: Choices) -> str | None:
    """The choice that a text is, but for case, punctuation, articles and number words."""
    trimmed = text.strip(EDGES)
    by_form = choices.by_form
    found = by_form.get(text.strip()) or by_form.get(trimmed)
    if found is not None or len(trimmed) > choices.longest or _MARK_FIRST.match(text):
        return found
    return by_form.get(normalize(text)) or by_form.get(normalize(trimmed))


def mentioned(text: str, choices: Choices) -> list[str]:
    """The choices that a text names and does not deny; a choice inside a longer one does not count."""
    words, denied = words_of(text)
    found = _find(words, denied, choices)
    if not found and any(word.endswith("s") for word in words):
        known = {word for phrase, _ in choices.phrases for word in phrase}
        singular = [next((one for one in (word[:-1], word[:-2]) if one in known), word) for word in words]
        found = _find(
            [s if w.endswith("s") and w not in known else w for w, s in zip(words, singular, strict=True)],
            denied,
            choices,
        )
    return found


def _find(words: list[str], denied: list[bool], choices: Choices) -> list[str]:
    taken = [False] * len(words)
    found: dict[str, None] = {}
    for phrase, choice in choices.phrases:
        first, length = phrase[0], len(phrase)
        for start, word in enumerate(words):
            if word != first or (length > 1 and tuple(words[start : start + length]) != phrase):
                continue
            if not any(taken[start : start + length]):
                taken[start : start + length] = [True] * length
                if not denied[start] and choice not in choices.polar.values():
                    found[choice] = None
    return list(found)


def words_of(text: str) -> tuple[list[str], list[bool]]:
    """The words of a text without articles, numbers as digits; and for each, whether a negation comes before it."""
    words: list[str] = []
    denied: list[bool] = []
    negated = False
    for token in _WORD.findall(text):
        if token in ("a", "an", "the"):
            continue
        if token in ("and", "but") or not token[0].isalnum():
            negated = False
        negated = negated or token in NEGATIONS
        if token[0].isalnum():
            words.append(normalize(token))
            denied.append(negated)
    return words, denied


def is_listing(text: str) -> bool:
    """Whether a text is several letters or numbers in a row: ``a or b``."""
    return _LISTING.fullmatch(text.strip()) is not None
