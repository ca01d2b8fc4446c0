"""How far text-only baselines get on captions and foils, never trained on the image they are checked on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from falter.inspection.conditional_logit import Ints, OfferedOptions, cross_fit
from falter.inspection.ngram_baselines import ngram_scores, offer_yes_no

__all__ = ["FoilPair", "rank_by_length", "rank_captions"]

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
