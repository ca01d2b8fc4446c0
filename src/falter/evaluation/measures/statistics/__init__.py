"""Intervals, paired tests, and the correction for many of them."""

from falter.evaluation.measures.statistics.bootstrap import (
    Interval,
    Sample,
    bootstrap_sums,
    draw_clusters,
    generator,
    percentile_interval,
)
from falter.evaluation.measures.statistics.regression import LinearFit, fit_linear
from falter.evaluation.measures.statistics.shares import Ends, Shares, clopper_pearson, clustered_error, holm, mcnemar

__all__ = [
    "Ends",
    "Interval",
    "LinearFit",
    "Sample",
    "Shares",
    "bootstrap_sums",
    "clopper_pearson",
    "clustered_error",
    "draw_clusters",
    "fit_linear",
    "generator",
    "holm",
    "mcnemar",
    "percentile_interval",
]
