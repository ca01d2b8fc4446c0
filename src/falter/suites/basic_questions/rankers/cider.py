"""CIDEr of every question of a pool against a main question (Vedantam et al., 2015)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from falter.suites.basic_questions.rankers.ngrams import NgramIndex
from falter.suites.basic_questions.rankers.protocol import TOP, Ranked, best_of
from falter.suites.basic_questions.rankers.tokenization import tokenize

__all__ = ["CiderRanker"]

_LONGEST = 4
_SCALE = 10.0


class CiderRanker:
    """The mean over runs of one to four words of the cosine between tf-idf vectors, times ten.

    How rare a run is comes from the pool, each question being a document. Plain CIDEr: without the D variant's
    clipping and length penalty, and without stemming.
    """

    name = "cider"

    @property
    def signature(self) -> str:
        return f"{self.name}|n:4|idf:pool|no-stemming"

    def fit(self, pool: Sequence[str]) -> None:
        self._index = index = NgramIndex(pool, _LONGEST)
        self._unseen = np.log(max(len(index), 1))
        self._rarity: list[npt.NDArray[np.float64]] = []
        self._norms: list[npt.NDArray[np.float64]] = []
        for length in range(1, _LONGEST + 1):
            rarity = self._unseen - np.log(np.maximum(index.frequencies(length), 1))
            run, doc, count = index.postings(length)
            squares = np.bincount(doc, weights=(count * rarity[run]) ** 2, minlength=len(index))
            self._rarity.append(rarity)
            self._norms.append(np.sqrt(squares))

    def rank(self, queries: Sequence[str], top: int = TOP) -> Iterator[Ranked]:
        for query in queries:
            yield best_of(self.scores(query), top)

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """The score of every question of the pool."""
        words = tokenize(query)
        total = np.zeros(len(self._index))
        for length in range(1, _LONGEST + 1):
            rarity, norms = self._rarity[length - 1], self._norms[length - 1]
            product = np.zeros(len(self._index))
            square = 0.0
            for number, run in self._index.runs(words, length):
                rare = self._unseen if number < 0 else rarity[number]
                square += float(run.times * rare) ** 2
                product[run.docs] += run.times * rare * rare * run.counts
            if square > 0:
                total += np.divide(product, norms * np.sqrt(square), out=np.zeros_like(product), where=norms > 0)
        return total / _LONGEST * _SCALE
