"""Self-consistency over pairs and sets, by the formulas of CARETS (Section 5.3)."""

from __future__ import annotations

import numpy as np

from falter.measures.accuracy import SEVERAL
from falter.measures.measure import Measure, Sums
from falter.measures.outcomes.coding import Floats
from falter.measures.outcomes.expressions import (
    CONSISTENT,
    CONSISTENT_REPLIES,
    ONE,
    PAIRED,
    correct,
    expects,
    is_,
    listed,
    o,
    v,
)

__all__ = ["CONS", "CONS_INDEPENDENT", "CONS_STRICT", "RELATED", "SET_CONS"]

import polars as pl

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
