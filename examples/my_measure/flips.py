"""A measure: how often two answers of a pair differ."""

from falter.evaluation.measures.catalogue import MEASURES
from falter.evaluation.measures.measure import Measure
from falter.evaluation.measures.outcomes.expressions import DIFFER, ONE

FLIPS = Measure(
    name="answer_flips",
    description="The share of pairs whose two answers differ, whatever is expected of them.",
    sums={"part": DIFFER, "n": ONE},
)
MEASURES.add(FLIPS.name, FLIPS)
