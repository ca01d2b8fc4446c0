"""Reports that people like to look at."""

from falter.report.browser import BYTES
from falter.report.collect import FAILURES, collect
from falter.report.data import ReportData
from falter.report.page import render_report, write_report

__all__ = ["BYTES", "FAILURES", "ReportData", "collect", "render_report", "write_report"]
