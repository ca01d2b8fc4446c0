"""Rankers that count words: BLEU-1 to BLEU-4, ROUGE-L, CIDEr and BM25 of every question of a pool against a main one.

BLEU is of Papineni et al. (2002), ROUGE-L, the longest common subsequence, of Lin (2004), CIDEr of Vedantam et al.
(2015); BM25, the ranking of search engines, is by the library bm25s. An inverted index knows which questions have a run
of words, and how often. Questions are the same words for every ranker.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falter.core.optional_packages import import_package
from falter.suites.basic_questions.rankers.registry import TOP, Ranked, best_of

_WORD = re.compile(r"[^\W_]+", re.UNICODE)


def tokenize(text: str) -> list[str]:
    """The lower-case words of a text; one that has no letter or digit is told by its signs.

    >>> tokenize("What's the dog's name?")
    ['what', 's', 'the', 'dog', 's', 'name']
    """
    return _WORD.findall(text.lower()) or text.split()


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


_WORD_BITS = 64


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
        common = (self._by_bits if len(words) <= _WORD_BITS else self._by_table)(words, docs)
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
        within = ~np.uint64(0) >> np.uint64(_WORD_BITS - len(words))
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


_LONGEST_RUN = 4
_CIDER_SCALE = 10.0


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
        self._index = index = NgramIndex(pool, _LONGEST_RUN)
        self._unseen = np.log(max(len(index), 1))
        self._rarity: list[npt.NDArray[np.float64]] = []
        self._norms: list[npt.NDArray[np.float64]] = []
        for length in range(1, _LONGEST_RUN + 1):
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
        for length in range(1, _LONGEST_RUN + 1):
            rarity, norms = self._rarity[length - 1], self._norms[length - 1]
            product = np.zeros(len(self._index))
            square = 0.0
            for number, run in self._index.runs(words, length):
                rare = self._unseen if number < 0 else rarity[number]
                square += float(run.times * rare) ** 2
                product[run.docs] += run.times * rare * rare * run.counts
            if square > 0:
                total += np.divide(product, norms * np.sqrt(square), out=np.zeros_like(product), where=norms > 0)
        return total / _LONGEST_RUN * _CIDER_SCALE


class Bm25Ranker:
    """BM25 as Lucene computes it (k1 = 1.5, b = 0.75)."""

    name = "bm25"

    @property
    def signature(self) -> str:
        return f"{self.name}|lucene|k1:1.5|b:0.75"

    def fit(self, pool: Sequence[str]) -> None:
        bm25s = import_package("bm25s", "the ranker bm25")
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
