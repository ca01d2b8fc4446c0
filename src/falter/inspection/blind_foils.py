"""How far a text-only baseline gets on captions and foils, never trained on the image it is checked on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from falter.inspection.blind_sample import FOILS, confirmed
from falter.probes import Probe

__all__ = ["BlindCheck", "FoilBlindCheck"]

_FEWEST = 50
_COIN = 0.5


class BlindCheck(msgspec.Struct, frozen=True, kw_only=True):
    """Accuracy of the better of two text-only baselines on one test, beside always giving the commonest answer.

    Of captions and foils, ``items`` counts pairs, and ``majority`` is a coin's half.
    """

    test: str
    questions: str
    baseline: str
    items: int
    accuracy: float
    low: float
    high: float
    majority: float
    baselines: dict[str, float]
    sampled_from: int
    """How many items the test has; more than ``items`` where a sample of them was drawn."""
    seed: int = 0
    """Draws the sample."""

    @property
    def over_pairs(self) -> bool:
        """Whether captions were ranked against foils, rather than questions answered."""
        return self.questions == FOILS


class _Pair(NamedTuple):
    caption: str
    foil: str
    group: str


class FoilBlindCheck:
    """Gathers the pairs of every test; then learns from the pairs of other images which texts are captions."""

    def __init__(self, folds: int, most: int | None, seed: int = 0) -> None:
        self._folds = folds
        self._most = most
        self._seed = seed
        self._pairs: dict[str, list[_Pair]] = {}

    def add(self, probe: Probe) -> None:
        """Take a caption and its foils, unless annotators did not confirm them."""
        caption = probe.original
        if not confirmed(caption.facets):
            return
        kept = self._pairs.setdefault(caption.test, [])
        for foil in probe.variants[: None if self._most is None else max(self._most - len(kept), 0)]:
            kept.append(_Pair(caption.text.lower(), foil.text.lower(), caption.image_id or caption.item_id))

    def checks(self, totals: Mapping[tuple[str, str], int]) -> list[BlindCheck]:
        """How often the caption is ranked first, by test; ``totals`` has all pairs of a test."""
        from scipy.stats import binomtest

        found = []
        for test, pairs in sorted(self._pairs.items()):
            if len(pairs) < _FEWEST or len({pair.group for pair in pairs}) < self._folds:
                continue
            won = _won(pairs, self._folds)
            # A tie is half a win; the interval takes whole ones.
            interval = binomtest(round(won), len(pairs)).proportion_ci(method="wilson")
            found.append(
                BlindCheck(
                    test=test,
                    questions=FOILS,
                    baseline="regression",
                    items=len(pairs),
                    accuracy=won / len(pairs),
                    low=float(interval.low),
                    high=float(interval.high),
                    majority=_COIN,
                    baselines={"regression": won / len(pairs)},
                    sampled_from=totals[test, FOILS],
                    seed=self._seed,
                )
            )
        return found


def _won(pairs: list[_Pair], folds: int) -> float:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold

    won = 0.0
    for learn, check in GroupKFold(folds).split(pairs, groups=[pair.group for pair in pairs]):
        counter = CountVectorizer(ngram_range=(1, 3), min_df=2, binary=True, token_pattern=r"[a-z0-9']+")
        texts = [text for place in learn for text in (pairs[place].caption, pairs[place].foil)]
        known = counter.fit_transform(texts)
        regression = LogisticRegression(C=0.3, max_iter=200).fit(known, np.tile([1, 0], len(learn)))
        scores: list[npt.NDArray[np.float64]] = [
            regression.decision_function(counter.transform([pair[side] for pair in (pairs[place] for place in check)]))
            for side in (0, 1)
        ]
        # Texts without a word that was seen while learning score the same.
        won += float((scores[0] > scores[1]).sum()) + float((scores[0] == scores[1]).sum()) / 2
    return won
