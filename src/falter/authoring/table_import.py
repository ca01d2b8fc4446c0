"""A user's own table as a suite: checked row by row, written whole or not at all."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

import numpy as np

from falter.authoring.table_cells import CellError
from falter.authoring.table_columns import TableColumns, TableOptions, find_columns
from falter.authoring.table_images import TableImages
from falter.authoring.table_probes import ProbeBuilder, Row
from falter.errors import FalterError, InputError, RowsError
from falter.files import TableRow, sha256_of_file
from falter.probes import Item, Probe, SuiteManifest, create_suite
from falter.probes.suite_writer import ImageMode

__all__ = ["import_rows"]

_FAULTS_SHOWN = 20
_FIRST = 100
"""So many rows tell which columns there are, where a table has no header."""
_REMEDY = "fix the row, or leave it out"


class _Faults:
    """Collects what is wrong with rows."""

    def __init__(self, where: str) -> None:
        self._where = where
        self.shown: list[InputError] = []
        self.number = 0

    def add(self, record: str, problem: str, hint: str = _REMEDY) -> None:
        self.number += 1
        if len(self.shown) < _FAULTS_SHOWN:
            self.shown.append(InputError(self._where, problem, record=record, hint=hint))


def import_rows(
    rows: Callable[[], Iterable[TableRow]],
    out: Path,
    options: TableOptions,
    *,
    where: str,
    name: str,
    image_dir: Path,
    images: ImageMode = "copy",
    file: Path | None = None,
    made_by: str = "falter import table",
    overwrite: bool = False,
    progress: Callable[[], None] = lambda: None,
) -> SuiteManifest:
    """Write the rows of a table as a suite; ``rows`` gives them from the start each time it is called.

    A row that cannot be used is a fault; with any fault nothing is written, and the error tells all of them.
    """
    given = iter(rows())
    first = list(islice(given, _FIRST))
    if not first:
        raise InputError(where, "has no rows", hint="give a table with a row per question, pair or caption")
    if all(row.problem for row in first):
        raise InputError(where, first[0].problem, record=first[0].record, hint=_REMEDY)
    there = list(dict.fromkeys(str(column) for row in first for column in row.values))
    columns = find_columns(there, options, where, name)
    manifest = SuiteManifest(
        name=columns.name,
        title=f"{columns.name}: a table of one's own",
        made_by=made_by,
        licence=columns.licence,
        parameters={"images": images, "columns": {role: ", ".join(names) for role, names in columns.names.items()}},
    )
    faults = _Faults(where)
    inputs = [one for one in (file, options.columns) if one is not None]
    with create_suite(out, manifest, overwrite=overwrite, inputs=inputs, searched=[image_dir]) as writer:
        found = TableImages(image_dir, writer, images)
        builder = ProbeBuilder(columns, found.place)
        ids = _Ids()
        for probe in _probes(chain(first, given), builder, faults, ids):
            if not faults.number:
                writer.add(probe)
                progress()
        if not faults.number and (twice := ids.repeated()):
            _add_repeated(rows(), builder, faults, twice)
        if faults.number:
            raise RowsError(faults.shown, faults.number, ids.rows)
        manifest.counts |= {"rows": ids.rows, "pictures": found.files}
        if file is not None and file.is_file():
            manifest.sources = [{"name": "table", "files": [{"name": file.name, "sha256": sha256_of_file(file)}]}]
        manifest.notes = list(_notes(columns))
    return manifest


def _notes(columns: TableColumns) -> Iterator[str]:
    if columns.unused:
        yield f"columns without a role are left out: {', '.join(columns.unused)[:300]}"


class _Ids:
    """Hashes of ids, eight bytes each, to find out whether one occurs twice."""

    def __init__(self) -> None:
        self._hashes = array("q")
        self.rows = 0

    def add(self, id_: str) -> None:
        self._hashes.append(hash(id_))

    def repeated(self) -> set[int]:
        """The hashes that occur more than once."""
        found, count = np.unique(np.frombuffer(self._hashes, dtype=np.int64), return_counts=True)
        return set(found[count > 1].tolist())


def _usable(rows: Iterable[TableRow], faults: _Faults, ids: _Ids) -> Iterator[Row]:
    for number, (record, values, problem) in enumerate(rows, start=1):
        ids.rows = number
        if problem:
            faults.add(record, problem)
        else:
            yield Row(record, values, number)


def _probes(rows: Iterable[TableRow], builder: ProbeBuilder, faults: _Faults, ids: _Ids) -> Iterator[Probe]:
    in_sets = "set" in builder.columns.names
    has_ids = "id" in builder.columns.names
    usable = _usable(rows, faults, ids)
    if in_sets:
        yield from _set_probes(usable, builder, faults, ids)
        return
    for row in usable:
        try:
            probe = builder.build(row)
        except CellError as error:
            faults.add(row.record, str(error), error.hint)
            continue
        if has_ids:
            ids.add(probe.probe_id)
        yield probe


def _set_probes(rows: Iterator[Row], builder: ProbeBuilder, faults: _Faults, ids: _Ids) -> Iterator[Probe]:
    """The rows of a set stand together; the first is the original."""
    if builder.columns.form not in ("question", "caption"):
        raise FalterError("a table of sets has a question or a caption per row, and no variant or foil; leave one out")
    members: list[Row] = []
    items: list[Item] = []
    current: str | None = None
    for row in rows:
        try:
            set_id = builder.set_id(row)
            if set_id != current:
                if items:
                    yield Probe(tuple(items))
                current, members, items = set_id, [], []
                ids.add(f"set {set_id}")
            members.append(row)
            assert set_id is not None
            items.append(builder.build_item(row, set_id, members[0], len(items)))
        except CellError as error:
            faults.add(row.record, str(error), error.hint)
    if items:
        yield Probe(tuple(items))


def _add_repeated(rows: Iterable[TableRow], builder: ProbeBuilder, faults: _Faults, twice: set[int]) -> None:
    """Name the rows whose id, or whose set, occurred before."""
    in_sets = "set" in builder.columns.names
    seen: dict[str, str] = {}
    current: str | None = None
    for row in _usable(rows, faults, _Ids()):
        if in_sets:
            set_id = builder.set_id(row)
            key, is_new = f"set {set_id}", set_id != current
            current = set_id
        else:
            key, is_new = builder.row_id(row), True
        if hash(key) not in twice or not is_new:
            continue
        if key in seen and in_sets:
            hint = "sort the table by set: the rows of a set stand together"
            faults.add(row.record, f"begins the set {str(current)[:60]!r} again, which was in {seen[key]}", hint)
        elif key in seen:
            faults.add(
                row.record, f"has the id {key[:60]!r}, which {seen[key]} has as well", "give each row its own id"
            )
        else:
            seen[key] = row.record
