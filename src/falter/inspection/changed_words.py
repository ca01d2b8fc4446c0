"""The words in which a caption and its foil differ, as features of the pair."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from falter.inspection.blind_foils import FoilPair
from falter.inspection.divergence import jensen_shannon

__all__ = ["changed_ngrams", "differ_one_way", "difference_matrix", "divergence_of_words"]

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
