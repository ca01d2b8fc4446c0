"""The report: one HTML file, and what a bundle adds to it.

The modules say what is shown. How it looks is in ``templates`` (the markup of each section), ``assets/report.css``
(tables and sections) and ``assets/look.css`` (colors and fonts, for the viewer and the site too).

A bundle's panel builds a :class:`Section` of text, tables and figures; the report draws it. The names here are resolved
on first use, so that a bundle can name its panels without loading what draws a page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from falter.core.lazy import lazy_names

if TYPE_CHECKING:
    from falter.evaluation.reporting.charts import (
        BarChart,
        ChartAxis,
        ChartBar,
        ChartLine,
        ChartPoint,
        ColumnChart,
        ColumnSeries,
        LineChart,
        line_values,
    )
    from falter.evaluation.reporting.collect_data import MAX_FAILURES, collect
    from falter.evaluation.reporting.failure_viewer import MAX_BYTES, FailureViewer
    from falter.evaluation.reporting.page import render_report, write_report
    from falter.evaluation.reporting.panel import Panel, Section, Table, TableCell
    from falter.evaluation.reporting.published import Published, PublishedRow, published_for
    from falter.evaluation.reporting.report_data import ModelInfo, ModelScore, ReportData, SuiteInfo
    from falter.evaluation.reporting.report_view import ReportRun, ReportView
    from falter.evaluation.reporting.score_charts import bars, lines

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

__getattr__ = lazy_names(
    __name__,
    {
        "MAX_BYTES": "falter.evaluation.reporting.failure_viewer",
        "MAX_FAILURES": "falter.evaluation.reporting.collect_data",
        "BarChart": "falter.evaluation.reporting.charts",
        "ChartAxis": "falter.evaluation.reporting.charts",
        "ChartBar": "falter.evaluation.reporting.charts",
        "ChartLine": "falter.evaluation.reporting.charts",
        "ChartPoint": "falter.evaluation.reporting.charts",
        "ColumnChart": "falter.evaluation.reporting.charts",
        "ColumnSeries": "falter.evaluation.reporting.charts",
        "FailureViewer": "falter.evaluation.reporting.failure_viewer",
        "LineChart": "falter.evaluation.reporting.charts",
        "ModelInfo": "falter.evaluation.reporting.report_data",
        "ModelScore": "falter.evaluation.reporting.report_data",
        "Panel": "falter.evaluation.reporting.panel",
        "Published": "falter.evaluation.reporting.published",
        "PublishedRow": "falter.evaluation.reporting.published",
        "ReportData": "falter.evaluation.reporting.report_data",
        "ReportRun": "falter.evaluation.reporting.report_view",
        "ReportView": "falter.evaluation.reporting.report_view",
        "Section": "falter.evaluation.reporting.panel",
        "SuiteInfo": "falter.evaluation.reporting.report_data",
        "Table": "falter.evaluation.reporting.panel",
        "TableCell": "falter.evaluation.reporting.panel",
        "bars": "falter.evaluation.reporting.score_charts",
        "collect": "falter.evaluation.reporting.collect_data",
        "line_values": "falter.evaluation.reporting.charts",
        "lines": "falter.evaluation.reporting.score_charts",
        "published_for": "falter.evaluation.reporting.published",
        "render_report": "falter.evaluation.reporting.page",
        "write_report": "falter.evaluation.reporting.page",
    },
)
