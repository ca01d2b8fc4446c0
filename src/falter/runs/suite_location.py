"""Where a run finds its suite: its manifest has the way from one folder to the other, and the suite's hash."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from falter.errors import FalterError, InputError
from falter.probes import read_manifest
from falter.runs.manifest import SuiteRecord

__all__ = ["find_suite", "path_to_suite"]

_MOST_FOLDERS = 1000
"""So many folders near a run are looked at for its suite."""


def path_to_suite(run: Path, suite: Path) -> str:
    """The way from a run's folder to its suite's, so that both can move together."""
    try:
        return Path(os.path.relpath(suite.resolve(), run.resolve())).as_posix()
    except ValueError:  # on another drive
        return str(suite.resolve())


def find_suite(run: Path, record: SuiteRecord) -> Path:
    """The folder of a run's suite: where it was, else one near the run that has its hash."""
    recorded = Path(os.path.normpath(run.resolve() / record.path))
    here = recorded.is_dir()
    if here and read_manifest(recorded).items_sha256 == record.fingerprint:
        return recorded
    for folder in islice(_folders_near(run.resolve()), _MOST_FOLDERS):
        if (folder / "suite.json").is_file() and _fingerprint(folder) == record.fingerprint:
            return folder
    if here:
        raise InputError(
            recorded,
            f"is not the suite of the run {run}: the fingerprints differ",
            hint="give the suite that was asked with --suite, or run the model on this one",
        )
    raise InputError(
        run,
        f"its suite {record.name} is neither in {recorded} nor near the run",
        hint="give the suite's folder with --suite",
    )


def _fingerprint(folder: Path) -> str | None:
    try:
        return read_manifest(folder).items_sha256
    except FalterError:
        return None


def _folders_near(run: Path) -> Iterator[Path]:
    """The folders beside a run and beside the folder that it is in, two levels deep, the nearest first."""
    for parent in run.parents[:2]:
        if parent == parent.parent:
            return
        beside = _folders_in(parent)
        yield from beside
        for folder in beside:
            yield from _folders_in(folder)


def _folders_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            found = [entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()]
    except OSError:
        return []
    return [folder / name for name in sorted(found)]
