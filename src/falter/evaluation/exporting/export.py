"""Writing a suite or a run in the format of another program, whole or not at all; a run for an evaluation server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from falter.core.bundle import BUNDLES
from falter.core.errors import InputError, UsageError
from falter.core.files import atomic_folder, write_atomically
from falter.core.registry import Registry
from falter.data.items import Item
from falter.data.model import own_id
from falter.data.suite import Suite
from falter.evaluation.runs import Run


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


_LEVELS = ("partition", "similarity", "appended", "control", "direction", "augmentation")
"""Facets by which the variants of a question are told apart; others are told by their number."""


class ResultFiles(NamedTuple):
    """Writes ``SUITE-TEST-SET.json``: a list of ids and answers under the names that a server wants."""

    id_field: str
    answer_field: str
    numeric: bool
    """Ids that are whole numbers are written as numbers."""

    def write(self, run: Run, folder: Path, out: Path) -> dict[str, int]:
        del out
        answers = _answers(run)
        found: dict[str, dict[str, str]] = {}
        for item, name in _asked(run):
            if item.source_id is None:
                continue
            said = answers.get(own_id(item.item_id, item.source_id), answers.get(item.item_id, ""))
            results = found.setdefault(name, {})
            if results.setdefault(item.source_id, said) != said:
                raise InputError(
                    run.folder,
                    f"has two answers to the question {item.source_id} in {name}",
                    hint="export a suite whose published ids are ids of one question",
                )
        if not found:
            hint = "export a run on a suite that was imported, or generated from published questions"
            raise InputError(run.folder, "is of a suite whose items have no published ids", hint=hint)
        for name, results in found.items():
            records = [{self.id_field: self._id(one), self.answer_field: said} for one, said in results.items()]
            write_atomically(folder / name, b"[\n" + b",\n".join(map(msgspec.json.encode, records)) + b"\n]\n")
        return {name: len(results) for name, results in found.items()}

    def _id(self, source_id: str) -> str | int:
        return int(source_id) if self.numeric and source_id.isascii() and source_id.isdigit() else source_id


def _asked(run: Run) -> Iterator[tuple[Item, str]]:
    """The items that the run is about, each with the name of its file."""
    probes = run.probe_ids()
    for item in run.suite().items():
        if probes is None or item.probe_id in probes:
            name = f"{item.suite}-{item.test}-{_level(item.variant, item.facets)}"
            yield item, f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}.json"


def _level(variant: int, facets: Mapping[str, str]) -> str:
    if not variant:
        return "original"
    named = next((name for name in _LEVELS if name in facets), None)
    return f"variant-{variant}" if named is None else f"{named}-{facets[named]}"


def _answers(run: Run) -> dict[str, str]:
    """By id of a reply its answer; what could not be read is an empty answer, which a server counts as wrong."""
    rows: list[dict[str, Any]] = run.replies().select("item_id", "status", "answer").to_dicts()
    return {row["item_id"]: row["answer"] or "" for row in rows if row["status"] == "ok"}


VQA_RESULTS = ResultFiles("question_id", "answer", numeric=True)
GQA_RESULTS = ResultFiles("questionId", "prediction", numeric=False)
