"""An inverted index of a pool's runs of words: which questions have a run, and how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falter.suites.basic_questions.rankers.tokenization import tokenize

__all__ = ["Integers", "NgramIndex", "NgramPostings"]

Integers = npt.NDArray[np.int64]


class NgramPostings(NamedTuple):
    """One run of words of a query: how often the query has it, and the questions that have it, with how often."""

    times: int
    docs: Integers
    counts: Integers


class _Level(NamedTuple):
    """All runs of one length: ``keys`` (sorted) name them; the postings of one lie from its ``start`` to the next."""

    keys: Integers
    start: Integers
    docs: Integers
    counts: Integers


class NgramIndex:
    """Runs of one to ``longest`` words of every question."""

    def __init__(self, texts: Sequence[str], longest: int) -> None:
        self.vocabulary: dict[str, int] = {}
        words = [[self.vocabulary.setdefault(word, len(self.vocabulary)) for word in tokenize(text)] for text in texts]
        self.lengths: Integers = np.array([len(row) for row in words], dtype=np.int64)
        self.tokens: Integers = np.array([word for row in words for word in row], dtype=np.int64)
        self.offsets: Integers = np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)
        self._levels = self._build(longest)

    def __len__(self) -> int:
        return len(self.lengths)

    def totals(self, length: int) -> Integers:
        """How many runs of a length each question has."""
        return np.maximum(self.lengths - length + 1, 0)

    def frequencies(self, length: int) -> Integers:
        """For each run of a length, in how many questions it is."""
        return np.diff(self._levels[length - 1].start)

    def postings(self, length: int) -> tuple[Integers, Integers, Integers]:
        """All postings of a length: the run, the question, and how often it has the run."""
        level = self._levels[length - 1]
        return np.repeat(np.arange(len(level.keys)), np.diff(level.start)), level.docs, level.counts

    def runs(self, words: Sequence[str], length: int) -> list[tuple[int, NgramPostings]]:
        """A query's different runs of a length, each with its number; -1 for one that no question has."""
        size = max(len(self.vocabulary), 1)
        codes = np.array([self.vocabulary.get(word, -1) for word in words], dtype=np.int64)
        numbers = codes
        for longer in range(2, length + 1):
            following = codes[longer - 1 :]
            before = numbers[: len(following)]
            known = (before >= 0) & (following >= 0)
            numbers = np.where(known, _find(self._levels[longer - 1].keys, before * size + following), -1)
        written = [tuple(words[start : start + length]) for start in range(len(words) - length + 1)]
        number_of = dict(zip(written, numbers.tolist(), strict=False))
        return [(number_of[run], self._run(number_of[run], times, length)) for run, times in Counter(written).items()]

    def _run(self, number: int, times: int, length: int) -> NgramPostings:
        level = self._levels[length - 1]
        part = slice(0, 0) if number < 0 else slice(level.start[number], level.start[number + 1])
        return NgramPostings(times, level.docs[part], level.counts[part])

    def _build(self, longest: int) -> list[_Level]:
        size, number = max(len(self.vocabulary), 1), max(len(self), 1)
        doc = np.repeat(np.arange(len(self)), self.lengths)
        place = np.arange(len(self.tokens)) - np.repeat(self.offsets[:-1], self.lengths)
        levels: list[_Level] = []
        keys: Integers = np.arange(size, dtype=np.int64)
        runs: Integers = self.tokens
        for length in range(1, longest + 1):
            if length > 1:
                whole = np.flatnonzero(place + length <= self.lengths[doc]) if len(doc) else place
                joined = runs[whole] * size + self.tokens[whole + length - 1]
                keys, inverse = np.unique(joined, return_inverse=True)
                runs = np.full(len(self.tokens), -1, dtype=np.int64)
                runs[whole] = inverse
            here = np.flatnonzero(runs >= 0)
            pairs, counts = np.unique(runs[here] * number + doc[here], return_counts=True)
            start = np.searchsorted(pairs, np.arange(len(keys) + 1) * number)
            levels.append(_Level(keys, start, pairs % number, counts.astype(np.int64)))
        return levels


def _find(keys: Integers, wanted: Integers) -> Integers:
    """The places of some keys in a sorted list, -1 for those that are not in it."""
    if not len(keys):
        return np.full(len(wanted), -1, dtype=np.int64)
    place = np.searchsorted(keys, wanted)
    place[place == len(keys)] = 0
    return np.where(keys[place] == wanted, place, -1)
