"""Position bias: whether a model that chooses between two letters leans towards one of them."""

from __future__ import annotations

from falter.measures.foils import MATCHES, PREFERENCE
from falter.measures.rankings import RankingMeasure

__all__ = ["POSITION_BIAS"]

POSITION_BIAS = RankingMeasure(
    name="position_bias",
    title="position bias",
    meaning=(
        "Of a model that was asked to choose between A and B in both orders: by how much likelier it finds the match "
        "when that is A than when it is B, in the mean over texts. 0 is no lean, above it A is favoured, below it B."
    ),
    tasks=MATCHES,
    expects=PREFERENCE,
)
