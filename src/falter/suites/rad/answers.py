"""Answers of a source: when two may be the same, how usual one is, and the pool from which wrong ones are drawn.

Two are the same that differ in case, punctuation or an article only. One may be as right as another if it is a synonym,
a wider or narrower word, or holds the other. How usual one is comes in steps, so that common sense does not tell yes
from no: by the source, and by the counts of what is said of things in other images.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from math import log, log2
from random import Random
from typing import NamedTuple

from falter.data.word_forms import singularize, word_to_number
from falter.generation.authoring.question_builder import SCALE
from falter.generation.cooccurrence import ImageCounts, load_table
from falter.generation.english import default_grammar
from falter.generation.english.open_slots import open_phrases
from falter.generation.english.rewrites.word_patterns import word_class

_ARTICLE = re.compile(r"\s*(?:(?:an?|the)\s+)?(.*?)[\s.!]*", re.IGNORECASE | re.DOTALL)
_PLAIN_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def plain_words(text: str) -> str:
    """The words of a text in lower case.

    >>> plain_words("What's the dog's color ?") == plain_words("what's the Dog's color")
    True
    """
    return " ".join(_PLAIN_WORD.findall(text.casefold()))


def plain_answer(answer: str) -> str:
    """An answer without an article before it, or a full stop after it.

    >>> plain_answer("A dog."), plain_answer("the"), plain_answer("Dell")
    ('dog', 'the', 'Dell')
    """
    found = _ARTICLE.fullmatch(answer)
    return answer if found is None else found[1]


_WORD = re.compile(r"[a-z0-9']+")
_STEM_LENGTH = 5
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
    first, second = _word_set(one), _word_set(other)
    if not first or not second or first <= second or second <= first:
        return True
    if any(a[:_STEM_LENGTH] == b[:_STEM_LENGTH] for a in first for b in second if min(len(a), len(b)) >= _STEM_LENGTH):
        return True
    return _related_kinds(one, other) or any(_related_kinds(a, b) for a in first for b in second)


def _word_set(text: str) -> frozenset[str]:
    lexicon = open_phrases(default_grammar().ontology).lexicon
    words = _WORD.findall(text)
    return frozenset(lexicon.attribute(word) or singularize(word) or word for word in words if word not in ("a", "and"))


def holds_the_other(one: str, other: str) -> bool:
    """Whether an answer has all words of another: "white and blue" and "blue", or two ways to say a number."""
    numbers = word_to_number(one), word_to_number(other)
    if None not in numbers:
        return numbers[0] == numbers[1]
    first, second = _word_set(one.lower()), _word_set(other.lower())
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


@lru_cache(maxsize=1)
def _counts() -> ImageCounts:
    return load_table().draw


@lru_cache(maxsize=1)
def _said_in_all() -> Counter[str]:
    colors = default_grammar().ontology.families["color"].values
    found: Counter[str] = Counter()
    for (kind, value), count in _counts().attributes.items():
        if value in colors:
            found[kind] += count
    return found


@lru_cache(maxsize=65536)
def said_of(noun: str, answer: str) -> tuple[int, int]:
    """How often a color is said of a noun, and how often any is; 0 of what is no color, or of an unknown noun."""
    ontology = default_grammar().ontology
    kind, value = ontology.kind_for_name(noun), open_phrases(ontology).lexicon.attribute(answer)
    if kind is None or value is None or value not in ontology.families["color"].values:
        return 0, 0
    return _counts().attributes[kind, value], _said_in_all()[kind]


@lru_cache(maxsize=8192)
def images_with(name: str) -> int | None:
    """How many images have a kind; None where the name is none."""
    kind = default_grammar().ontology.kind_for_name(name)
    return None if kind is None else _counts().kinds[kind]


PRIOR = 3.0
"""Answers as they are given about anything that count as much as those about a noun: of a rare one little is known."""
_AFTER_NOUN = frozenset(
    {
        "in", "on", "at", "of", "with", "behind", "near", "under", "over", "above", "below", "by", "to", "from",
        "that", "who", "which", "is", "are", "next", "beside", "wearing", "holding", "standing", "sitting", "around",
        "hanging", "between", "inside", "outside", "closest", "farthest", "furthest", "being", "used", "parked",
    }
)  # fmt: skip


@lru_cache(maxsize=65536)
def head_noun(subject: str) -> str:
    """The noun that a subject is about: "shirt" in "man's shirt on the left"."""
    words = subject.lower().split()
    end = next((place for place, word in enumerate(words) if place and word in _AFTER_NOUN), len(words))
    return words[end - 1] if words else ""


class AnswerCount(NamedTuple):
    """How often an answer was given, and how often any was."""

    answers: float
    in_all: float


class AnswerPool:
    """How often each answer was given, in all and by subject."""

    def __init__(self, answers: Iterable[tuple[str, str]]) -> None:
        """From pairs of a subject and an answer."""
        self._all: Counter[str] = Counter()
        self._by_head: dict[str, Counter[str]] = {}
        self._powers: dict[tuple[str, bool], _Powers] = {}
        self._all_powers: _Powers = []
        for subject, answer in answers:
            self._all[answer] += 1
            self._by_head.setdefault(head_noun(subject), Counter())[answer] += 1

    def __len__(self) -> int:
        return len(self._all)

    def noun(self, subject: str) -> str:
        """The noun by which answers about a subject are counted."""
        return head_noun(subject)

    def times_given(self, answer: str) -> int:
        """How often an answer was given about anything."""
        return self._all[answer]

    def times_given_about(self, subject: str, answer: str) -> int:
        """How often an answer was given about such a subject."""
        return self._by_head.get(head_noun(subject), Counter())[answer]

    def share(self, answer: str) -> float:
        """The share of an answer among all."""
        return self._all[answer] / max(self._total, 1)

    def count(self, subject: str, answer: str, *, given: bool) -> AnswerCount:
        """How often an answer was given about such a subject, and how often any; half for the one that is ``given``.

        That it was given says that it is usual, beyond what the other answers tell.
        """
        own = self._by_head.get(head_noun(subject), Counter())
        return AnswerCount(own[answer] - given / 2, own.total() - 0.5)

    @cached_property
    def _total(self) -> int:
        return self._all.total()

    def draw(self, rng: Random) -> Iterator[str]:
        """All answers in a drawn order, the frequent ones rather first."""
        if not self._all_powers:
            self._all_powers = _powers(self._all)
        return _draw_weighted(self._all_powers, rng)

    def draw_for(self, subject: str, rng: Random, *, same_subject: bool = False) -> Iterator[str]:
        """The same by how often they are given about such a subject, which is estimated where it is rare.

        With ``same_subject`` there are only those that were given about it.
        """
        noun = head_noun(subject)
        key = noun, same_subject
        if key not in self._powers:
            own = self._by_head.get(noun, Counter())
            self._powers[key] = _powers(own if same_subject else self._rates(noun, own))
        return _draw_weighted(self._powers[key], rng)

    def _rates(self, noun: str, own: Counter[str]) -> dict[str, float]:
        return {one: own[one] + said_of(noun, one)[0] + PRIOR * self.share(one) for one in self._all}


_Powers = list[tuple[str, float]]
"""Answers, each with one over its weight."""


def _powers(weights: Mapping[str, float]) -> _Powers:
    return [(answer, 1 / weight) for answer, weight in sorted(weights.items())]


def _draw_weighted(powers: _Powers, rng: Random) -> Iterator[str]:
    draw = rng.random
    keyed = sorted([(draw() ** power, answer) for answer, power in powers], reverse=True)
    return (answer for _, answer in keyed)


_LIFT_STEPS = 3


def usualness(pool: AnswerPool, subject: str, answer: str, *, given: bool) -> tuple[str, ...]:
    """Features of an answer about a subject, by the answers of the source and by what is said of other images.

    ``given`` says that it was the answer to the question itself, which counts half.
    """
    said, in_all = said_of(pool.noun(subject), answer)
    seen = pool.count(subject, answer, given=given)
    expected = pool.share(answer)
    rate = (seen.answers + said + PRIOR * expected) / (seen.in_all + in_all + PRIOR)
    lift = f"{SCALE}lift:{round(_LIFT_STEPS * log(rate / expected))}" if expected and rate > 0 else f"{SCALE}lift:none"
    # What tells most weighs most.
    found = (lift, lift, f"{SCALE}often:{round(log2(1 + said + seen.answers))}")
    images = images_with(answer)
    return found if images is None else (*found, f"{SCALE}common:{round(log2(1 + images))}")
