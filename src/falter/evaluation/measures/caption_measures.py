"""Texts against images: captions and foils (VALSE, Appendix B), and two images by two texts (Winoground, NaturalBench).

Of a caption and its foil, the first fits the image. A probe of two images by two texts has four items in this order:
first image with first text, first image with second text, second image with first text, second image with second text.
Its items are to be matched (captions) or answered (questions)."""

from __future__ import annotations

import numpy as np
import polars as pl

from falter.evaluation.measures.measure import Measure, Sums
from falter.evaluation.measures.outcomes.coding import Floats
from falter.evaluation.measures.outcomes.expressions import CROSSED, FOILS, ONE, correct, judged, o, on_both_sides, v
from falter.evaluation.measures.statistics.bootstrap import RocArea

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


_MATCHED = ((pl.col("task") == "match") & CROSSED).first()
_ANSWERED = ((pl.col("task") == "answer") & CROSSED).first()


def _nth(of_variant: pl.Expr, number: int) -> pl.Expr:
    """An expression of the nth variant; nothing in probes of another form, which have fewer."""
    return of_variant.get(number, null_on_oob=True)


_RANKS = (o("rank").first(), *(_nth(v("rank"), number) for number in range(3)))
_CORRECT = (correct(o).first(), *(_nth(correct(v), number) for number in range(3)))
_TEXTS = (_RANKS[0] > _RANKS[1]) & (_RANKS[3] > _RANKS[2])
_IMAGES = (_RANKS[0] > _RANKS[2]) & (_RANKS[3] > _RANKS[1])


def _of_sets(name: str, title: str, description: str, *, where: pl.Expr, part: pl.Expr, n: pl.Expr = ONE) -> Measure:
    return Measure(
        name=name,
        title=title,
        description=description,
        grain="set",
        where=where,
        sums={"part": part, "n": n},
        higher_is_better=True,
        headline=True,
    )


TEXT_SCORE = _of_sets(
    "text_score",
    "text score",
    "Two images by two captions: the share of sets in which both images score their own caption strictly above the "
    "other one (Winoground). Chance is 25 %.",
    where=_MATCHED,
    part=_TEXTS,
)

IMAGE_SCORE = _of_sets(
    "image_score",
    "image score",
    "Two images by two captions: the share of sets in which both captions score their own image strictly above the "
    "other one (Winoground). Chance is 25 %.",
    where=_MATCHED,
    part=_IMAGES,
)

GROUP_SCORE = _of_sets(
    "group_score",
    "group score",
    "Two images by two captions: the share of sets that count for the text score and for the image score (Winoground). "
    "Chance is 16.7 %.",
    where=_MATCHED,
    part=_TEXTS & _IMAGES,
)


def _of_two(one: tuple[int, int], other: tuple[int, int]) -> pl.Expr:
    """How many of two couples of items are answered correctly."""
    first, second = ((_CORRECT[a] & _CORRECT[b]).cast(pl.Float64) for a, b in (one, other))
    return first + second


QUESTION_ACC = _of_sets(
    "question_acc",
    "question ACC",
    "Two images by two questions: the share of questions answered correctly for both images (NaturalBench).",
    where=_ANSWERED,
    part=_of_two((0, 2), (1, 3)),
    n=pl.lit(2.0),
)

IMAGE_ACC = _of_sets(
    "image_acc",
    "image ACC",
    "Two images by two questions: the share of images for which both questions are answered correctly (NaturalBench).",
    where=_ANSWERED,
    part=_of_two((0, 1), (2, 3)),
    n=pl.lit(2.0),
)

GROUP_ACC = _of_sets(
    "group_acc",
    "group ACC",
    "Two images by two questions: the share of sets in which all four answers are correct (NaturalBench).",
    where=_ANSWERED,
    part=pl.all_horizontal(*_CORRECT),
)

ITEM_ACC = Measure(
    name="item_acc",
    title="ACC items",
    description=(
        "Two images by two texts: the share of the four items that are answered correctly, or whose text is rightly "
        "taken for a match or for none. Every item counts once."
    ),
    grain="set",
    where=CROSSED.first(),
    sums={"part": correct(o).first() + correct(v).sum(), "n": judged(o).first() + judged(v).sum()},
    higher_is_better=True,
    headline=True,
    shown="when it counts",
)

SETS = Measure(
    name="sets",
    title="sets",
    description="All sets of two images by two texts, excluded ones included.",
    grain="set",
    where=CROSSED.first(),
    sums={"part": ONE, "n": ONE},
    scale="count",
)
