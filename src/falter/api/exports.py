"""Suites and runs in the formats of other programs, and their answers back."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from falter.api.paths import PathOrStr, RunLike, SuiteLike, as_run, as_suite
from falter.errors import UsageError
from falter.probes import Suite, open_suite

if TYPE_CHECKING:
    from falter.runs import Run

__all__ = ["export", "export_formats", "import_inspect_log"]


def export(
    what: SuiteLike | RunLike,
    to: str,
    *,
    out: PathOrStr,
    subset: Literal["all", "valid", "unanimous"] = "all",
    overwrite: bool = False,
) -> dict[str, int]:
    """Write a suite or a run for another program, e.g. ``falter.export("suites/mine", "inspect", out="task")``.

    Suites go to ``hf``, ``inspect``, ``lmms-eval``, ``vlmevalkit`` and ``valse``, runs to ``every-eval-ever``, ``vqa``
    and ``gqa``. Gives by file the number of its entries. ``subset`` leaves out what people rejected.
    """
    from falter.exporting.export import export_run, export_suite
    from falter.runs import Run

    if isinstance(what, Run) or (not isinstance(what, Suite) and (Path(what) / "run.json").is_file()):
        if subset != "all":
            raise UsageError("a subset is one of a suite; a run is exported whole")
        return export_run(as_run(what), to, Path(out), overwrite=overwrite)
    suite = as_suite(what)
    if subset == "all":
        return export_suite(suite, to, Path(out), overwrite=overwrite)
    with TemporaryDirectory() as folder:
        return export_suite(_confirmed(suite, subset, Path(folder) / "suite"), to, Path(out), overwrite=overwrite)


def _confirmed(suite: Suite, subset: str, folder: Path) -> Suite:
    """The suite without what people rejected."""
    from falter.inspection.subsample import write_subsample

    if not any(subset in item.facets for item in suite.items()):
        raise UsageError(f"no probe of {suite.folder} is marked as {subset}: collect votes first")
    write_subsample(
        suite,
        folder,
        lambda probe: probe.original.facets.get(subset, "yes") == "yes",
        made_by=suite.manifest.made_by,
        parameters={"subset": subset},
        counts={},
    )
    return open_suite(folder)


def export_formats() -> list[str]:
    """All formats, of suites and of runs."""
    from falter.exporting.export import RUN_FORMATS, suite_formats

    return [*suite_formats(), *RUN_FORMATS.names()]


def import_inspect_log(log: PathOrStr, suite: SuiteLike, *, out: PathOrStr | None = None) -> Run:
    """Make a run of a log that Inspect wrote of an exported suite; pairs and intervals are computed from it."""
    from falter.api.running import run
    from falter.models.predictions.inspect_logs import model_of_log

    return run(suite, f"file:{Path(log)}#name={model_of_log(Path(log))}", out=out)
