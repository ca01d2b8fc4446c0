"""BM25, the ranking of search engines, by the library bm25s."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from falter.errors import UsageError
from falter.suites.basic_questions.rankers.protocol import TOP, Ranked, best_of
from falter.suites.basic_questions.rankers.tokenization import tokenize

__all__ = ["Bm25Ranker"]


class Bm25Ranker:
    """BM25 as Lucene computes it (k1 = 1.5, b = 0.75)."""

    name = "bm25"

    @property
    def signature(self) -> str:
        return f"{self.name}|lucene|k1:1.5|b:0.75"

    def fit(self, pool: Sequence[str]) -> None:
        try:
            import bm25s
        except ModuleNotFoundError as error:
            raise UsageError("the ranker bm25 needs bm25s: pip install 'falter[rankers]'") from error
        # It reports its every step to a program that keeps a log.
        logging.getLogger("bm25s").setLevel(logging.WARNING)
        self._size = len(pool)
        self._engine = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        # A text without words has no token that the library could index.
        tokens = [tokenize(text) or ["\x00"] for text in pool]
        self._engine.index(tokens, show_progress=False)

    def rank(self, queries: Sequence[str], top: int = TOP) -> Iterator[Ranked]:
        for query in queries:
            yield best_of(self.scores(query), top)

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """The score of every question of the pool."""
        known = [word for word in tokenize(query) if word in self._engine.vocab_dict]
        if not known:
            return np.zeros(self._size)
        return np.asarray(self._engine.get_scores(known), dtype=np.float64)
