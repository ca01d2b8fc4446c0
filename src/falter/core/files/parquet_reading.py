"""Reading Parquet: columns by name and type, none missing, none twice, every text UTF-8.

How large columns become in memory is found out before they are read: a small file may hold anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from falter.core.errors import InputError
from falter.core.files.opening import check_regular

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    import pyarrow.parquet as pq

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


R = TypeVar("R")

_MAX_ROWS = 500_000_000
_BATCH = 65_536
_MOST_IN_BATCH = 256 << 20
"""Of columns that take more, a batch has fewer rows."""
_SHOWN = 5


class ParquetReader:
    """An open Parquet file whose columns were checked; what turns out to be damaged later is an error as well.

    ``schema`` names the columns that are needed, with their types where it is an Arrow schema; there may be others.
    Texts may be stored as any Arrow type of text, lists as any type of list, numbers at any width.
    """

    def __init__(
        self,
        path: Path,
        schema: pa.Schema | Sequence[str] = (),
        *,
        hint: str = "",
        dictionaries: Sequence[str] = (),
        memory_map: bool = False,
    ) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.path, self._hint, self._memory_map = path, hint, memory_map
        self._schema = schema if isinstance(schema, pa.Schema) else pa.schema([])
        check_regular(path, hint=hint)
        self.file: pq.ParquetFile = self._guard(lambda: pq.ParquetFile(path, memory_map=memory_map))
        # Arrow refuses columns to read as dictionaries that are not there.
        paths = {self.file.schema.column(number).path for number in range(len(self.file.schema) if dictionaries else 0)}
        self._dictionaries = [name for name in dictionaries if name in paths]
        if self._dictionaries:
            metadata = self.file.metadata
            self.file = self._guard(
                lambda: pq.ParquetFile(
                    path, metadata=metadata, read_dictionary=self._dictionaries, memory_map=memory_map
                )
            )
        self._sizes: dict[tuple[str, ...] | None, int] = {}
        self._check_columns(list(schema.names) if isinstance(schema, pa.Schema) else list(schema))
        if self.num_rows > _MAX_ROWS:
            raise InputError(path, f"has {self.num_rows:,} rows, more than the {_MAX_ROWS:,} that are read", hint=hint)

    @property
    def num_rows(self) -> int:
        """The number of rows, as the file says."""
        return int(self.file.metadata.num_rows)

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return list(self.file.schema_arrow.names)

    def read(
        self, columns: Sequence[str] | None = None, *, where: tuple[str, Sequence[str | int]] | None = None
    ) -> pa.Table:
        """Some columns, or all; ``where`` names a column and those of its values whose rows are read."""
        chosen = self.names if columns is None else list(columns)
        self.check_size(columns if where is None or columns is None else [*columns, where[0]])
        # Lists read as dictionaries are read row group by row group, as several groups make several pieces.
        if where is None and (not self._dictionaries or self.file.num_row_groups < 2):
            return self._check(self._guard(lambda: self.file.read(columns=chosen)))
        return self._check(self._guard(lambda: self._read_row_groups(chosen, where)))

    def _read_row_groups(self, columns: list[str], where: tuple[str, Sequence[str | int]] | None) -> pa.Table:
        # pyarrow.dataset does the same, and takes longer to import than a small run to score.
        import pyarrow as pa
        import pyarrow.compute as pc

        tables = []
        for number in range(self.file.num_row_groups):
            if where is None:
                tables.append(self.file.read_row_group(number, columns=columns))
                continue
            name, values = where
            table = self.file.read_row_group(number, columns=[*columns, *({name} - set(columns))])
            key = pc.cast(table[name], pa.string()) if isinstance(values[0], str) else table[name]
            tables.append(table.filter(pc.is_in(key, value_set=pa.array(values, key.type))).select(columns))
        return pa.concat_tables(tables) if tables else self.file.read(columns=columns)

    def read_row_group(self, number: int, columns: Sequence[str]) -> pa.Table:
        """Some columns of one row group."""
        self.check_size(columns)
        return self._check(self._guard(lambda: self.file.read_row_group(number, columns=list(columns))))

    def iter_batches(
        self, columns: Sequence[str] | None = None, *, batch_size: int = _BATCH
    ) -> Iterator[pa.RecordBatch]:
        """The rows, a batch in memory at a time."""
        chosen = None if columns is None else list(columns)
        share = _MOST_IN_BATCH / max(self.check_size(columns), 1)
        batch_size = max(1, min(batch_size, int(share * self.num_rows) + 1))
        batches = self._guard(lambda: iter(self.file.iter_batches(batch_size=batch_size, columns=chosen)))
        while (batch := self._guard(lambda: next(batches, None))) is not None:
            yield self._check(batch)

    def iter_rows(self, columns: Sequence[str] | None = None, *, batch_size: int = 4096) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries, a batch in memory at a time."""
        for batch in self.iter_batches(columns, batch_size=batch_size):
            yield from self._guard(batch.to_pylist)

    def check_size(self, columns: Sequence[str] | None = None) -> int:
        """Refuse columns that are far larger in memory than their file; gives their size, or more."""
        key = None if columns is None else tuple(sorted(columns))
        if key not in self._sizes:
            limit = size_limit(self.path)
            size = self._guard(lambda: decoded_size(self.path, self.file.metadata, columns, limit))
            if size > limit:
                stored = self.path.stat().st_size
                problem = f"would take more than {limit >> 20:,} MiB of memory, and the file has {stored:,} bytes"
                raise InputError(self.path, problem, hint=self._hint or "a file of data repeats itself less")
            self._sizes[key] = size
        return self._sizes[key]

    def _check_columns(self, wanted: Sequence[str]) -> None:
        # A schema that Parquet can store and Arrow cannot is an error only here.
        found = self._guard(lambda: self.file.schema_arrow)
        twice = sorted({name for name in found.names if found.names.count(name) > 1})
        if twice:
            raise InputError(self.path, f"has the column {_listed(twice)} more than once", hint=self._hint)
        missing = [name for name in wanted if name not in found.names]
        if missing:
            raise InputError(self.path, f"lacks the columns {_listed(missing)}", hint=self._hint)
        for field in self._schema:
            if not _fits(found.field(field.name).type, field.type):
                other = " ".join(str(found.field(field.name).type).split())
                problem = f"has values of type {other:.60} in the column {field.name}, not {_kind(field.type)}"
                raise InputError(self.path, problem, hint=self._hint)

    def _check(self, table: R) -> R:
        """Offsets, dictionary codes and encodings hold, and nothing is missing where every row has a value."""
        import pyarrow as pa

        assert isinstance(table, pa.Table | pa.RecordBatch)
        self._guard(lambda: table.validate(full=True))
        for field in self._schema:
            if not field.nullable and field.name in table.schema.names and table.column(field.name).null_count:
                raise InputError(self.path, f"has a row without a value in the column {field.name}", hint=self._hint)
        return table

    def _guard(self, step: Callable[[], R]) -> R:
        import pyarrow as pa

        try:
            return step()
        except MemoryError as error:
            raise InputError(self.path, "needs more memory than is free", hint=self._hint) from error
        except (OSError, pa.ArrowException, ValueError, OverflowError, KeyError, TypeError, RecursionError) as error:
            problem = " ".join(str(error).split())
            raise InputError(self.path, f"cannot be read as Parquet: {problem:.300}", hint=self._hint) from error


