"""Intervals, paired tests, and the correction for many of them."""

from falter.measures.statistics.bootstrap import Interval, bootstrap_sums, percentile_interval
from falter.measures.statistics.holm import holm
from falter.measures.statistics.mcnemar import mcnemar

__all__ = ["Interval", "bootstrap_sums", "holm", "mcnemar", "percentile_interval"]
