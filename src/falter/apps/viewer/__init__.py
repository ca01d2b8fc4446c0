"""All pairs of any number of runs, live on this machine: filters, search, breakdowns, comments.

:mod:`falter.apps.viewer.pair_index` keeps a few bytes per pair and run in memory; texts stay in the Parquet files,
which polars scans when they are searched. :mod:`falter.apps.viewer.application` serves it behind
:mod:`falter.apps.serving`.
"""
