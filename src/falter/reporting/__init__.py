"""Reports that people like to look at."""

from falter.reporting.collect import FAILURES, collect
from falter.reporting.data import ReportData
from falter.reporting.failure_viewer import BYTES
from falter.reporting.page import render_report, write_report

__all__ = ["BYTES", "FAILURES", "ReportData", "collect", "render_report", "write_report"]
