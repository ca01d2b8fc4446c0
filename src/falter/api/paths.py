"""What a user may give for a suite, a run or a source: the object itself, or where it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from falter.core.errors import InputError, UsageError, warn_user
from falter.core.tables import format_count

if TYPE_CHECKING:
    from falter.data.images import Source
    from falter.data.suite import Suite
    from falter.evaluation.runs import Run

PathOrStr: TypeAlias = "str | PathLike[str]"
SuiteLike: TypeAlias = "Suite | str | PathLike[str]"
RunLike: TypeAlias = "Run | str | PathLike[str]"
SourceLike: TypeAlias = "Source | str"


def as_suite(given: SuiteLike) -> Suite:
    """A suite, opened where it is given as a folder."""
    from falter.data.suite import open_suite

    return open_suite(Path(given)) if isinstance(given, str | PathLike) else given


def open_imported(out: PathOrStr) -> Suite:
    """A suite that was imported; probes that are copies and items with several golds are named in warnings."""
    suite = as_suite(out)
    warn_of_copies(suite)
    return suite


def warn_of_copies(suite: Suite) -> None:
    """Name probes that are copies and items with several golds."""
    from falter.evaluation.runs.scored_items import find_copies

    for line in find_copies(suite.items_path).notes(suite.name):
        warn_user(line)


def as_image_dir(given: PathOrStr) -> Path:
    """A folder to read images from."""
    if not Path(given).is_dir():
        raise InputError(given, "is not a folder of images", hint="give --image-dir the folder that holds them")
    return Path(given)


def refuse_output_file(path: PathOrStr, runs: Iterable[Run], *files: PathOrStr | None) -> None:
    """Refuse to write over a file of the runs or their suites, or over another that is read."""
    from falter.core.files import refuse_input_file
    from falter.data.suite_writing import SUITE_FOLDER
    from falter.evaluation.runs import RUN_FOLDER

    opened = list(runs)
    folders = [(run.folder, RUN_FOLDER) for run in opened]
    folders += [(folder, SUITE_FOLDER) for folder in dict.fromkeys(run.suite().folder for run in opened)]
    refuse_input_file(Path(path), [Path(file) for file in files if file is not None], folders)


def as_source(given: SourceLike | None) -> Source | None:
    """A source, opened where it is given as ``NAME:FOLDER``."""
    from falter.data.sources import open_source

    return open_source(given) if isinstance(given, str) else given


def as_run(given: RunLike, suite: PathOrStr | None = None) -> Run:
    """A run, opened where it is given as a folder; ``suite`` says where its suite is now, if it has moved."""
    from falter.evaluation.runs import open_run

    if not isinstance(given, str | PathLike):
        return given
    return open_run(Path(given), suite_folder=None if suite is None else Path(suite))


def as_runs(given: RunLike | Iterable[RunLike], suite: PathOrStr | None = None) -> list[Run]:
    """Runs, in the order given; a folder of runs stands for all runs in it."""
    several: list[RunLike] = [*given] if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    opened: list[Run] = []
    for one in several:
        folders = all_runs(Path(one)) if isinstance(one, str | PathLike) else [one]
        opened += [as_run(folder, suite) for folder in folders]
    if not opened:
        raise UsageError("no run was given")
    return opened


_DEEPEST = 4
"""Folders between a folder that is given and a run in it, at most."""


def find_runs(folder: Path) -> list[Path]:
    """A run's folder itself, or all runs inside a folder that is no run, also those in folders of their own."""
    return _runs_inside(folder, _DEEPEST, []) or [folder]


def all_runs(folder: Path) -> list[Path]:
    """The same, where nothing may be left out unsaid: a folder that lost its ``run.json`` is refused.

    A folder beside runs that holds no run is named in a warning.
    """
    others: list[Path] = []
    runs = _runs_inside(folder, _DEEPEST, others) or [folder]
    for other in others:
        files = sorted(path.name for path in other.iterdir() if path.is_file())
        lost = next((name for name in files if _FILE_OF_A_RUN.fullmatch(name)), None)
        if lost is not None:
            raise InputError(
                other,
                f"has {lost} and no run.json",
                hint="run the model again with another --out, or remove the folder",
            )
    beside = [other for other in others if other.parent in {run.parent for run in runs}]
    if beside:
        named = ", ".join(map(str, beside[:_MOST_NAMED])) + (" and more" if len(beside) > _MOST_NAMED else "")
        warn_user(f"{named}: no run there (no run.json); not among the {format_count(len(runs), 'runs')} of {folder}")
    return runs


_FILE_OF_A_RUN = re.compile(r"replies(-[0-9]+)?\.(jsonl|parquet)|asked\.jsonl")
_MOST_NAMED = 3


def _runs_inside(folder: Path, depth: int, others: list[Path]) -> list[Path]:
    """All runs inside a folder; ``others`` gets the folders in it that hold none."""
    if (folder / "run.json").is_file():
        return [folder]
    if not depth or not folder.is_dir():
        return []
    inside = sorted(path for path in folder.iterdir() if not path.name.startswith(".") and path.is_dir())
    runs: list[Path] = []
    for path in inside:
        own = _runs_inside(path, depth - 1, others)
        runs += own
        if not own:
            others.append(path)
    return runs
