"""Intervals, paired tests, and the correction for many of them."""

from falter.evaluation.measures.statistics.bootstrap import (
    Interval,
    Sample,
    bootstrap_sums,
    draw_clusters,
    generator,
    percentile_interval,
)
from falter.evaluation.measures.statistics.shares import Ends, Shares, clopper_pearson, clustered_error, holm, mcnemar

__all__ = [
    "Ends",
    "Interval",
    "Sample",
    "Shares",
    "bootstrap_sums",
    "clopper_pearson",
    "clustered_error",
    "draw_clusters",
    "generator",
    "holm",
    "mcnemar",
    "percentile_interval",
]