def open_parquet(
    path: Path,
    schema: pa.Schema | Sequence[str] = (),
    *,
    hint: str = "",
    dictionaries: Sequence[str] = (),
    memory_map: bool = False,
) -> ParquetReader:
    """A Parquet file that has these columns, and perhaps others."""
    return ParquetReader(path, schema, hint=hint, dictionaries=dictionaries, memory_map=memory_map)


def read_parquet(path: Path, schema: pa.Schema, *, hint: str = "") -> pa.Table:
    """The columns of a schema, read into memory."""
    return open_parquet(path, schema, hint=hint).read(schema.names)


def read_frame(path: Path, schema: pa.Schema | Sequence[str] = (), *, hint: str = "") -> pl.DataFrame:
    """All columns of a file as a data frame; it has at least those of the schema."""
    import polars as pl

    reader = open_parquet(path, schema, hint=hint)
    try:
        frame = pl.from_arrow(reader.read())
    except pl.exceptions.PolarsError as error:
        raise InputError(path, f"cannot be read as Parquet: {error}", hint=hint) from error
    assert isinstance(frame, pl.DataFrame)
    return frame


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"{name:.60}" for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} others"


def _fits(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether values of a type are what is wanted, in another width or storage at most."""
    from pyarrow import types

    if types.is_dictionary(found):
        return _fits(found.value_type, wanted)
    if types.is_null(found) or found.equals(wanted):
        return True
    if _is_list(wanted):
        return _is_list(found) and _fits(found.value_type, wanted.value_type)
    if types.is_struct(wanted):
        names = {found.field(index).name: found.field(index).type for index in range(found.num_fields)}
        return types.is_struct(found) and all(
            wanted.field(index).name in names and _fits(names[wanted.field(index).name], wanted.field(index).type)
            for index in range(wanted.num_fields)
        )
    if types.is_floating(wanted):
        return bool(types.is_floating(found) or types.is_integer(found))
    return any(one(wanted) and one(found) for one in (_is_text, types.is_integer, types.is_boolean, _is_binary))


def _is_text(kind: pa.DataType) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_binary(kind: pa.DataType) -> bool:
    from pyarrow import types

    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind))


def _is_list(kind: pa.DataType) -> bool:
    from pyarrow import types

    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))


def _kind(kind: pa.DataType) -> str:
    """What a user calls a type."""
    from pyarrow import types

    if _is_list(kind):
        return f"lists of {_kind(kind.value_type)}"
    if types.is_struct(kind):
        return "records of " + ", ".join(kind.field(index).name for index in range(kind.num_fields))
    if types.is_integer(kind):
        return "whole numbers"
    return "numbers" if types.is_floating(kind) else "texts" if _is_text(kind) else str(kind)
