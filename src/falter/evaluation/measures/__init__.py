"""Measures: functions from outcomes to scores, each with its interval, its count and its signature.

They take tables of items and replies and know no run and no model; :mod:`~falter.evaluation.runs.scoring` scores runs.
"""

from typing import TYPE_CHECKING

from falter.core.lazy import lazy_names
from falter.evaluation.measures.catalogue import (
    MEASURES,
    all_measures,
    all_summaries,
    find_measure,
    measures_for,
    summaries_for,
)
from falter.evaluation.measures.counting import Summary
from falter.evaluation.measures.counts import count_answered
from falter.evaluation.measures.measure import Measure, RowsFinalizer, Sums, ratio
from falter.evaluation.measures.outcomes import Outcomes, outcomes
from falter.evaluation.measures.outcomes.expressions import (
    ANSWERS,
    CONSISTENT,
    CONSISTENT_REPLIES,
    DIFFER,
    FOILS,
    INCLUDED,
    ONE,
    PAIRED,
    SAME,
    correct,
    expects,
    is_,
    judged,
    listed,
    o,
    on_both_sides,
    parsed,
    v,
)
from falter.evaluation.measures.results import (
    AnsweredPairs,
    Comparison,
    Estimate,
    Group,
    ImageAblation,
    Overlap,
    PromptSpread,
    Score,
    signature,
)
from falter.evaluation.measures.scoring import ScoringSettings, score_outcomes, score_tables

if TYPE_CHECKING:
    from falter.evaluation.measures.comparisons import ablate_tables, compare_tables, overlap_tables, spread_tables

__all__ = [
    "ANSWERS",
    "CONSISTENT",
    "CONSISTENT_REPLIES",
    "DIFFER",
    "FOILS",
    "INCLUDED",
    "MEASURES",
    "ONE",
    "PAIRED",
    "SAME",
    "AnsweredPairs",
    "Comparison",
    "Estimate",
    "Group",
    "ImageAblation",
    "Measure",
    "Outcomes",
    "Overlap",
    "PromptSpread",
    "RowsFinalizer",
    "Score",
    "ScoringSettings",
    "Summary",
    "Sums",
    "ablate_tables",
    "all_measures",
    "all_summaries",
    "compare_tables",
    "correct",
    "count_answered",
    "expects",
    "find_measure",
    "is_",
    "judged",
    "listed",
    "measures_for",
    "o",
    "on_both_sides",
    "outcomes",
    "overlap_tables",
    "parsed",
    "ratio",
    "score_outcomes",
    "score_tables",
    "signature",
    "spread_tables",
    "summaries_for",
    "v",
]

__getattr__ = lazy_names(
    __name__,
    dict.fromkeys(
        ("ablate_tables", "compare_tables", "overlap_tables", "spread_tables"), "falter.evaluation.measures.comparisons"
    ),
)
