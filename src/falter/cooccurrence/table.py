"""The table of counts that comes with Falter: two halves over different images, and where they come from."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from falter.cooccurrence.counts import ImageCounts
from falter.files import open_parquet, sha256_of_file

__all__ = ["TABLE", "CountTable", "load_table", "write_table"]

TABLE = Path(__file__).parent / "data" / "counts.parquet"
_COLUMNS = ("sort", "first", "second", "third", "half_0", "half_1")


class CountTable(NamedTuple):
    """Counts in two halves that share no image: questions are drawn by one and checked by the other."""

    draw: ImageCounts
    check: ImageCounts
    sha256: str


@lru_cache(maxsize=2)
def load_table(path: Path = TABLE) -> CountTable:
    """The table of a file; that of the package where none is named."""
    table = open_parquet(path, _COLUMNS).read(columns=list(_COLUMNS))
    names = [_strings(table.column(name).combine_chunks()) for name in _COLUMNS[:4]]

    def half(column: str) -> ImageCounts:
        images = _numbers(table.column(column).combine_chunks())
        counted = np.flatnonzero(images)
        sort, first, second, third = (name[counted] for name in names)
        return ImageCounts.from_columns(sort, first, second, third, images[counted])

    return CountTable(half("half_0"), half("half_1"), sha256_of_file(path))


def _strings(column: Any) -> NDArray[np.object_]:
    """A column with few different texts, each of them made once."""
    encoded = column.dictionary_encode()
    texts = np.array(encoded.dictionary.to_pylist(), dtype=object)
    column_of_texts: NDArray[np.object_] = texts[_numbers(encoded.indices)]
    return column_of_texts


def _numbers(column: Any) -> NDArray[np.int32]:
    """A column of numbers; Arrow's own way to NumPy imports pandas, which takes longer than all else here."""
    numbers: NDArray[Any] = np.from_dlpack(column)
    return numbers


def write_table(draw: ImageCounts, check: ImageCounts, path: Path) -> None:
    """Write both halves into one file, a row a name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    merged: dict[tuple[str, ...], list[int]] = {}
    for half, counts in enumerate((draw, check)):
        for row in counts.rows():
            merged.setdefault(tuple(row[:4]), [0, 0])[half] = row.images
    rows = sorted(merged.items())
    strings = {
        name: pa.array([key[place] for key, _ in rows], pa.dictionary(pa.int32(), pa.string()))
        for place, name in enumerate(_COLUMNS[:4])
    }
    numbers = {
        name: pa.array([counts[half] for _, counts in rows], pa.int32()) for half, name in enumerate(_COLUMNS[4:])
    }
    pq.write_table(pa.table({**strings, **numbers}), path, compression="zstd", compression_level=19)
