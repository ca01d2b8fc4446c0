"""How far a text-only baseline gets on captions and foils, never trained on the image it is checked on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from falter.inspection.conditional_logit import Ints
from falter.inspection.ngram_baselines import ngram_scores, offer_yes_no

__all__ = ["FoilPair", "rank_captions"]


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
