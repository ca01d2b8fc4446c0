"""The accuracy on originals as the paper counts it: every original once, however many variants it has."""

from __future__ import annotations

from falter.measures.measure import Measure
from falter.measures.outcomes.expressions import ANSWERS, ONE, correct, o

__all__ = ["ACC_ORIGINAL_ONCE", "MEASURES"]

ACC_ORIGINAL_ONCE = Measure(
    name="acc_original_once",
    title="ACC originals, once",
    description=(
        "The share of sets whose original is answered correctly: every original counts once, as in the paper, and not "
        "as often as it has variants. A set with any reply failed, missing or unsupported is excluded."
    ),
    grain="set",
    where=ANSWERS.first(),
    sums={"part": correct(o).first(), "n": ONE},
    higher_is_better=True,
)

MEASURES = (ACC_ORIGINAL_ONCE,)
