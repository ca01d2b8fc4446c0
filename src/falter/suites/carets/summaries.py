"""How the tests of CARETS are summarized: Table 4 of the paper is the mean over rephrasing and order."""

from __future__ import annotations

from falter.evaluation.measures import ANSWERS, PAIRED, Summary

SUMMARIES = (
    Summary(
        name="rephrase-and-order",
        how="mean",
        tests=("rephrase", "order"),
        where=ANSWERS & PAIRED,
        facets=("question", "choices"),
    ),
)
