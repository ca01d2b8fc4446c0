"""The answers of a source by augmentation, from which wrong ones are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from random import Random
from typing import NamedTuple

from falter.suites.rad.said_elsewhere import said_of

__all__ = ["PRIOR", "AnswerCount", "AnswerPool", "head_noun"]

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
        return _drawn(self._all_powers, rng)

    def draw_for(self, subject: str, rng: Random, *, same_subject: bool = False) -> Iterator[str]:
        """The same by how often they are given about such a subject, which is estimated where it is rare.

        With ``same_subject`` there are only those that were given about it.
        """
        noun = head_noun(subject)
        key = noun, same_subject
        if key not in self._powers:
            own = self._by_head.get(noun, Counter())
            self._powers[key] = _powers(own if same_subject else self._rates(noun, own))
        return _drawn(self._powers[key], rng)

    def _rates(self, noun: str, own: Counter[str]) -> dict[str, float]:
        return {one: own[one] + said_of(noun, one)[0] + PRIOR * self.share(one) for one in self._all}


_Powers = list[tuple[str, float]]
"""Answers, each with one over its weight."""


def _powers(weights: Mapping[str, float]) -> _Powers:
    return [(answer, 1 / weight) for answer, weight in sorted(weights.items())]


def _drawn(powers: _Powers, rng: Random) -> Iterator[str]:
    draw = rng.random
    keyed = sorted([(draw() ** power, answer) for answer, power in powers], reverse=True)
    return (answer for _, answer in keyed)
