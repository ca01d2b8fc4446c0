"""Measures: functions from outcomes to scores, each with its interval, its count and its signature."""

from falter.measures.blindness import Blindness, blind_pairs, blindness
from falter.measures.catalogue import COUNTS, MEASURES, every_measure
from falter.measures.comparing import Comparison, compare_runs
from falter.measures.coverage import Coverage, cover_runs
from falter.measures.measure import Measure, Ratio, SetRatio, Tally
from falter.measures.outcomes import outcomes
from falter.measures.r_score import r_score
from falter.measures.robustness import Robustness, robustness_of_run
from falter.measures.score import Group, Score
from falter.measures.scoring import score_run
from falter.measures.signature import signature
from falter.measures.spread import Spread, prompt_groups, spread
from falter.measures.vqabq import Vqabq, vqabq_of_run

__all__ = [
    "COUNTS",
    "MEASURES",
    "Blindness",
    "Comparison",
    "Coverage",
    "Group",
    "Measure",
    "Ratio",
    "Robustness",
    "Score",
    "SetRatio",
    "Spread",
    "Tally",
    "Vqabq",
    "blind_pairs",
    "blindness",
    "compare_runs",
    "cover_runs",
    "every_measure",
    "outcomes",
    "prompt_groups",
    "r_score",
    "robustness_of_run",
    "score_run",
    "signature",
    "spread",
    "vqabq_of_run",
]
