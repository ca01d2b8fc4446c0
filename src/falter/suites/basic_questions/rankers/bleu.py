"""BLEU-1 to BLEU-4 of every question of a pool against a main question (Papineni et al., 2002)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from falter.suites.basic_questions.rankers.ngrams import NgramIndex
from falter.suites.basic_questions.rankers.protocol import TOP, Ranked, best_of
from falter.suites.basic_questions.rankers.tokenization import tokenize

__all__ = ["BleuRanker"]


class BleuRanker:
    """Sentence BLEU with runs of up to ``order`` words; the main question is the reference.

    Smoothed by sacrebleu's default for sentences ("exp": an order without a match has half the precision of one match,
    the next a quarter), over the orders that a question is long enough for.
    """

    def __init__(self, order: int) -> None:
        self.order = order
        self.name = f"bleu-{order}"

    @property
    def signature(self) -> str:
        return f"{self.name}|smooth:exp|effective-order"

    def fit(self, pool: Sequence[str]) -> None:
        self._index = NgramIndex(pool, self.order)

    def rank(self, queries: Sequence[str], top: int = TOP) -> Iterator[Ranked]:
        for query in queries:
            yield best_of(self.scores(query), top)

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """The score of every question of the pool."""
        words, index = tokenize(query), self._index
        size = len(index)
        any_match = np.zeros(size, dtype=bool)
        logarithms = np.zeros(size)
        orders = np.zeros(size, dtype=np.int64)
        halved = np.ones(size)
        with np.errstate(divide="ignore", invalid="ignore"):
            for order in range(1, self.order + 1):
                matches = np.zeros(size)
                for _, run in index.runs(words, order):
                    matches[run.docs] += np.minimum(run.counts, run.times)
                any_match |= matches > 0
                total = index.totals(order)
                there = total > 0
                none = there & (matches == 0)
                halved[none] *= 2
                precision = np.where(none, 1 / (halved * total), matches / total)
                logarithms[there] += np.log(precision[there])
                orders[there] += 1
            brevity = np.where(index.lengths < len(words), np.exp(1 - len(words) / index.lengths), 1.0)
            scores = brevity * np.exp(logarithms / orders)
        return np.where(any_match, scores, 0.0)
