"""The answers of a source by augmentation, from which wrong ones are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random

__all__ = ["AnswerPool", "head_noun"]

_FEWEST = 4
"""Distinct answers that a subject must have had before its own are drawn from."""
_AFTER_NOUN = frozenset(
    {
        "in", "on", "at", "of", "with", "behind", "near", "under", "over", "above", "below", "by", "to", "from",
        "that", "who", "which", "is", "are", "next", "beside", "wearing", "holding", "standing", "sitting", "around",
        "hanging", "between", "inside", "outside", "closest", "farthest", "furthest", "being", "used", "parked",
    }
)  # fmt: skip


def head_noun(subject: str) -> str:
    """The noun that a subject is about: "shirt" in "man's shirt on the left"."""
    words = subject.lower().split()
    end = next((place for place, word in enumerate(words) if place and word in _AFTER_NOUN), len(words))
    return words[end - 1] if words else ""


class AnswerPool:
    """How often each answer was given, in all and by subject."""

    def __init__(self, answers: Iterable[tuple[str, str]]) -> None:
        """From pairs of a subject and an answer."""
        self._all: Counter[str] = Counter()
        self._by_head: dict[str, Counter[str]] = {}
        for subject, answer in answers:
            self._all[answer] += 1
            self._by_head.setdefault(head_noun(subject), Counter())[answer] += 1

    def __len__(self) -> int:
        return len(self._all)

    def draw(self, rng: Random) -> Iterator[str]:
        """All answers in a drawn order, the frequent ones rather first."""
        return _drawn(self._all, rng)

    def draw_for(self, subject: str, rng: Random, *, same_subject: bool = False) -> Iterator[str]:
        """The same, beginning with those given to questions about such a subject, where these are not too few.

        With ``same_subject`` there are no others.
        """
        own = self._by_head.get(head_noun(subject), Counter())
        if same_subject:
            yield from _drawn(own, rng)
            return
        if len(own) < _FEWEST:
            yield from self.draw(rng)
            return
        yield from _drawn(own, rng)
        yield from (answer for answer in self.draw(rng) if answer not in own)


def _drawn(counts: Counter[str], rng: Random) -> Iterator[str]:
    keyed = sorted(((rng.random() ** (1 / count), answer) for answer, count in sorted(counts.items())), reverse=True)
    return (answer for _, answer in keyed)
