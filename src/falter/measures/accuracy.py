"""Accuracy over pairs and sets, by the formulas of CARETS (Section 5.3), and VQA accuracy."""

from __future__ import annotations

import polars as pl

from falter.measures.foils import REQUIRES_PROBABILITY
from falter.measures.measure import Measure
from falter.measures.outcomes.expressions import (
    ANSWERS,
    ONE,
    PAIRED,
    correct,
    expects,
    judged,
    o,
    on_both_sides,
    v,
)

__all__ = [
    "ACC",
    "ACC_ORIGINAL",
    "ACC_PERTURBED",
    "C_ACC",
    "SET_ACC",
    "SEVERAL",
    "VQA_ACCURACY",
    "VQA_ACCURACY_ORIGINAL",
    "VQA_ACCURACY_PERTURBED",
]

_QUESTIONS = ANSWERS & PAIRED

ACC = Measure(
    name="acc",
    title="ACC",
    description=(
        "Accuracy: the share of correct answers over both questions of every pair, so that an original with V variants "
        "counts V times; of single questions, the share answered correctly. An unparsed reply is incorrect. Where "
        "several humans answered, an answer is correct when its VQA accuracy is above one half. Where texts are "
        "matched, the share of captions taken for a match and of foils taken for none, by the probability's threshold "
        "of one half or by yes and no."
    ),
    grain="pair",
    where=~expects("crossed"),
    sums={"part": on_both_sides(correct), "n": on_both_sides(judged)},
    higher_is_better=True,
    headline=True,
    items=("original", "variant"),
    counts_correct=True,
    requires=REQUIRES_PROBABILITY,
)

ACC_ORIGINAL = Measure(
    name="acc_original",
    title="ACC originals",
    description="The share of pairs whose original question is answered correctly.",
    grain="pair",
    where=_QUESTIONS,
    sums={"part": correct(o), "n": ONE},
    higher_is_better=True,
    items=("original",),
)

ACC_PERTURBED = Measure(
    name="acc_perturbed",
    title="ACC variants",
    description="The share of pairs whose variant is answered correctly.",
    grain="pair",
    where=_QUESTIONS,
    sums={"part": correct(v), "n": ONE},
    higher_is_better=True,
    items=("variant",),
)

C_ACC = Measure(
    name="c_acc",
    title="C-ACC",
    description="Comprehensive accuracy: the share of pairs in which both questions are answered correctly.",
    grain="pair",
    where=_QUESTIONS,
    sums={"part": correct(o) & correct(v), "n": ONE},
    higher_is_better=True,
    headline=True,
    counts_correct=True,
)

SEVERAL = (PAIRED.sum() > 1) | expects("each").first()
"""With one variant a set is a pair, and C-ACC and CONS say the same already."""

SET_ACC = Measure(
    name="set_acc",
    title="set ACC",
    description=(
        "The share of probes whose original and every variant are answered correctly (what contrast sets call "
        "consistency). A probe with any reply failed, missing or unsupported is excluded."
    ),
    grain="set",
    where=ANSWERS.first(),
    sums={"part": (correct(o) & correct(v)).all(), "n": ONE},
    higher_is_better=True,
    headline=True,
    shown=SEVERAL,
)

VQA_ACCURACY = Measure(
    name="vqa_accuracy",
    title="VQA acc",
    description=(
        "The mean VQA accuracy over both questions of every pair, where several humans answered the question: the "
        "official leave-one-out mean of min(agreeing / 3, 1), or under rule:min3 the plain min(agreeing / 3, 1); under "
        "rule:exact only the commonest answer counts, under rule:any the answer of anyone."
    ),
    grain="pair",
    where=ANSWERS,
    sums={
        "part": on_both_sides(lambda side: side("credit") * side("has_human_answers")),
        "n": on_both_sides(lambda side: side("has_human_answers")),
    },
    higher_is_better=True,
    headline=True,
    shown="when it counts",
)

_KEPT = ANSWERS & expects("same") & PAIRED
_BOTH_JUDGED = (o("has_human_answers") & v("has_human_answers")).cast(pl.Float64)

VQA_ACCURACY_ORIGINAL = Measure(
    name="vqa_accuracy_original",
    title="VQA acc originals",
    description="The mean VQA accuracy over the original of every pair, where several humans answered.",
    grain="pair",
    where=_KEPT,
    sums={"part": _BOTH_JUDGED * o("credit"), "n": _BOTH_JUDGED},
    higher_is_better=True,
    shown="when it counts",
)

VQA_ACCURACY_PERTURBED = Measure(
    name="vqa_accuracy_perturbed",
    title="VQA acc variants",
    description="The mean VQA accuracy over the variant of every pair, where several humans answered.",
    grain="pair",
    where=_KEPT,
    sums={"part": _BOTH_JUDGED * v("credit"), "n": _BOTH_JUDGED},
    higher_is_better=True,
    shown="when it counts",
)
