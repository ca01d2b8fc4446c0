"""A suite on disk, read row group by row group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from falter.files import check_file, open_parquet, read_frame
from falter.probes.image_location import ImageFolders
from falter.probes.item import Item, Probe, Task
from falter.probes.manifest import HINT, SuiteManifest, read_manifest
from falter.probes.schema import ITEM_SCHEMA, item_from_row
from falter.tables import format_count

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Suite", "open_suite"]

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
