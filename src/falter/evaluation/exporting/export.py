"""Writing a suite or a run in the format of another program, whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from falter.core.bundle import BUNDLES
from falter.core.errors import InputError, UsageError
from falter.core.files import atomic_folder
from falter.core.registry import Registry
from falter.data.suite import Suite
from falter.evaluation.runs import Run

__all__ = ["RUN_FORMATS", "SUITE_FORMATS", "Exporter", "RunExporter", "export_run", "export_suite", "suite_formats"]


class Exporter(Protocol):
    """Writes a suite: an entry of :data:`SUITE_FORMATS`, or of the slot ``exporters`` of a bundle."""

    def write(self, suite: Suite, folder: Path, out: Path) -> Mapping[str, int]:
        """Write files into an empty folder, which will be ``out``; by file the number of its entries.

        None are written where the suite has nothing that the format has a form for.
        """
        ...


class RunExporter(Protocol):
    """Writes a run: an entry of :data:`RUN_FORMATS`."""

    def write(self, run: Run, folder: Path, out: Path) -> Mapping[str, int]:
        """Write files into an empty folder, which will be ``out``; by file the number of its entries."""
        ...


SUITE_FORMATS: Registry[Exporter] = Registry("format of suites", "falter.exporters")
RUN_FORMATS: Registry[RunExporter] = Registry("format of runs", "falter.run_exporters")


def suite_formats() -> list[str]:
    """The formats in which suites are written: those of every suite, and those of bundles."""
    return sorted({*SUITE_FORMATS.names(), *(name for one in BUNDLES.available() for name in one.exporters)})


def export_suite(suite: Suite, to: str, out: Path, *, overwrite: bool = False) -> dict[str, int]:
    """Write a suite; by file the number of its entries."""
    bundle = next((one for one in BUNDLES.available() if to in one.exporters), None)
    exporter: Exporter
    if bundle is not None:
        exporter = bundle.get("exporters", to)
    elif to in SUITE_FORMATS:
        exporter = SUITE_FORMATS.get(to)
    elif to in RUN_FORMATS:
        raise UsageError(f"{to} is a format of runs, and {suite.folder} is a suite; give the folder of a run")
    else:
        raise UsageError(f"no suite is exported to {to!r}: there are {', '.join(suite_formats())}")
    return _write(exporter, suite, [suite.folder], to, out, overwrite=overwrite)


def export_run(run: Run, to: str, out: Path, *, overwrite: bool = False) -> dict[str, int]:
    """Write a run; by file the number of its entries."""
    if to not in RUN_FORMATS:
        if to in suite_formats():
            raise UsageError(f"{to} is a format of suites, and {run.folder} is a run; give the folder of a suite")
        raise UsageError(f"no run is exported to {to!r}: there are {', '.join(RUN_FORMATS.names())}")
    if not run.manifest.complete:
        raise InputError(run.folder, "is incomplete", hint="finish it with falter run, then export it")
    return _write(RUN_FORMATS.get(to), run, [run.folder, run.suite().folder], to, out, overwrite=overwrite)


def _write(
    exporter: Any, what: Suite | Run, inputs: Sequence[Path], to: str, out: Path, *, overwrite: bool
) -> dict[str, int]:
    if out.resolve() == what.folder.resolve():
        raise UsageError(f"{out} is the suite or run itself; choose another --out")
    # No file of an export says what the folder is: it is known by the files that take the place of its own.
    with atomic_folder(out, overwrite=overwrite, inputs=inputs) as folder:
        written = dict(exporter.write(what, folder, out))
        if not written:
            raise InputError(what.folder, f"holds nothing that {to} has a form for", hint="choose another format")
    return written
