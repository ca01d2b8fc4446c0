"""Adversarial filtering: pairs are dropped until scorers of text alone no longer tell captions from foils.

The gap of a pair is the score of its caption less that of its foil. While a scorer prefers captions, the pairs with its
largest gaps are dropped, a few at a time, so that the gaps become symmetric about zero. The words are scored by a ridge
regression over the words in which caption and foil differ, learned again at each step from the pairs of other images.

Words that are balanced stay so: where captions and foils have the same words equally often, a pair in which q replaces
p goes together with one in which p replaces q.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from falter.generation.inspection.foil_pairs import FoilPair, changed_ngrams, difference_matrix, divergence_of_words
from falter.generation.inspection.ngram_baselines import Floats, Ints, split_images

WORDS = "words"
"""The scorer that is learned from the pairs themselves."""

_FOLDS = 5
_LONGEST = 2
_PENALTY = 3.0
_ITERATIONS = 60
_STEPS = 50
"""A fiftieth of the pairs is dropped at a time."""
_CELLS = 5
_BALANCED = 0.1
"""Divergence of the words of captions and foils up to which they are kept in balance."""
_DIGITS = 9
_COIN = 0.5


class FilteredPairs(NamedTuple):
    """Which pairs stay, and by scorer the share of captions that it preferred before and prefers now."""

    kept: Ints
    """Positions of the pairs that stay, in their order."""
    before: dict[str, float]
    after: dict[str, float]


def filter_pairs(
    pairs: Sequence[FoilPair], gaps: Mapping[str, Floats], *, least: int, units: Sequence[str] | None = None
) -> FilteredPairs:
    """Drop pairs until no scorer prefers captions, or until ``least`` pairs are left.

    ``gaps`` are those of further scorers, whose scores do not change as pairs are dropped. Pairs with the same value in
    ``units`` stay or go together: a caption with several foils.
    """
    features = _add_cells(difference_matrix(pairs, _LONGEST), gaps.values())
    images = [pair.group for pair in pairs]
    names = {name: number for number, name in enumerate(dict.fromkeys(units or map(str, range(len(pairs)))))}
    unit_of = np.array([names[name] for name in units or map(str, range(len(pairs)))], dtype=np.int64)
    sizes = np.bincount(unit_of)
    kept = np.arange(len(pairs))
    step = max(1, len(sizes) // _STEPS)
    swaps = _Swaps(pairs, unit_of)
    before: dict[str, float] = {}
    while True:
        found = {WORDS: _cross_validated_gaps(features[kept], [images[one] for one in kept])}
        found |= {name: gap[kept] for name, gap in gaps.items()}
        shares = {name: preferred(gap) for name, gap in found.items()}
        before = before or shares
        worst = WORDS if shares[WORDS] > _COIN else max(shares, key=lambda name: shares[name])
        dropped = _largest(found[worst], unit_of[kept], sizes, step, len(kept) - least)
        dropped = swaps.complete(dropped, kept, found[worst], len(kept) - least)
        if shares[worst] <= _COIN or not len(dropped):
            return FilteredPairs(kept, before, shares)
        kept = kept[~np.isin(unit_of[kept], dropped)]


class _Swaps:
    """What the foil of each pair has in the place of what: two pairs of which each undoes the other are opposite."""

    def __init__(self, pairs: Sequence[FoilPair], unit_of: Ints) -> None:
        changed = [changed_ngrams(pair) for pair in pairs]
        self._swap = [(" ".join(sorted(lost)), " ".join(sorted(won))) for lost, won in changed]
        self._unit_of = unit_of
        self._sizes = np.bincount(unit_of)
        divergence = divergence_of_words(pairs)
        self._is_balanced = divergence is not None and divergence <= _BALANCED

    def complete(self, dropped: Ints, kept: Ints, gaps: Floats, room: int) -> Ints:
        """The units to be dropped, each with one of an opposite swap where that has as many pairs as its own, or more.

        Of the opposite pairs the one with the largest gap goes. As far as ``room`` pairs may go.
        """
        if not self._is_balanced:
            return dropped
        left = Counter(self._swap[one] for one in kept)
        waiting: dict[tuple[str, str], list[int]] = defaultdict(list)
        for place in np.argsort(-gaps, kind="stable"):
            waiting[self._swap[kept[place]]].append(int(kept[place]))
        pairs_of: dict[int, list[int]] = defaultdict(list)
        for one in kept:
            pairs_of[int(self._unit_of[one])].append(int(one))
        gone: dict[int, None] = {}
        for unit in map(int, dropped):
            if unit in gone:
                continue
            together = [unit]
            swap = self._swap[pairs_of[unit][0]]
            opposite = (swap[1], swap[0])
            if self._sizes[unit] == 1 and swap != opposite and left[opposite] >= max(1, left[swap]):
                others = (int(self._unit_of[one]) for one in waiting[opposite])
                partner = next((one for one in others if one not in gone and self._sizes[one] == 1), None)
                together += [] if partner is None else [partner]
            if sum(int(self._sizes[one]) for one in (*gone, *together)) > room:
                break
            gone.update(dict.fromkeys(together))
            left.subtract(self._swap[pair] for one in together for pair in pairs_of[one])
        return np.array(list(gone), dtype=np.int64)


def preferred(gaps: Floats) -> float:
    """The share of pairs whose caption has the higher score; equal scores count half.

    >>> preferred(np.array([1.0, 2.0, -1.0, 0.0]))
    0.625
    """
    return float((gaps > 0).mean() + (gaps == 0).mean() / 2)


def _largest(gaps: Floats, unit_of: Ints, sizes: Ints, most: int, room: int) -> Ints:
    """Units with the largest mean gaps, of which captions are preferred, as far as so many pairs may go."""
    summed = np.bincount(unit_of, gaps, minlength=len(sizes))
    present = np.flatnonzero(np.bincount(unit_of, minlength=len(sizes)))
    means = np.round(summed[present] / sizes[present], _DIGITS)
    order = present[np.argsort(-means, kind="stable")][: min(most, int((means > 0).sum()))]
    return order[np.cumsum(sizes[order]) <= room]


def _add_cells(matrix: Any, gaps: Any) -> Any:
    """Further columns: cells of equally many pairs by the size of a gap, with its sign."""
    from scipy.sparse import csr_array, hstack

    columns = []
    for gap in gaps:
        size = np.abs(gap)
        cell = np.searchsorted(np.quantile(size, np.arange(1, _CELLS) / _CELLS), size, side="right")
        columns.append(csr_array((np.sign(gap), (np.arange(len(gap)), cell)), shape=(len(gap), _CELLS)))
    return hstack([matrix, *columns]).tocsr()


def _cross_validated_gaps(features: Any, images: Sequence[str]) -> Floats:
    """By pair the gap that a ridge regression gives it which was learned from other images."""
    from scipy.sparse.linalg import lsqr

    fold_of = split_images(images, _FOLDS)
    gaps = np.zeros(len(images))
    for fold in range(_FOLDS):
        learned, checked = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        if not len(learned) or not len(checked):
            continue
        weights = lsqr(features[learned], np.ones(len(learned)), damp=_PENALTY**0.5, iter_lim=_ITERATIONS)[0]
        gaps[checked] = features[checked] @ weights
    return np.round(gaps, _DIGITS)
