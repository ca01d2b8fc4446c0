"""Pairs of a caption and a foil as text alone: how far baselines get, and the words in which the two differ.

Baselines are never trained on the image they are checked on. The words that differ are features of the pair; how far
the words of captions and of foils are apart is the divergence of two distributions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import log2, sqrt
from typing import Any, NamedTuple

import numpy as np

from falter.generation.inspection.ngram_baselines import Ints, OfferedOptions, cross_fit, ngram_scores, offer_yes_no

_PENALTY = 1.0


class FoilPair(NamedTuple):
    """A caption, one of its foils, and the image."""

    caption: str
    foil: str
    group: str


def rank_captions(pairs: Sequence[FoilPair], fold_of: Ints) -> float:
    """Learn from the pairs of other images which texts are captions; count the captions that rank above their foils."""
    texts = [text for pair in pairs for text in (pair.caption, pair.foil)]
    options = offer_yes_no(texts, [True, False] * len(pairs))
    scores = ngram_scores(options, np.repeat(fold_of, 2))[::2].reshape(-1, 2)
    # Texts without a word that was seen while learning score the same.
    return float((scores[:, 0] > scores[:, 1]).sum() + (scores[:, 0] == scores[:, 1]).sum() / 2)


def rank_by_length(pairs: Sequence[FoilPair], fold_of: Ints) -> float:
    """Learn from the pairs of other images how long captions are beside their foils; count those that rank above.

    Length is the number of characters and of words. Where both are as long, each counts half.
    """
    texts = [text for pair in pairs for text in (pair.caption, pair.foil)]
    lengths = np.array([(len(text), len(text.split())) for text in texts], dtype=np.float64)
    spread = lengths.std(axis=0)
    scaled = (lengths - lengths.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    options = OfferedOptions(scaled, np.full(len(pairs), 2, dtype=np.int64), np.zeros(len(pairs), dtype=np.int64))
    return float(options.credit(np.round(cross_fit(options, fold_of, penalty=_PENALTY), 9)).sum())


def jensen_shannon(one: Counter[str], two: Counter[str]) -> float | None:
    """The square root of the Jensen-Shannon divergence of two counts, in base 2: 0 for alike, 1 for nothing in common.

    >>> jensen_shannon(Counter("ab"), Counter("ab")), jensen_shannon(Counter("a"), Counter("b"))
    (0.0, 1.0)
    """
    totals = one.total(), two.total()
    if not all(totals):
        return None
    divergence = 0.0
    for word in sorted(one.keys() | two.keys()):
        shares = one[word] / totals[0], two[word] / totals[1]
        mean = sum(shares) / 2
        divergence += sum(share * log2(share / mean) / 2 for share in shares if share)
    return sqrt(max(divergence, 0.0))


_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_ONE_WAY = 0.05
"""Where a smaller share of pairs has a changed word that changes the other way elsewhere, nothing can be balanced."""


def changed_ngrams(pair: FoilPair, longest: int = 1) -> tuple[set[str], set[str]]:
    """What the caption alone has, and what the foil alone has: n-grams of at most so many words.

    >>> changed_ngrams(FoilPair("A cat on a bed.", "A cat under a bed.", "image"))
    ({'on'}, {'under'})
    """
    caption, foil = _ngrams(pair.caption, longest), _ngrams(pair.foil, longest)
    return caption - foil, foil - caption


def difference_matrix(pairs: Sequence[FoilPair], longest: int) -> Any:
    """A row per pair, a column per n-gram: 1 where the caption alone has it, -1 where the foil alone has it."""
    from scipy.sparse import csr_array

    vocabulary: dict[str, int] = {}
    columns: list[int] = []
    values: list[float] = []
    ends = [0]
    for pair in pairs:
        for ngrams, value in zip(changed_ngrams(pair, longest), (1.0, -1.0), strict=True):
            columns += [vocabulary.setdefault(ngram, len(vocabulary)) for ngram in sorted(ngrams)]
            values += [value] * len(ngrams)
        ends.append(len(columns))
    return csr_array((np.array(values), columns, ends), shape=(len(pairs), len(vocabulary)))


def differ_one_way(pairs: Sequence[FoilPair]) -> bool:
    """Whether the words that captions lose are hardly ever won by another: no subsample can be balanced.

    >>> numbers = [FoilPair(f"There are {n} dogs.", f"There are {n - 4} dogs.", str(n)) for n in (4, 5, 6, 7)]
    >>> differ_one_way(numbers), differ_one_way([*numbers, FoilPair("There are 2 cats.", "There are 6 cats.", "8")])
    (True, False)
    """
    changed = [changed_ngrams(pair) for pair in pairs]
    captions, foils = _count_sides(changed)
    both = captions.keys() & foils.keys()
    # A pair of the same words in another order loses none: its order may be balanced.
    balanced = sum(not (lost or won) or bool((lost | won) & both) for lost, won in changed)
    return balanced < _ONE_WAY * len(pairs)


def divergence_of_words(pairs: Sequence[FoilPair]) -> float | None:
    """The square root of the Jensen-Shannon divergence of the words that captions alone and foils alone have.

    None where no caption or no foil has a word of its own.
    """
    return jensen_shannon(*_count_sides([changed_ngrams(pair) for pair in pairs]))


def _count_sides(changed: Sequence[tuple[set[str], set[str]]]) -> tuple[Counter[str], Counter[str]]:
    return Counter(word for lost, _ in changed for word in lost), Counter(word for _, won in changed for word in won)


def _ngrams(text: str, longest: int) -> set[str]:
    words = _WORD.findall(text.lower())
    return {
        " ".join(words[start : start + length])
        for length in range(1, longest + 1)
        for start in range(len(words) - length + 1)
    }
