"""Accuracy, self-consistency and robustness over pairs and sets of questions.

Accuracy and consistency are by the formulas of CARETS (Section 5.3), robustness to augmented data by Rosenberg et al.
(2021): of what is answered correctly, how much stays correct. VQA accuracy gives credit by human answers."""

from __future__ import annotations

import numpy as np
import polars as pl

from falter.evaluation.measures.caption_measures import REQUIRES_PROBABILITY
from falter.evaluation.measures.measure import Measure, Sums
from falter.evaluation.measures.outcomes.coding import Floats
from falter.evaluation.measures.outcomes.expressions import (
    ANSWERS,
    CONSISTENT,
    CONSISTENT_REPLIES,
    ONE,
    PAIRED,
    correct,
    expects,
    is_,
    judged,
    listed,
    o,
    on_both_sides,
    v,
)

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


RELATED = (pl.col("task") == "answer") & expects("same", "different") & PAIRED
"""Pairs of questions whose answers must be the same, or must differ."""

CONS = Measure(
    name="cons",
    title="CONS",
    description=(
        "Self-consistency by the paper's formula: the share of pairs whose two normalized replies are equal where they "
        "should be, or differ where they should. Correct answers play no part in it, nor do the choices: a reply that "
        "holds no answer is compared by its text, so two equal refusals are consistent. A requirement on it is checked "
        "by CONS strict."
    ),
    grain="pair",
    where=RELATED,
    sums={"part": CONSISTENT_REPLIES, "n": ONE},
    higher_is_better=True,
    headline=True,
    checked_as="cons_strict",
    signature_parts=("cons:replies",),
)

CONS_STRICT = Measure(
    name="cons_strict",
    title="CONS strict",
    description=(
        "Self-consistency of pairs whose two answers are also both among the choices: an answer off the list, or a "
        "reply that holds none, does not pass for consistent. This is what a gate counts."
    ),
    grain="pair",
    where=RELATED,
    sums={"part": CONSISTENT & listed(o) & listed(v), "n": ONE},
    higher_is_better=True,
)


def _expected_consistency(sums: Sums) -> Floats:
    """The consistency of independent answers, averaged over strata by their pairs."""
    agreed = np.zeros(sums.values.shape[:-2])
    for number, (expected, choices) in enumerate(sums.strata):
        own = Sums(sums.names, sums.values[..., number, :])
        agreed = agreed + own["n"] * _expected(own, str(expected), int(str(choices)))
    n = sums["n"].sum(axis=-1)
    return np.asarray(np.divide(agreed, n, out=np.full(np.shape(n), np.nan), where=n > 0))


def _expected(sums: Sums, expected: str, choices: int) -> Floats:
    n = np.maximum(sums["n"], 1)
    right1, wrong1, right2, wrong2 = (sums.values[..., 1 + column] / n for column in range(4))
    others = choices - 1
    if expected == "same":
        return np.asarray(right1 * right2 + wrong1 * wrong2 / others)
    agree = (right1 * wrong2 + wrong1 * right2) / others + wrong1 * wrong2 * (others - 1) / others**2
    return np.asarray(1 - agree)


CONS_INDEPENDENT = Measure(
    name="cons_independent",
    title="CONS by chance",
    description=(
        "The CONS that two independent answers of these accuracies would have. Pairs are taken by number of choices k; "
        "within each, the original is correct with probability r1 and names an incorrect choice with probability w1, "
        "the variant likewise r2 and w2, incorrect choices being equally likely, answers off the list and replies "
        "without an answer equal to nothing. Two answers then agree with probability r1 r2 + w1 w2 / (k - 1) where the "
        "gold answers are the same; where they differ, with probability (r1 w2 + w1 r2) / (k - 1) + "
        "w1 w2 (k - 2) / (k - 1)^2, and else they differ. The mean over the pairs of all k; open questions and pairs "
        "whose two questions differ in k are excluded."
    ),
    grain="pair",
    where=RELATED & (o("choices") == v("choices")) & (o("choices") > 1),
    by=("expects", "original_choices"),
    sums={
        "n": ONE,
        **{
            f"{name}_{side}": expression
            for side, of in (("original", o), ("variant", v))
            for name, expression in (
                ("correct", correct(of)),
                ("incorrect", is_(of, "incorrect")),
            )
        },
    },
    finalize=_expected_consistency,
)

SET_CONS = Measure(
    name="set_cons",
    title="set CONS",
    description=(
        "The share of probes in which every variant's answer relates to the original's as expected; a reply that holds "
        "no answer never does."
    ),
    grain="set",
    where=RELATED.first(),
    sums={"part": CONSISTENT.all(), "n": ONE},
    higher_is_better=True,
    shown=SEVERAL,
)


_BOTH = correct(o) & correct(v)

RAD_FORWARD = Measure(
    name="rad_forward",
    title="RAD",
    description=(
        "Robustness to augmented data: of the pairs whose original is answered correctly, the share whose variant is "
        "too. There is none where no original is."
    ),
    grain="pair",
    where=ANSWERS & PAIRED,
    sums={"part": _BOTH, "n": correct(o)},
    higher_is_better=True,
    headline=True,
    on_request=True,
    signature_parts=("correct:above-half",),
)

RAD_BACKWARD = Measure(
    name="rad_backward",
    title="RAD backward",
    description=(
        "The same the other way round: of the pairs whose variant is answered correctly, the share whose original is "
        "too."
    ),
    grain="pair",
    where=ANSWERS & PAIRED,
    sums={"part": _BOTH, "n": correct(v)},
    higher_is_better=True,
    on_request=True,
    signature_parts=("correct:above-half",),
)
