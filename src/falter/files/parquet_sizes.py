"""How large the columns of a Parquet file become in memory, before they are read: a small file may hold anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

__all__ = ["decoded_size", "size_limit"]

_MOST_FREE = 256 << 20
_MOST_RATIO = 200
"""Chosen by hand: of our suites, runs and tables the largest has 16 times the bytes of its file, and published data
sets have less; 200 leaves room for columns of one value, and 256 MiB for small files of many equal rows."""
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}
_CONTINUED = "DELTA_BYTE_ARRAY"
_OFFSET = 4
_ROWS = 65_536
_PIECE = 16 << 20
"""So many bytes at most, at a guess, are decoded at a time where only decoding tells the size."""


def size_limit(path: Path) -> int:
    """How many bytes the columns of a file may have in memory."""
    return max(_MOST_FREE, _MOST_RATIO * path.stat().st_size)


def decoded_size(path: Path, metadata: pq.FileMetaData, columns: Sequence[str] | None, limit: int) -> int:
    """The bytes of columns (None: all) in memory, at least; above the limit the count may end early.

    Texts that are stored once and named by number are what makes a file small: of a column that might be above the
    limit, the numbers are read and the lengths of what they name are added, without writing the texts out.
    """
    chunks = [
        (group, chunk)
        for group in range(metadata.num_row_groups)
        for chunk in map(metadata.row_group(group).column, range(metadata.num_columns))
        if columns is None or chunk.path_in_schema in columns or chunk.path_in_schema.partition(".")[0] in columns
    ]
    bounds = [_bound(chunk) for _, chunk in chunks]
    stored = sum(int(chunk.total_uncompressed_size) for _, chunk in chunks)
    if sum(bounds) <= limit or stored > limit:
        return max(sum(bounds), stored)
    stamp = path.stat()
    key = (path, stamp.st_mtime_ns, stamp.st_size)
    total = 0
    for (group, chunk), bound in zip(chunks, bounds, strict=True):
        if bound <= limit // (len(chunks) * 2) or chunk.physical_type in _WIDTHS:
            total += bound
        else:
            # Texts that continue each other cannot be read by number.
            is_continued = _CONTINUED in chunk.encodings
            rows = max(1, _PIECE // max(1, int(chunk.total_uncompressed_size))) if is_continued else None
            total += _exact(*key, group, chunk.path_in_schema, rows, limit)
        if total > limit:
            break
    return total


def _bound(chunk: Any) -> int:
    """The most bytes that a piece of a column has; only texts of which several are one are more than the file says."""
    stored, count = int(chunk.total_uncompressed_size), int(chunk.num_values)
    if chunk.physical_type in _WIDTHS:
        return count * _WIDTHS[chunk.physical_type]
    repeats = set(chunk.encodings) & {"RLE_DICTIONARY", "PLAIN_DICTIONARY", _CONTINUED}
    return count * (_OFFSET + stored) if repeats else count * _OFFSET + stored


@lru_cache(maxsize=1 << 14)
def _exact(path: Path, changed: int, size: int, group: int, column: str, rows: int | None, limit: int) -> int:
    """The bytes of a piece of a column, read by number, or where ``rows`` is given written out, so many at a time.

    What says when the file changed tells its states apart.
    """
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    del changed, size
    total = 0
    with pq.ParquetFile(path, read_dictionary=[column] if rows is None else None) as file:
        for batch in file.iter_batches(batch_size=rows or _ROWS, row_groups=[group], columns=[column]):
            for leaf in _leaves(batch.column(0)):
                if not hasattr(leaf, "dictionary"):
                    total += leaf.nbytes
                    continue
                lengths = pc.binary_length(leaf.dictionary)
                total += len(leaf) * _OFFSET + (pc.sum(lengths.take(leaf.indices)).as_py() or 0)
            if total > limit:
                break
    return total


def _leaves(array: pa.Array) -> Iterator[pa.Array]:
    """The arrays of texts within lists and records."""
    from pyarrow import types

    if types.is_struct(array.type):
        for index in range(array.type.num_fields):
            yield from _leaves(array.field(index))
    elif types.is_list(array.type) or types.is_large_list(array.type) or types.is_map(array.type):
        yield from _leaves(array.flatten() if not types.is_map(array.type) else array.items)
    else:
        yield array
