"""Whether an answer may be as right as another: a synonym, a wider or narrower word, or one that holds the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from falter.english import default_grammar
from falter.english.open_slots import open_phrases
from falter.english.rewrites.word_patterns import word_class
from falter.english.words import singularize, word_to_number

__all__ = ["adds_another", "are_disjoint_kinds", "holds_the_other", "may_be_same", "same_dimension"]

_WORD = re.compile(r"[a-z0-9']+")
_STEM = 5
_JOINED = re.compile(r"\band\b|\bwith\b|[,/&]")


def may_be_same(answer: str, others: Iterable[str], groups: Sequence[frozenset[str]] = ()) -> bool:
    """Whether an answer may be right where one of the others is; ``groups`` are answers that are not told apart."""
    one, lowered = answer.lower(), {other.lower() for other in others}
    near = [group for group in groups if one in group]
    return any(_may_be_same(one, other) for other in lowered) or any(not group.isdisjoint(lowered) for group in near)


@lru_cache(maxsize=200_000)
def _may_be_same(one: str, other: str) -> bool:
    numbers = word_to_number(one), word_to_number(other)
    if None not in numbers:
        return numbers[0] == numbers[1]
    first, second = _words(one), _words(other)
    if not first or not second or first <= second or second <= first:
        return True
    if any(a[:_STEM] == b[:_STEM] for a in first for b in second if min(len(a), len(b)) >= _STEM):
        return True
    return _related_kinds(one, other) or any(_related_kinds(a, b) for a in first for b in second)


def _words(text: str) -> frozenset[str]:
    lexicon = open_phrases(default_grammar().ontology).lexicon
    words = _WORD.findall(text)
    return frozenset(lexicon.attribute(word) or singularize(word) or word for word in words if word not in ("a", "and"))


def holds_the_other(one: str, other: str) -> bool:
    """Whether an answer has all words of another: "white and blue" and "blue", or two ways to say a number."""
    numbers = word_to_number(one), word_to_number(other)
    if None not in numbers:
        return numbers[0] == numbers[1]
    first, second = _words(one.lower()), _words(other.lower())
    return first <= second or second <= first


def adds_another(one: str, other: str) -> bool:
    """Whether an answer joins another one to something else: "black and white" where "white" was said."""
    return _JOINED.search(one) is not None and _JOINED.search(other) is None


def same_dimension(one: str, other: str) -> bool:
    """Whether two answers are about the same thing: a stone building may be a church, but is not of brick."""
    return _dimension(one.lower()) == _dimension(other.lower())


@lru_cache(maxsize=65536)
def _dimension(answer: str) -> str:
    ontology = default_grammar().ontology
    value = open_phrases(ontology).lexicon.attribute(answer)
    if answer in word_class("material"):
        return "material"
    return "" if value is None else ontology.family_by_value.get(value, "")


def are_disjoint_kinds(one: str, other: str) -> bool:
    """Whether two answers name kinds of which nothing is both."""
    ontology = default_grammar().ontology
    first, second = ontology.kind_for_name(one.lower()), ontology.kind_for_name(other.lower())
    return first is not None and second is not None and ontology.are_disjoint(first, second)


def _related_kinds(one: str, other: str) -> bool:
    ontology = default_grammar().ontology
    first, second = ontology.kind_for_name(one), ontology.kind_for_name(other)
    if first is not None and second is not None:
        return not ontology.are_disjoint(first, second)
    return ontology.attributes.overlap(one, other)
