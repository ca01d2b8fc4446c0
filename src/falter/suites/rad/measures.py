"""The measures of RAD: those of pairs that are scored on request, and the accuracy that the paper prints."""

from __future__ import annotations

import polars as pl

from falter.evaluation.measures.counting import Summary
from falter.evaluation.measures.measure import Measure
from falter.evaluation.measures.outcomes.expressions import ANSWERS, PAIRED, o
from falter.evaluation.measures.pair_measures import RAD_BACKWARD, RAD_FORWARD

_ANSWERED = o("has_human_answers").cast(pl.Float64)

ORIGINAL_VQA_ACCURACY = Measure(
    name="vqa_accuracy_original",
    title="VQA acc originals",
    description="The mean VQA accuracy over the original of every pair, where several humans answered it.",
    grain="pair",
    where=ANSWERS & PAIRED,
    sums={"part": _ANSWERED * o("credit"), "n": _ANSWERED},
    higher_is_better=True,
    shown="when it counts",
)
"""Variants have no human answers of their own: this is of originals alone."""

MEASURES = (RAD_FORWARD, RAD_BACKWARD, ORIGINAL_VQA_ACCURACY)

SUMMARIES = (Summary(name="all", how="pooled", where=ANSWERS & PAIRED, facets=("answer",)),)
"""All augmentations together, and by the answer of the variant."""
