"""A user's own table as a suite: checked row by row, written whole or not at all.

Its images are files, bytes or base64, and are brought into the suite.
"""

from __future__ import annotations

import base64
import binascii
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, islice
from os.path import normpath
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from falter.core.errors import FalterError, InputError, RowsError
from falter.core.files import TableRow, is_regular, sha256_of_bytes, sha256_of_file
from falter.data.image_mode import ImageMode
from falter.data.images import ImageError, check_image, open_image_file
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import SuiteManifest
from falter.data.suite_writing import SuiteWriter, create_suite
from falter.generation.authoring.table_columns import CellError, TableColumns, TableOptions, find_columns, text
from falter.generation.authoring.table_probes import ProbeBuilder, Row

_ENDINGS = ("", ".jpg", ".jpeg", ".png", ".webp")
_FIRST_LETTERS = ("/9j/", "iVBORw0KGgo", "R0lGOD", "UklGR", "SUkqA")
"""How base64 of JPEG, PNG, GIF, WebP and TIFF begins."""
_LONGEST_PATH = 1024
_SUFFIXES = {"JPEG": ".jpg", "PNG": ".png", "WEBP": ".webp", "GIF": ".gif", "BMP": ".bmp", "TIFF": ".tiff"}


class TableImages:
    """Finds each image once; with ``none`` files are neither looked for nor opened."""

    def __init__(self, folder: Path, writer: SuiteWriter, how: ImageMode) -> None:
        # Without "..": where a file lies is told by its path, and the folder may be given as ../images.
        self._folder = folder.resolve()
        self._writer = writer
        self._how = how
        self._known: dict[str, ImageRef] = {}
        self.files = 0

    def place(self, value: Any, role: str = "image") -> ImageRef | None:
        """The image of a cell; None where it is empty, :class:`CellError` where it cannot be used."""
        if value is None:
            return None
        if type(value) is str and value in self._known:
            return self._known[value]
        if isinstance(value, Mapping):
            value = value["bytes"] if value.get("bytes") is not None else value.get("path")
        if isinstance(value, bytes | bytearray | memoryview):
            return self._place_bytes(bytes(value), role)
        if isinstance(value, str) and _is_base64(value):
            return self._place_bytes(_decode(value, role), role)
        path = text(value, role)
        if path is None:
            return None
        if self._how == "none":
            return ImageRef(path)
        if path not in self._known:
            self._known[path] = self._place_file(path, role)
        return self._known[path]

    def _place_file(self, name: str, role: str) -> ImageRef:
        file = self._find(name)
        if file is None:
            raise CellError(
                f"names the {role} {name[:100]!r}, which is not in {self._folder}",
                hint="give the folder of the images with --image-dir, or --images none to go without them",
            )
        checked = check_image(file)
        if checked is None:
            raise CellError(f"names the {role} {name[:100]!r}, which cannot be read as an image")
        self.files += 1
        return ImageRef(
            file.relative_to(self._folder).as_posix(), self._writer.add_image(file, how=self._how), checked.sha256
        )

    def _find(self, name: str) -> Path | None:
        """The file of a name; what a table says never leads out of the folder."""
        for ending in _ENDINGS:
            path = Path(normpath(self._folder / f"{name}{ending}"))
            if path.is_relative_to(self._folder) and is_regular(path):
                return path
        return None

    def _place_bytes(self, data: bytes, role: str) -> ImageRef:
        digest = sha256_of_bytes(data)
        if digest not in self._known:
            try:
                image = open_image_file(data, name=f"the {role}").image
                image.verify()
            except ImageError as error:
                raise CellError(f"has bytes that are no image: {error}") from error
            except Exception as error:  # Pillow's readers raise whatever broken bytes lead them to.
                raise CellError(f"has bytes as {role} that cannot be read as an image") from error
            path = None
            if self._how != "none":
                # What has no file of its own is written into the suite, linked or copied.
                name = f"{digest[:16]}{_SUFFIXES.get(image.format or '', '')}"
                (self._writer.folder / "images").mkdir(exist_ok=True)
                (self._writer.folder / "images" / name).write_bytes(data)
                path = f"images/{name}"
                self.files += 1
            self._known[digest] = ImageRef(digest[:16], path, digest)
        return self._known[digest]


def _is_base64(value: str) -> bool:
    return (
        value.startswith("data:")
        or len(value) > _LONGEST_PATH
        or (len(value) > 64 and value.startswith(_FIRST_LETTERS))
    )


def _decode(value: str, role: str) -> bytes:
    head, comma, rest = value.partition(",")
    if value.startswith("data:"):
        if not comma or not head.endswith(";base64"):
            raise CellError(f"has a data URI as {role} that is not base64")
        value = rest
    try:
        return base64.b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise CellError(f"has a {role} that is neither the name of a file nor base64: {error}") from error


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


class ImportedTable(NamedTuple):
    """A table to import: its rows, and where they come from."""

    rows: Callable[[], Iterable[TableRow]]
    """Gives the rows from the start each time it is called."""
    where: str
    """How errors name the table."""
    name: str
    folder: Path
    """Where images are looked for, unless the options name another folder."""
    file: Path | None = None
    made_by: str = "falter import table"


def import_rows(
    table: ImportedTable,
    out: Path,
    options: TableOptions,
    *,
    progress: Callable[[], None] = lambda: None,
) -> SuiteManifest:
    """Write the rows of a table as a suite.

    A row that cannot be used is a fault; with any fault nothing is written, and the error tells all of them.
    """
    where, file = table.where, table.file
    image_dir = options.image_dir or table.folder
    given = iter(table.rows())
    first = list(islice(given, _FIRST))
    if not first:
        raise InputError(where, "has no rows", hint="give a table with a row per question, pair or caption")
    if all(row.problem for row in first):
        raise InputError(where, first[0].problem, record=first[0].record, hint=_REMEDY)
    there = list(dict.fromkeys(str(column) for row in first for column in row.values))
    columns = find_columns(there, options, where, table.name)
    manifest = SuiteManifest(
        name=columns.name,
        title=f"{columns.name}: a table of one's own",
        made_by=table.made_by,
        licence=columns.licence,
        parameters={
            "images": options.images,
            "columns": {role: ", ".join(names) for role, names in columns.names.items()},
        },
    )
    faults = _Faults(where)
    inputs = [one for one in (file, options.columns) if one is not None]
    with create_suite(out, manifest, overwrite=options.overwrite, inputs=inputs, searched=[image_dir]) as writer:
        found = TableImages(image_dir, writer, options.images)
        builder = ProbeBuilder(columns, found.place)
        ids = _Ids()
        for probe in _probes(chain(first, given), builder, faults, ids):
            if not faults.number:
                writer.add(probe)
                progress()
        if not faults.number and (twice := ids.repeated()):
            _add_repeated(table.rows(), builder, faults, twice)
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
