"""Two images by two texts: the scores of Winoground and the accuracies of NaturalBench.

A probe has four items in this order: first image with first text, first image with second text, second image with first
text, second image with second text. Its items are to be matched (captions) or answered (questions).
"""

from __future__ import annotations

import polars as pl

from falter.measures.measure import Measure
from falter.measures.outcomes.expressions import CROSSED, ONE, correct, judged, o, v

__all__ = [
    "GROUP_ACC",
    "GROUP_SCORE",
    "IMAGE_ACC",
    "IMAGE_SCORE",
    "ITEM_ACC",
    "QUESTION_ACC",
    "SETS",
    "TEXT_SCORE",
]

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
