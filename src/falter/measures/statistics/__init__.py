"""Intervals, paired tests, and the correction for many of them."""

from falter.measures.statistics.bootstrap import (
    Interval,
    Sample,
    bootstrap_sums,
    draw_clusters,
    generator,
    percentile_interval,
)
from falter.measures.statistics.clusters import (
    FEW_CLUSTERS,
    clopper_pearson,
    clustered_error,
    design_effect,
    effective_size,
    exact_interval,
)
from falter.measures.statistics.regression import LinearFit, fit_linear
from falter.measures.statistics.significance import holm, mcnemar

__all__ = [
    "FEW_CLUSTERS",
    "Interval",
    "LinearFit",
    "Sample",
    "bootstrap_sums",
    "clopper_pearson",
    "clustered_error",
    "design_effect",
    "draw_clusters",
    "effective_size",
    "exact_interval",
    "fit_linear",
    "generator",
    "holm",
    "mcnemar",
    "percentile_interval",
]
