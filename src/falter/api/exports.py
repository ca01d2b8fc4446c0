"""Suites in the formats in which others release theirs."""

from __future__ import annotations

from pathlib import Path

from falter.api.paths import PathOrStr, SuiteLike, as_suite

__all__ = ["export"]


def export(suite: SuiteLike, to: str, *, out: PathOrStr, overwrite: bool = False) -> dict[str, int]:
    """Write a suite in a released format, e.g. ``falter.export("suites/mine", "valse", out="files")``.

    Gives by file the number of its entries.
    """
    from falter.exporting.suite_export import export_suite

    return export_suite(as_suite(suite), to, Path(out), overwrite=overwrite)
