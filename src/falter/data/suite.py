"""A suite on disk: its items, read row group by row group, its manifest, and where its images may be read from.

``suite.json`` says what made it, from what, with which seed, under which licence; ``items.parquet`` has a row per item.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from falter.core.errors import InputError
from falter.core.files import (
    check_file,
    check_json,
    is_regular,
    open_parquet,
    read_frame,
    read_versioned,
    restore_folder,
    seal_json,
)
from falter.core.tables import format_count
from falter.core.version import __version__
from falter.data.items import Item, Probe, Task, Turn

if TYPE_CHECKING:
    import polars as pl

HINT = "restore it from a copy, or generate or import the suite again"

SUITE_FORMAT = 1
"""Raised when a reader of an older version could no longer understand a suite."""


class SuiteManifest(msgspec.Struct, kw_only=True, forbid_unknown_fields=False):
    """What a suite is and how it was made; it follows from the inputs, so equal inputs give equal bytes."""

    name: str
    format: int = SUITE_FORMAT
    falter: str = __version__
    title: str = ""
    made_by: str = ""
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    seed: int | None = None
    sources: list[dict[str, Any]] = msgspec.field(default_factory=list)
    licence: str = "not stated"
    citation: str = ""
    counts: dict[str, Any] = msgspec.field(default_factory=dict)
    notes: list[str] = msgspec.field(default_factory=list)
    items_sha256: str = ""
    files: dict[str, str] = msgspec.field(default_factory=dict)
    """The hashes of the other files, by name, except of images: items have theirs."""

    def to_json(self) -> bytes:
        """Indented, with a stable order of keys, and with a checksum of itself."""
        return seal_json(msgspec.json.encode(self, order="deterministic"))


def read_manifest(folder: Path) -> SuiteManifest:
    """Read ``suite.json`` of a folder; one that has changed since it was written is refused."""
    path = folder / "suite.json"
    restore_folder(folder)
    if not folder.exists():
        raise InputError(folder, "does not exist", hint="give a suite folder; make one with falter generate or import")
    if not path.is_file():
        raise InputError(folder, "is not a suite: it has no suite.json", hint="make one with falter generate or import")
    manifest = read_versioned(path, SuiteManifest, format_=SUITE_FORMAT, what="a suite manifest", hint=HINT)
    check_json(path, hint=HINT)
    return manifest


ITEM_SCHEMA = pa.schema(
    [
        pa.field("probe_id", pa.string(), nullable=False),
        pa.field("variant", pa.int32(), nullable=False),
        pa.field("item_id", pa.string(), nullable=False),
        pa.field("suite", pa.string(), nullable=False),
        pa.field("test", pa.string(), nullable=False),
        pa.field("role", pa.string(), nullable=False),
        pa.field("expects", pa.string(), nullable=False),
        pa.field("task", pa.string(), nullable=False),
        pa.field("image", pa.string()),
        pa.field("image_id", pa.string()),
        pa.field("image_sha256", pa.string()),
        pa.field("text", pa.string(), nullable=False),
        pa.field("context", pa.list_(pa.struct([("speaker", pa.string()), ("text", pa.string())]))),
        pa.field("gold", pa.string()),
        pa.field("answers", pa.list_(pa.string())),
        pa.field("choices", pa.list_(pa.string())),
        pa.field("meaning", pa.string()),
        pa.field("source_id", pa.string()),
        pa.field("facets", pa.list_(pa.struct([("name", pa.string()), ("value", pa.string())]))),
        pa.field("extra", pa.string()),
    ]
)

_PLAIN = [field.name for field in ITEM_SCHEMA if field.name not in ("context", "answers", "choices", "facets")]


def items_to_table(items: Iterable[Item]) -> pa.Table:
    """An Arrow table with one row an item."""
    items = list(items)
    columns: dict[str, list[Any]] = {name: [getattr(item, name) for item in items] for name in _PLAIN}
    columns["context"] = [
        None if item.context is None else [{"speaker": turn.speaker, "text": turn.text} for turn in item.context]
        for item in items
    ]
    columns["answers"] = [item.answers for item in items]
    columns["choices"] = [item.choices for item in items]
    arrays = {name: pa.array(values, type=ITEM_SCHEMA.field(name).type) for name, values in columns.items()}
    arrays["facets"] = _facets_array(items)
    return pa.table({field.name: arrays[field.name] for field in ITEM_SCHEMA}, schema=ITEM_SCHEMA)


def _facets_array(items: list[Item]) -> pa.Array:
    """The facets of items by name, from flat lists: a dictionary per facet would take many times as long."""
    facets = [sorted(item.facets.items()) if len(item.facets) > 1 else tuple(item.facets.items()) for item in items]
    offsets = [0, *accumulate(map(len, facets))]
    flat = [pair for own in facets for pair in own]
    kind = ITEM_SCHEMA.field("facets").type
    pairs = pa.StructArray.from_arrays(
        [pa.array([pair[column] for pair in flat], pa.string()) for column in (0, 1)], fields=list(kind.value_type)
    )
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pairs, type=kind)


def item_from_row(row: Mapping[str, Any]) -> Item:
    """The item in one row (a dictionary, as Arrow's ``to_pylist`` gives it)."""
    context = row["context"]
    answers = row["answers"]
    choices = row["choices"]
    return Item(
        **{name: row[name] for name in _PLAIN},
        context=None if context is None else tuple(Turn(turn["speaker"], turn["text"]) for turn in context),
        answers=None if answers is None else tuple(answers),
        choices=None if choices is None else tuple(choices),
        facets={facet["name"]: facet["value"] for facet in row["facets"] or ()},
    )


class ImageFolders:
    """Finds the files that the column ``image`` names; one outside the folders, also through a link, is not opened.

    A suite may come from somebody else: what it names is no reason to open a file elsewhere on this machine.
    """

    def __init__(self, folder: Path, others: Sequence[Path] = ()) -> None:
        self._folder = folder
        self._others = tuple(others)
        self._allowed = tuple(os.path.realpath(one) for one in (folder, *others))
        self._found: dict[str, Path | None] = {}
        self.outside: dict[str, None] = {}
        """What was named and lies outside."""

    def find(self, name: str) -> Path | None:
        """The file under a name, whether or not it exists; None for one outside the folders."""
        if name not in self._found:
            self._found[name] = self._find(name)
        return self._found[name]

    def _find(self, name: str) -> Path | None:
        own = self._folder / name
        # Images of a suite that has moved, or was made without them, are found by their file name.
        candidates = [own, *(folder / Path(name).name for folder in self._others)]
        allowed = [path for path in candidates if self._is_inside(path)]
        found = next((path for path in allowed if is_regular(path)), None)
        if found is None and not self._is_inside(own):
            self.outside[name] = None
            return None
        return found or own

    def _is_inside(self, path: Path) -> bool:
        try:
            real = os.path.realpath(path)
        except ValueError:  # a NUL in the name
            return False
        return any(real.startswith(folder.rstrip(os.sep) + os.sep) for folder in self._allowed)


_BATCH = 4096


class Suite:
    """A suite on disk: its manifest, its items, its images. Iterating goes over its probes."""

    def __init__(self, folder: str | Path, *, image_dirs: Sequence[str | Path] = ()) -> None:
        self.folder = Path(folder)
        self.image_folders = ImageFolders(self.folder, [Path(one) for one in image_dirs])
        self.manifest: SuiteManifest = read_manifest(self.folder)
        self.items_path = self.folder / "items.parquet"
        self._check_files()
        self._file = open_parquet(self.items_path, ITEM_SCHEMA, hint=HINT)

    def _check_files(self) -> None:
        """Refuse files that are not as they were written; images are checked when they are opened."""
        hashes = {"items.parquet": self.manifest.items_sha256, **self.manifest.files}
        for name, sha256 in hashes.items():
            if sha256:
                check_file(self.folder / name, sha256, hint=HINT)

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def fingerprint(self) -> str:
        """Changes whenever an item changes."""
        return self.manifest.items_sha256

    @property
    def item_count(self) -> int:
        """The number of items, a row each; equal ones are counted as often as they occur."""
        return self._file.num_rows

    @cached_property
    def image_count(self) -> int:
        """The number of images that the items are about, whether or not their files are in the suite."""
        column = self._file.read(columns=["image_id"])["image_id"]
        return int(pc.count_distinct(column, mode="only_valid").as_py())

    @cached_property
    def _probe_count(self) -> int:
        counted = self.manifest.counts.get("probes")
        if isinstance(counted, int):
            return counted
        return int(pc.count_distinct(self._file.read(columns=["probe_id"])["probe_id"]).as_py())

    def __len__(self) -> int:
        """The number of probes."""
        return self._probe_count

    def __iter__(self) -> Iterator[Probe]:
        return self.probes()

    def __repr__(self) -> str:
        return (
            f"Suite({self.name!r}, tests: {', '.join(self.tests())}; {format_count(len(self), 'probes')}, "
            f"{format_count(self.item_count, 'items')}, "
            f"{format_count(self.image_count, 'images')}; licence: {self.manifest.licence})"
        )

    def tests(self) -> list[str]:
        """The names of its tests, sorted."""
        column = self._file.read(columns=["test"])["test"]
        return sorted(pc.unique(pc.cast(column, pa.string())).to_pylist())

    def tasks(self) -> frozenset[Task]:
        """What the items ask a model to do."""
        column = self._file.read(columns=["task"])["task"]
        return frozenset(pc.unique(pc.cast(column, pa.string())).to_pylist())

    def items(self) -> Iterator[Item]:
        """All items, in the order written, a batch in memory at a time."""
        for row in self._file.iter_rows(ITEM_SCHEMA.names, batch_size=_BATCH):
            yield item_from_row(row)

    def probes(self) -> Iterator[Probe]:
        """All probes; the rows of a probe are together."""
        for _, rows in groupby(self.items(), key=lambda item: item.probe_id):
            yield Probe(tuple(rows))

    def to_polars(self) -> pl.DataFrame:
        """The items as a data frame, one row per item."""
        return read_frame(self.items_path, ITEM_SCHEMA, hint=HINT)

    def image_path(self, item: Item) -> Path | None:
        """The file of an item's image, or None for a text-only item or a suite without images.

        None as well for a file that is neither in the suite's folder nor in one of ``image_dirs``.
        """
        return None if item.image is None else self.image_folders.find(item.image)

    def allow_images(self, *folders: str | Path) -> None:
        """Let images be read from more folders than the suite's own."""
        self.image_folders = ImageFolders(self.folder, [Path(one) for one in folders])


def open_suite(folder: str | Path, *, image_dirs: Sequence[str | Path] = ()) -> Suite:
    """Open a suite folder, checking its manifest, its files against their checksums, and its columns.

    Images are read from the folder itself and from ``image_dirs``, nowhere else.
    """
    return Suite(folder, image_dirs=image_dirs)
