"""Yes/no questions without variants: precision, recall and F1, yes being the positive answer."""

from __future__ import annotations

import numpy as np

from falter.measures.foils import REQUIRES_PROBABILITY
from falter.measures.measure import Measure, Sums
from falter.measures.outcomes.coding import Floats
from falter.measures.outcomes.expressions import (
    PAIRED,
    asks_yes_no,
    judged,
    o,
    says_yes,
)

__all__ = ["F1", "PRECISION", "RECALL"]

import polars as pl

_YES_NO = asks_yes_no(o) & ~PAIRED
_TRUE_POSITIVE = says_yes(o) & o("gold_yes")
_GOLD_YES = judged(o) & o("gold_yes")

PRECISION = Measure(
    name="precision",
    title="precision",
    description=(
        "Of the single yes/no questions answered with yes, the share whose gold answer is yes. Texts that are matched "
        "one by one count as such questions. There is none where no answer is yes."
    ),
    grain="pair",
    where=_YES_NO,
    sums={"part": _TRUE_POSITIVE, "n": says_yes(o)},
    higher_is_better=True,
    requires=REQUIRES_PROBABILITY,
)

RECALL = Measure(
    name="recall",
    title="recall",
    description=(
        "Of the single yes/no questions whose gold answer is yes, the share answered with yes; an unparsed reply says "
        "neither yes nor no."
    ),
    grain="pair",
    where=_YES_NO,
    sums={"part": _TRUE_POSITIVE, "n": _GOLD_YES},
    higher_is_better=True,
    requires=REQUIRES_PROBABILITY,
)


def _harmonic_mean(sums: Sums) -> Floats:
    """2 P R / (P + R) in this order, so that it is the usual formula's to the last digit; 0 where nothing is found."""
    found, answered, gold = sums["found"], sums["answered_yes"], sums["gold_yes"]
    nothing = np.where(answered + gold > 0, 0.0, np.nan)
    some = found > 0
    precision = np.divide(found, answered, out=np.zeros_like(nothing), where=some)
    recall = np.divide(found, gold, out=np.zeros_like(nothing), where=some)
    return np.asarray(np.divide(2 * precision * recall, precision + recall, out=nothing, where=some))


def _questions(sums: Sums) -> Floats:
    """All questions, as far as there is a yes among answers or golds."""
    return np.asarray(np.where(sums["answered_yes"] + sums["gold_yes"] > 0, sums["questions"], 0.0))


def _twice_found(sums: Sums) -> tuple[Floats, Floats]:
    """F1 as one ratio: the true positives twice, over the yes among answers and the yes among golds."""
    return 2 * sums["found"], sums["answered_yes"] + sums["gold_yes"]


F1 = Measure(
    name="f1",
    title="F1",
    description=(
        "The harmonic mean of precision and recall over single yes/no questions, yes being the positive answer. n is "
        "the number of questions."
    ),
    grain="pair",
    where=_YES_NO,
    sums={
        "found": _TRUE_POSITIVE,
        "answered_yes": says_yes(o),
        "gold_yes": _GOLD_YES,
        "questions": judged(o).cast(pl.Float64),
    },
    finalize=_harmonic_mean,
    share=_twice_found,
    n=_questions,
    higher_is_better=True,
    headline=True,
    requires=REQUIRES_PROBABILITY,
)
