"""Measures: functions from outcomes to scores, each with its interval, its count and its signature."""

from falter.measures.catalogue import COUNTS, MEASURES, every_measure
from falter.measures.comparing import Comparison, compare_runs
from falter.measures.coverage import Coverage, cover_runs
from falter.measures.measure import Measure, Ratio, SetRatio, Tally
from falter.measures.outcomes import outcomes
from falter.measures.score import Group, Score
from falter.measures.scoring import score_run
from falter.measures.signature import signature

__all__ = [
    "COUNTS",
    "MEASURES",
    "Comparison",
    "Coverage",
    "Group",
    "Measure",
    "Ratio",
    "Score",
    "SetRatio",
    "Tally",
    "compare_runs",
    "cover_runs",
    "every_measure",
    "outcomes",
    "score_run",
    "signature",
]
