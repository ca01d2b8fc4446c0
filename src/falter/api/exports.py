"""Suites and runs in the formats of other programs, and their answers back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from falter.api.paths import PathOrStr, RunLike, SuiteLike, as_run, as_suite
from falter.probes import Suite

if TYPE_CHECKING:
    from falter.runs import Run

__all__ = ["export", "export_formats", "import_inspect_log"]


def export(what: SuiteLike | RunLike, to: str, *, out: PathOrStr, overwrite: bool = False) -> dict[str, int]:
    """Write a suite or a run for another program, e.g. ``falter.export("suites/mine", "inspect", out="task")``.

    Suites go to ``hf``, ``inspect``, ``lmms-eval``, ``vlmevalkit`` and ``valse``, runs to ``every-eval-ever``, ``vqa``
    and ``gqa``. Gives by file the number of its entries.
    """
    from falter.exporting.export import export_run, export_suite
    from falter.runs import Run

    if isinstance(what, Run) or (not isinstance(what, Suite) and (Path(what) / "run.json").is_file()):
        return export_run(as_run(what), to, Path(out), overwrite=overwrite)
    return export_suite(as_suite(what), to, Path(out), overwrite=overwrite)


def export_formats() -> list[str]:
    """All formats, of suites and of runs."""
    from falter.exporting.export import RUN_FORMATS, suite_formats

    return [*suite_formats(), *RUN_FORMATS.names()]


def import_inspect_log(log: PathOrStr, suite: SuiteLike, *, out: PathOrStr | None = None) -> Run:
    """Make a run of a log that Inspect wrote of an exported suite; pairs and intervals are computed from it."""
    from falter.api.running import run
    from falter.models.predictions.inspect_logs import model_of_log

    return run(suite, f"file:{Path(log)}#name={model_of_log(Path(log))}", out=out)
