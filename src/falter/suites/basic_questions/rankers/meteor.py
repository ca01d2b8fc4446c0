"""METEOR of every question of a pool against a main question (Banerjee and Lavie, 2005), as NLTK computes it.

A pool is too large to align every question. The number of words that can match bounds the score from above, so
questions are aligned in the order of that bound, until none of those left can reach the first 21.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from falter.core.errors import UsageError
from falter.core.optional_packages import import_package
from falter.suites.basic_questions.rankers.registry import TOP, Ranked
from falter.suites.basic_questions.rankers.word_rankers import tokenize

_ALPHA, _BETA, _GAMMA = 0.9, 3.0, 0.5
_AT_ONCE = 64

Floats = npt.NDArray[np.float64]


class MeteorRanker:
    """Matches words exactly, then by stem, then by WordNet's synonyms where WordNet is installed."""

    name = "meteor"

    def __init__(self) -> None:
        porter = import_package("nltk.stem.porter", "the ranker meteor")
        from falter.generation.nlp import WordNet, load_wordnet

        self._stemmer = porter.PorterStemmer()
        self._wordnet: WordNet | None = None
        try:
            self._wordnet = load_wordnet()
        except UsageError:
            # Without WordNet's data METEOR still has its first two stages; the signature says so.
            self._wordnet = None
        self._stems: dict[str, str] = {}
        self._synonyms: dict[str, frozenset[str]] = {}

    @property
    def signature(self) -> str:
        stages = "exact,stem" if self._wordnet is None else f"exact,stem,wordnet-{self._wordnet.version}"
        return f"{self.name}|{stages}|alpha:0.9|beta:3|gamma:0.5"

    def fit(self, pool: Sequence[str]) -> None:
        self._words = [tokenize(text) for text in pool]
        self._lengths = np.array([len(words) for words in self._words], dtype=np.int64)
        having: dict[str, list[int]] = defaultdict(list)
        for place, words in enumerate(self._words):
            for stem in dict.fromkeys(self._stem(word) for word in words):
                having[stem].append(place)
        self._having = {stem: np.array(places, dtype=np.int64) for stem, places in having.items()}
        self._reached_by: dict[str, list[str]] = defaultdict(list)
        for stem in self._having:
            for synonym in sorted(self._synonyms_of(stem)):
                self._reached_by[synonym].append(stem)

    def rank(self, queries: Sequence[str], top: int = TOP) -> Iterator[Ranked]:
        for query in queries:
            yield self._best(tokenize(query), top)

    def score(self, reference: Sequence[str], hypothesis: Sequence[str]) -> float:
        """METEOR of one sentence against another, both as lower-case words."""
        matches = self._align(hypothesis, reference)
        if not matches:
            return 0.0
        matches.sort()
        chunks = 1 + sum(after != (before[0] + 1, before[1] + 1) for before, after in pairwise(matches))
        mean = _mean(len(matches), len(hypothesis), len(reference))
        return float((1 - _GAMMA * (chunks / len(matches)) ** _BETA) * mean)

    def _best(self, words: Sequence[str], top: int) -> Ranked:
        bounds = self._bounds(words)
        order = np.argsort(-bounds, kind="stable")
        order = order[bounds[order] > 0]
        found: list[tuple[float, int]] = []
        worst = 0.0
        for start in range(0, len(order), _AT_ONCE):
            some = order[start : start + _AT_ONCE]
            # One that could only draw level may still come first by its place in the pool.
            if len(found) >= top and bounds[some[0]] < worst:
                break
            found += [(-self.score(words, self._words[place]), int(place)) for place in some]
            found.sort()
            del found[top:]
            worst = -found[-1][0]
        kept = [(-score, place) for score, place in found if score < 0]
        return Ranked(
            np.array([place for _, place in kept], dtype=np.int64), np.array([score for score, _ in kept], dtype=float)
        )

    def _bounds(self, words: Sequence[str]) -> Floats:
        """What no question's score can exceed: every word that could match does, all in one piece."""
        matches = np.zeros(len(self._words), dtype=np.int64)
        for word in words:
            stem = self._stem(word)
            reached = [self._having[one] for one in (stem, *self._reached_by.get(stem, ())) if one in self._having]
            if reached:
                matches[reached[0] if len(reached) == 1 else np.unique(np.concatenate(reached))] += 1
        matches = np.minimum(matches, self._lengths)
        there = matches > 0
        bounds = np.zeros(len(self._words))
        m = matches[there].astype(np.float64)
        mean = _means(m, self._lengths[there].astype(np.float64), float(len(words)))
        # A little more than the bound, for rounding must not put it below what it bounds.
        bounds[there] = (1 - _GAMMA * (1 / m) ** _BETA) * mean * (1 + 1e-12)
        return bounds

    def _align(self, hypothesis: Sequence[str], reference: Sequence[str]) -> list[tuple[int, int]]:
        """Pairs of places; in each stage, from the last word backwards, with the last free word that matches."""
        matches: list[tuple[int, int]] = []
        left = list(enumerate(hypothesis))
        right = list(enumerate(reference))
        left, right = _match(left, right, matches)
        if left and right:
            left = [(place, self._stem(word)) for place, word in left]
            right = [(place, self._stem(word)) for place, word in right]
            left, right = _match(left, right, matches)
        if left and right and self._wordnet is not None:
            self._match_synonyms(left, right, matches)
        return matches

    def _match_synonyms(
        self, left: list[tuple[int, str]], right: list[tuple[int, str]], matches: list[tuple[int, int]]
    ) -> None:
        free = dict(right)
        for place, stem in reversed(left):
            synonyms = self._synonyms_of(stem)
            best = max((other for other, word in free.items() if word in synonyms), default=None)
            if best is not None:
                matches.append((place, best))
                del free[best]

    def _stem(self, word: str) -> str:
        known = self._stems.get(word)
        if known is None:
            known = self._stems[word] = str(self._stemmer.stem(word))
        return known

    def _synonyms_of(self, stem: str) -> frozenset[str]:
        if self._wordnet is None:
            return frozenset((stem,))
        known = self._synonyms.get(stem)
        if known is None:
            known = self._synonyms[stem] = self._wordnet.synonyms(stem) | {stem}
        return known


def _match(
    left: list[tuple[int, str]], right: list[tuple[int, str]], matches: list[tuple[int, int]]
) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    free: dict[str, list[int]] = {}
    for place, word in right:
        free.setdefault(word, []).append(place)
    rest, used = [], set()
    for place, word in reversed(left):
        places = free.get(word)
        if places:
            other = places.pop()
            used.add(other)
            matches.append((place, other))
        else:
            rest.append((place, word))
    rest.reverse()
    return rest, [(place, word) for place, word in right if place not in used]


def _mean(matches: int, hypothesis: int, reference: int) -> float:
    precision, recall = matches / hypothesis, matches / reference
    return (precision * recall) / (_ALPHA * precision + (1 - _ALPHA) * recall)


def _means(matches: Floats, hypothesis: Floats, reference: float) -> Floats:
    precision, recall = matches / hypothesis, matches / reference
    return np.asarray((precision * recall) / (_ALPHA * precision + (1 - _ALPHA) * recall))
