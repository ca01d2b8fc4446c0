"""Folders of runs as they are given on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

__all__ = ["runs_in"]


def runs_in(given: Sequence[Path]) -> list[Path]:
    """The run folders themselves, and those inside folders that are no runs."""
    found: list[Path] = []
    for folder in given:
        inside = sorted(path.parent for path in folder.glob("*/run.json"))
        found += inside if inside and not (folder / "run.json").is_file() else [folder]
    return found
