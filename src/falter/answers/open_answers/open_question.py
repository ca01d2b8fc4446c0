"""What an open question asks for, as far as it decides which words of a reply say nothing of their own."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from falter.answers.open_answers.phrases import names_kind, plain_words, singular_forms
from falter.answers.open_answers.words import (
    ANYBODY,
    FUNCTION_WORDS,
    GENERIC,
    IRREGULAR,
    LINKS,
    PEOPLE,
    PLACE_WORDS,
    POSES,
)

__all__ = ["OpenQuestion", "is_ordered", "read_open_question", "stem"]

_CATEGORY = re.compile(
    r"\b(?:what|which|whose)(?:'s|(?: is| are)(?= the (?:name|color|colour|kind|type|brand|number|material|shape)))?"
    r"((?: (?!(?:of|is|are|was|were|does|do|did|can|could|has|have|will|would|on|in|at)\b)[\w'-]+){1,5}?"
    r"(?: of(?: the| this| that)? [\w'-]+)?)"
    r"(?= (?:is|are|was|were|does|do|did|can|could|has|have|will|would|on|in|at|of)\b|\?|$)"
)
_COUNTED = re.compile(
    r"\bhow many (?:of (?:the|these|those) )?"
    r"(?P<what>(?:[\w'-]+ ){0,3}?[\w'-]+?)(?= (?:is|are|was|were|do|does|did|can|could|has|have|had|will"
    r"|would|in|on|at|of|there|that|who|with|to|near|behind|next|under|above|you)\b|\s*\?|\s*$| \w+ing\b| \w+ed\b)"
)
_COLOR = re.compile(r"\b(?:what|which|of what|of which)\b(?: \w+)?(?: is| are)?(?: the)? colou?rs?\b")
_DOES = re.compile(r"^(?:what|which|who|whom)\b.* (?:does|do|did) ")
_ANCHORED = re.compile(
    r"\b(in|on|under|behind|beside|above|below|near|between|over|inside|of|to)"
    r" (?:the|an?|his|her|its|their|this|that|these|those)\b"
    r"(?! (?:image|picture|photo|photograph|scene))"
)


class OpenQuestion(NamedTuple):
    """A question: its words, those that a reply may say again, and the order of those that carry meaning."""

    text: str
    words: tuple[str, ...]
    known: frozenset[str]
    order: tuple[str, ...]
    verbs: tuple[str, ...]
    """Those among them that are said of somebody named before: the answer is no subject of theirs."""
    counted: tuple[str, ...]
    """What "how many" counts."""
    category: frozenset[str]
    """What kind of thing is asked for, as stems: "animal" in "what kind of animal"."""
    alternatives: frozenset[str]
    doing: bool
    """Whether it says what somebody does, so that what else somebody does is no answer."""
    anchored: frozenset[str]
    """The prepositions that have their own thing in the question: "under" in "what is under the table"."""
    where: bool
    color: bool


@lru_cache(maxsize=1 << 12)
def read_open_question(question: str) -> OpenQuestion:
    """Read a question.

    >>> asked = read_open_question("What kind of animal is behind the man?")
    >>> asked.order, read_open_question("How many red cars are there?").counted
    (('behind', 'man'), ('red', 'cars'))
    """
    text = question.lower().strip()
    words = plain_words(text)
    category = _CATEGORY.search(text)
    passed = {stem(word) for word in plain_words(category[1])} if category else set()
    before, offers, _ = text.rpartition(" or ")
    alternatives = _alternatives(text) if offers else frozenset()
    said = plain_words(before.rpartition(",")[0]) if offers and "," in before else words
    order = tuple(
        stem(word)
        for word in said
        if (word not in FUNCTION_WORDS or word in PLACE_WORDS)
        and word not in GENERIC
        and stem(word) not in passed
        and not word.startswith(("how", "where", "when", "why", "many", "much"))
    )
    counted = _COUNTED.search(text)
    return OpenQuestion(
        text,
        words,
        _known(words) | FUNCTION_WORDS | LINKS,
        order,
        tuple(
            stem(word)
            for word in said
            if not offers and word.endswith("ing") and not names_kind(word) and stem(word) in order[1:]
        ),
        _counted(plain_words(counted["what"])) if counted else (),
        frozenset(passed),
        alternatives,
        any(word.endswith("ing") and not names_kind(word) and word not in POSES for word in words if word not in passed)
        or _DOES.search(text) is not None,
        frozenset(match[1] for match in _ANCHORED.finditer(text)),
        re.search(r"\bwhere\b", text) is not None,
        _COLOR.search(text) is not None,
    )


def _counted(words: tuple[str, ...]) -> tuple[str, ...]:
    """The noun phrase that leads some words: "how many children wear glasses" counts children."""
    kinds = (
        at for at, word in enumerate(words) if names_kind(word) or names_kind(min(singular_forms((word,)), key=len))
    )
    return words[: next(kinds, len(words) - 1) + 1]


def _known(words: tuple[str, ...]) -> frozenset[str]:
    """The words of a question with their forms, and other words for the people in it."""
    words = (*words, *(word.removesuffix("'s") for word in words if word.endswith("'s")))
    known = {form for word in words for form in (*singular_forms((word,)), f"{word}s", stem(word))} | set(words)
    if PEOPLE & set(words) or "who" in words:
        known |= ANYBODY
    if ANYBODY & set(words):
        known |= PEOPLE
    verbs = {stem(word) for word in words if not names_kind(word)}
    if verbs & {"hold", "carry"}:
        known |= {"hand", "hands", "arm", "arms"}
    known |= {past for past, verb in IRREGULAR.items() if stem(verb) in verbs}
    return frozenset(known | {f"{verb}{ending}" for verb in verbs for ending in ("s", "es", "ing", "ed")})


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A word without the endings of verbs and plurals, roughly: to compare two words of one sentence.

    >>> stem("wearing"), stem("wears"), stem("sitting"), stem("dogs")
    ('wear', 'wear', 'sit', 'dog')
    """
    word = word if word == "left" else IRREGULAR.get(word, word)
    for ending in ("ing", "ies", "es", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl" else word


def _alternatives(text: str) -> frozenset[str]:
    """The words on both sides of an "or"."""
    before, _, after = text.rpartition(" or ")
    return frozenset((*plain_words(before.rpartition(",")[2])[-2:], *plain_words(after)[:3]))


def is_ordered(order: tuple[str, ...], named: list[str]) -> bool:
    """Whether the words that a text says again come in the order of the question."""
    at = 0
    for word in named:
        if word not in order:
            continue
        if word in order[at:]:
            at = order.index(word, at)
        else:
            return False
    return True
