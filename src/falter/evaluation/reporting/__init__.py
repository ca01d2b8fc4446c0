"""The report: one HTML file, and what a bundle adds to it.

A bundle's panel builds a :class:`Section` of text, tables and figures; the report draws it. The names here are resolved
on first use, so that a bundle can name its panels without loading what draws a page.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from falter.evaluation.reporting.collect_data import MAX_FAILURES, collect
    from falter.evaluation.reporting.failure_viewer import MAX_BYTES, FailureViewer
    from falter.evaluation.reporting.figures import (
        BarChart,
        ChartAxis,
        ChartBar,
        ChartLine,
        ChartPoint,
        ColumnChart,
        ColumnSeries,
        LineChart,
        bars,
        line_values,
        lines,
    )
    from falter.evaluation.reporting.page import render_report, write_report
    from falter.evaluation.reporting.panel import Panel, Section, Table, TableCell
    from falter.evaluation.reporting.published import Published, PublishedRow, published_for
    from falter.evaluation.reporting.report_data import ModelInfo, ModelScore, ReportData, SuiteInfo
    from falter.evaluation.reporting.report_view import ReportRun, ReportView

__all__ = [
    "MAX_BYTES",
    "MAX_FAILURES",
    "BarChart",
    "ChartAxis",
    "ChartBar",
    "ChartLine",
    "ChartPoint",
    "ColumnChart",
    "ColumnSeries",
    "FailureViewer",
    "LineChart",
    "ModelInfo",
    "ModelScore",
    "Panel",
    "Published",
    "PublishedRow",
    "ReportData",
    "ReportRun",
    "ReportView",
    "Section",
    "SuiteInfo",
    "Table",
    "TableCell",
    "bars",
    "collect",
    "line_values",
    "lines",
    "published_for",
    "render_report",
    "write_report",
]

_MODULES = {
    "collect_data": ("MAX_FAILURES", "collect"),
    "report_data": ("ModelInfo", "ModelScore", "ReportData", "SuiteInfo"),
    "failure_viewer": ("MAX_BYTES", "FailureViewer"),
    "figures": (
        "BarChart",
        "ChartAxis",
        "ChartBar",
        "ChartLine",
        "ChartPoint",
        "ColumnChart",
        "ColumnSeries",
        "LineChart",
        "bars",
        "line_values",
        "lines",
    ),
    "page": ("render_report", "write_report"),
    "panel": ("Panel", "Section", "Table", "TableCell"),
    "published": ("Published", "PublishedRow", "published_for"),
    "report_view": ("ReportRun", "ReportView"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(importlib.import_module(f"falter.evaluation.reporting.{module}"), name)
    raise AttributeError(f"module 'falter.evaluation.reporting' has no attribute {name!r}")
