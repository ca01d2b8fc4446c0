"""Noise: which questions are put beside a main one, how they are put there, and the items of the probe.

They are partitions of its ranking, or controls. They stand after the main question as in the paper, before it, around
it, or as earlier turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from falter.data.items import ImageRef, Item, Probe, Turn
from falter.generation.nlp.encoders import Vectors
from falter.generation.sources.protocol import Question
from falter.suites.basic_questions.options import Band, NoisePosition
from falter.suites.basic_questions.rankers.embedding_rankers import cosines
from falter.suites.basic_questions.ranking import BasicQuestion

QUESTIONS_PER_PARTITION = 3
PARTITIONS = 7

Floats = npt.NDArray[np.float64]

_MAIN_AT_ONCE = 64


class Noise(NamedTuple):
    """Questions to put beside a main one, and what to call them."""

    basics: tuple[BasicQuestion, ...]
    facets: dict[str, str]


def word_count(text: str) -> int:
    """Words as a reader counts them: what stands between spaces."""
    return len(text.split())


def partitions(basics: Sequence[BasicQuestion]) -> Iterator[Noise]:
    """The first three basic questions, the next three, and so on to the seventh; an incomplete three is left out."""
    for number in range(PARTITIONS):
        three = tuple(basics[number * QUESTIONS_PER_PARTITION : (number + 1) * QUESTIONS_PER_PARTITION])
        if len(three) == QUESTIONS_PER_PARTITION:
            yield Noise(three, {"partition": str(number + 1)})


class ControlQuestions:
    """Controls from the pool: questions drawn at random, or as long as the noise and nothing else like it."""

    def __init__(self, pool: Sequence[str]) -> None:
        self._pool = pool
        self._by_length: dict[int, list[int]] = {}
        for place, text in enumerate(pool):
            self._by_length.setdefault(word_count(text), []).append(place)
        self._lengths = sorted(self._by_length)

    def random(self, rng: Random, number: int, without: frozenset[str]) -> tuple[BasicQuestion, ...]:
        """Some questions of the pool, drawn without regard to anything."""
        return tuple(BasicQuestion(text, 0.0) for text in self._draw(rng, [None] * number, without))

    def as_long_as(
        self, basics: Sequence[BasicQuestion], rng: Random, without: frozenset[str]
    ) -> tuple[BasicQuestion, ...]:
        """For each question another of as many words, or of the nearest number there is."""
        wanted = [word_count(one.text) for one in basics]
        return tuple(BasicQuestion(text, 0.0) for text in self._draw(rng, wanted, without))

    def _draw(self, rng: Random, lengths: Sequence[int | None], without: frozenset[str]) -> list[str]:
        drawn: list[str] = []
        taken = set(without)
        for length in lengths:
            for places in self._at(length):
                free = self._free(rng, places, taken)
                if free is not None:
                    drawn.append(free)
                    taken.add(free)
                    break
        return drawn

    def _at(self, length: int | None) -> Iterator[Sequence[int]]:
        if length is None:
            yield range(len(self._pool))
            return
        yield from (self._by_length[one] for one in sorted(self._lengths, key=lambda one: (abs(one - length), one)))

    def _free(self, rng: Random, places: Sequence[int], taken: set[str]) -> str | None:
        for _ in range(8):
            text = self._pool[places[rng.randrange(len(places))]] if places else None
            if text is not None and text not in taken:
                return text
        rest = [self._pool[place] for place in places if self._pool[place] not in taken]
        return rng.choice(rest) if rest else None


class Distractors:
    """Questions at a chosen likeness to the main one, by the cosine of their vectors."""

    def __init__(self, pool: Sequence[str], vectors: Vectors) -> None:
        self._pool = pool
        self._vectors = vectors

    def cosines(self, queries: Vectors) -> Iterator[Floats]:
        """The likeness of every question of the pool to each query, some queries at a time."""
        for start in range(0, len(queries), _MAIN_AT_ONCE):
            yield from cosines(queries[start : start + _MAIN_AT_ONCE], self._vectors)

    def within(
        self, likeness: Floats, bands: Sequence[Band], rng: Random
    ) -> list[tuple[Band, tuple[BasicQuestion, ...]]]:
        """For each band three questions whose cosine lies in it; fewer where there are not so many."""
        order = np.argsort(likeness, kind="stable")
        rising = likeness[order]
        found = []
        for low, high in bands:
            # A band holds its lower end and not its higher, but for the highest of all.
            begin, end = np.searchsorted(rising, [low, high])
            end = len(rising) if high >= 1 else int(end)
            places = rng.sample(range(int(begin), end), min(QUESTIONS_PER_PARTITION, max(end - int(begin), 0)))
            chosen = sorted((round(float(rising[place]), 6), self._pool[order[place]]) for place in places)
            found.append(((low, high), tuple(BasicQuestion(text, cosine) for cosine, text in reversed(chosen))))
        return found


LONGEST = 26
"""What the paper takes to be the most words of a main question with three basic ones."""

TURN_ROLE = "user"


class CombinedQuestion(NamedTuple):
    """What a model is asked: a text, and earlier turns where the basic questions are such."""

    text: str
    context: tuple[Turn, ...] | None = None

    @property
    def words(self) -> int:
        """All words that the model reads."""
        return len(self.text.split()) + sum(len(turn.text.split()) for turn in self.context or ())


def combine_questions(main: str, basics: Sequence[str], position: NoisePosition) -> CombinedQuestion:
    """The main question with its basic ones, one space between.

    >>> combine_questions("Is it red?", ["Is it blue?", "Is it green?"], "around").text
    'Is it blue? Is it red? Is it green?'
    """
    if not basics:
        return CombinedQuestion(main)
    if position == "chat":
        return CombinedQuestion(main, tuple(Turn(TURN_ROLE, text) for text in basics))
    before = {"after": 0, "before": len(basics), "around": len(basics) // 2}[position]
    return CombinedQuestion(" ".join([*basics[:before], main, *basics[before:]]))


class Variant(NamedTuple):
    """A main question with its basic ones, and the facets that this variant alone has."""

    asked: CombinedQuestion
    basics: tuple[BasicQuestion, ...]
    facets: dict[str, str]


def make_probe(
    test: str,
    question: Question,
    image: ImageRef,
    variants: Sequence[Variant],
    facets: dict[str, str] | None = None,
    told: dict[str, Any] | None = None,
) -> Probe:
    """The probe of a main question; ``facets`` are those of all its items, ``told`` is written with the original."""
    shared = {"answer_type": question.answer_type or "unknown", **(facets or {})}
    items = [_item(test, 0, question, image, CombinedQuestion(question.text), shared, told)]
    for number, (asked, basics, own) in enumerate(variants, start=1):
        length = f"more than {LONGEST}" if asked.words > LONGEST else f"{LONGEST} or fewer"
        extra = {"basic_questions": [{"BQ": one.text, "score": one.score} for one in basics]}
        items.append(_item(test, number, question, image, asked, {**shared, **own, "words": length}, extra))
    return Probe(tuple(items))


def _item(
    test: str,
    number: int,
    question: Question,
    image: ImageRef,
    asked: CombinedQuestion,
    facets: dict[str, str],
    extra: dict[str, Any] | None,
) -> Item:
    return Item.make(
        suite="basic-questions",
        test=test,
        probe_id=f"{test}-{question.id}",
        variant=number,
        image=image,
        text=asked.text,
        context=(*(question.context or ()), *(asked.context or ())) or None,
        choices=question.choices,
        gold=question.answer,
        answers=question.answers,
        source_id=question.id,
        facets=facets,
        extra=None if extra is None else msgspec.json.encode(extra).decode(),
    )
