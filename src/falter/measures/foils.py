"""Captions against foils: measures over pairs of texts of which the first fits the image (VALSE, Appendix B)."""

from __future__ import annotations

import numpy as np
import polars as pl

from falter.measures.measure import Measure, Sums
from falter.measures.outcomes.coding import Floats
from falter.measures.outcomes.expressions import FOILS, ONE, correct, judged, o, on_both_sides, v
from falter.measures.statistics.auroc import RocArea

__all__ = ["ACC_R", "AUROC", "MIN_PC_PF", "POSITION_BIAS", "P_C", "P_F", "REQUIRES_PROBABILITY"]

REQUIRES_PROBABILITY = "the scores are no probabilities, so no threshold can be laid on them"

ACC_R = Measure(
    name="acc_r",
    title="acc_r",
    description=(
        "Pairwise ranking accuracy: the share of pairs whose caption scores strictly above its foil. A tie does not "
        "count, and is counted under ties; nor does a pair with an unparsed reply. A reply of yes or no without a "
        "score ranks as 1 or 0."
    ),
    grain="pair",
    where=FOILS,
    sums={"part": pl.col("preference") == "preferred", "n": ONE},
    higher_is_better=True,
    headline=True,
    counts_correct=True,
)

P_C = Measure(
    name="p_c",
    title="p_c",
    description=(
        "The share of captions taken for a match (a probability above one half, or yes). The paper calls it precision; "
        "by its formula and its figures it is the recall of captions. A model that always sees a match has 100 here."
    ),
    grain="pair",
    where=FOILS,
    sums={"part": correct(o), "n": judged(o)},
    higher_is_better=True,
    requires=REQUIRES_PROBABILITY,
)

P_F = Measure(
    name="p_f",
    title="p_f",
    description="The share of foils taken for no match (a probability of at most one half, or no): recall of foils.",
    grain="pair",
    where=FOILS,
    sums={"part": correct(v), "n": judged(v)},
    higher_is_better=True,
    requires=REQUIRES_PROBABILITY,
)


def _smaller_share(sums: Sums) -> Floats:
    part, whole = sums.values[..., 0::2], sums.values[..., 1::2]
    shares = np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=whole > 0)
    return np.asarray(shares.min(axis=-1))


MIN_PC_PF = Measure(
    name="min_pc_pf",
    title="min(p_c, p_f)",
    description=(
        "The smaller of p_c and p_f: a model that says match to everything, or to nothing, has 0. A mean over tests is "
        "the mean of the tests' minima."
    ),
    grain="pair",
    where=FOILS,
    sums={"captions": correct(o), "judged_captions": judged(o), "foils": correct(v), "judged_foils": judged(v)},
    finalize=_smaller_share,
    n=lambda sums: sums["judged_captions"] + sums["judged_foils"],
    higher_is_better=True,
    headline=True,
    requires=REQUIRES_PROBABILITY,
)

AUROC = Measure(
    name="auroc",
    title="AUROC",
    description=(
        "The area under the ROC curve, as a share: how likely a caption drawn at random scores above a foil drawn at "
        "random, over all captions and foils of the test, ties counting half. It is computed exactly, needs no "
        "threshold and takes any kind of score. An unparsed reply counts as the worst there can be."
    ),
    grain="pair",
    where=FOILS,
    sums={"captions": o("rank").fill_null(-np.inf), "foils": v("rank").fill_null(np.inf)},
    finalize=RocArea(),
    higher_is_better=True,
    headline=True,
)

POSITION_BIAS = Measure(
    name="position_bias",
    title="position bias",
    description=(
        "Of a model that was asked to choose between A and B in both orders: by how much likelier it finds the match "
        "when that is A than when it is B, in the mean over texts. 0 is no bias, above it A is favored, below it B."
    ),
    grain="pair",
    where=FOILS,
    sums={
        "part": o("lean").fill_null(0.0) + v("lean").fill_null(0.0),
        "n": on_both_sides(lambda side: side("lean").is_not_null()),
    },
    scale="difference",
    shown="when it counts",
)
