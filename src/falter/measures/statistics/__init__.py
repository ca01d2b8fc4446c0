"""Intervals, paired tests, and the correction for many of them."""

from falter.measures.statistics.bootstrap import (
    Interval,
    Sample,
    bootstrap_sums,
    draw_clusters,
    generator,
    percentile_interval,
)
from falter.measures.statistics.significance import holm, mcnemar

__all__ = [
    "Interval",
    "Sample",
    "bootstrap_sums",
    "draw_clusters",
    "generator",
    "holm",
    "mcnemar",
    "percentile_interval",
]
