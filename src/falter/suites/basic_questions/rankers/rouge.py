"""ROUGE-L of every question of a pool against a main question (Lin, 2004): the longest common subsequence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from falter.suites.basic_questions.rankers.ngrams import NgramIndex
from falter.suites.basic_questions.rankers.protocol import TOP, Ranked, best_of
from falter.suites.basic_questions.rankers.tokenization import tokenize

__all__ = ["RougeRanker"]

_BITS = 64


class RougeRanker:
    """The F-measure of the longest common subsequence, without stemming.

    The subsequences of all questions grow word by word together, one machine word each (Hyyrö's bit-parallel rule);
    only main questions of more than 64 words take the slower table.
    """

    name = "rouge-l"

    @property
    def signature(self) -> str:
        return f"{self.name}|f-measure|no-stemming"

    def fit(self, pool: Sequence[str]) -> None:
        self._index = NgramIndex(pool, 1)

    def rank(self, queries: Sequence[str], top: int = TOP) -> Iterator[Ranked]:
        for query in queries:
            yield best_of(self.scores(query), top)

    def scores(self, query: str) -> npt.NDArray[np.float64]:
        """The score of every question of the pool."""
        index, words = self._index, tokenize(query)
        scores = np.zeros(len(index))
        touched = np.zeros(len(index), dtype=bool)
        for _, run in index.runs(words, 1):
            touched[run.docs] = True
        docs = np.flatnonzero(touched)
        if not len(docs):
            return scores
        common = (self._by_bits if len(words) <= _BITS else self._by_table)(words, docs)
        precision, recall = common / index.lengths[docs], common / len(words)
        both = precision + recall
        scores[docs] = np.divide(2 * precision * recall, both, out=np.zeros(len(docs)), where=both > 0)
        return scores

    def _by_bits(self, words: Sequence[str], docs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        index = self._index
        masks = np.zeros(len(index.vocabulary), dtype=np.uint64)
        for place, word in enumerate(words):
            code = index.vocabulary.get(word)
            if code is not None:
                masks[code] |= np.uint64(1) << np.uint64(place)
        # Longest first: those that have ended stand at the end and are left alone.
        docs_by_length = np.argsort(-index.lengths[docs], kind="stable")
        ordered = docs[docs_by_length]
        lengths = index.lengths[ordered]
        state = np.full(len(ordered), ~np.uint64(0))
        for place in range(int(lengths[0])):
            many = int(np.searchsorted(-lengths, -place, side="left"))
            here = state[:many]
            matched = here & masks[index.tokens[index.offsets[ordered[:many]] + place]]
            # Addition carries out of the highest bit on purpose.
            state[:many] = (here + matched) | (here - matched)
        within = ~np.uint64(0) >> np.uint64(_BITS - len(words))
        common = np.bitwise_count(~state & within).astype(np.int64)
        found = np.empty(len(docs), dtype=np.int64)
        found[docs_by_length] = common
        return found

    def _by_table(self, words: Sequence[str], docs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        index = self._index
        codes = np.array([index.vocabulary.get(word, -1) for word in words])
        found = np.zeros(len(docs), dtype=np.int64)
        for number, doc in enumerate(docs):
            row = np.zeros(len(codes) + 1, dtype=np.int64)
            for token in index.tokens[index.offsets[doc] : index.offsets[doc + 1]]:
                row[1:] = np.maximum.accumulate(np.maximum(row[1:], row[:-1] + (codes == token)))
            found[number] = row[-1]
        return found
