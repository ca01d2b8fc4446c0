"""Reading a suite, row group by row group."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from falter.errors import InputError
from falter.probes.item import Item, Probe, Task
from falter.probes.manifest import SuiteManifest, read_manifest
from falter.probes.schema import ITEM_SCHEMA, item_from_row

__all__ = ["Suite", "open_suite"]

_BATCH = 4096


class Suite:
    """A suite on disk: its manifest, its items, its pictures."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: SuiteManifest = read_manifest(folder)
        self.items_path = folder / "items.parquet"
        try:
            self._file = pq.ParquetFile(self.items_path)
        except (OSError, pa.ArrowException) as error:
            raise InputError(
                self.items_path, f"cannot be read as Parquet: {error}", hint="make the suite anew"
            ) from error
        missing = [name for name in ITEM_SCHEMA.names if name not in self._file.schema_arrow.names]
        if missing:
            raise InputError(self.items_path, f"lacks the columns {', '.join(missing)}", hint="make the suite anew")

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def fingerprint(self) -> str:
        """Changes whenever an item changes."""
        return self.manifest.items_sha256

    def __len__(self) -> int:
        """The number of rows."""
        return int(self._file.metadata.num_rows)

    def tasks(self) -> frozenset[Task]:
        """What the items ask a model to do."""
        column = self._file.read(columns=["task"])["task"]
        return frozenset(pc.unique(pc.cast(column, pa.string())).to_pylist())

    def items(self) -> Iterator[Item]:
        """All items, in the order written, a batch in memory at a time."""
        for batch in self._file.iter_batches(batch_size=_BATCH, columns=ITEM_SCHEMA.names):
            for row in batch.to_pylist():
                yield item_from_row(row)

    def probes(self) -> Iterator[Probe]:
        """All probes; the rows of a probe stand together."""
        for _, rows in groupby(self.items(), key=lambda item: item.probe_id):
            yield Probe(tuple(rows))

    def image_path(self, item: Item) -> Path | None:
        """Where an item's picture lies, or None for a text-only item or a suite without pictures."""
        return None if item.image is None else self.folder / item.image


def open_suite(folder: Path) -> Suite:
    """Open a suite folder, checking its manifest and columns."""
    return Suite(folder)
