"""A measure: how often two answers of a pair differ."""

from falter.extend import DIFFER, MEASURES, ONE, Measure

FLIPS = Measure(
    name="answer_flips",
    description="The share of pairs whose two answers differ, whatever is expected of them.",
    sums={"part": DIFFER, "n": ONE},
)
MEASURES.add(FLIPS.name, FLIPS)
