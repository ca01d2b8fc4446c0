"""The accuracy on originals as the paper counts it, every original once, and how tests are summarized.

All sets together, as in Table 2 and the last line of Table 3.
"""

from __future__ import annotations

from falter.evaluation.measures import PAIRED, Summary
from falter.evaluation.measures.counting import MICRO
from falter.evaluation.measures.measure import Measure
from falter.evaluation.measures.outcomes.expressions import ANSWERS, ONE, correct, o

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


SUMMARIES = (Summary(name=MICRO, how="pooled", where=ANSWERS & PAIRED, facets=("variants",), sets=True),)
