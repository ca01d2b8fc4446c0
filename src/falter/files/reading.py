"""Reading JSON, YAML and Parquet that somebody else may have written: what is wrong is an error that names the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from falter.errors import InputError
from falter.version import __version__

if TYPE_CHECKING:
    import pyarrow.parquet as pq

__all__ = ["open_parquet", "read_json", "read_versioned", "read_yaml"]

T = TypeVar("T")


def read_bytes(path: Path, *, hint: str = "") -> bytes:
    """The contents of a file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}", hint=hint) from error


def read_json(path: Path, type_: type[T], *, what: str = "", hint: str = "") -> T:
    """A JSON file as a type; ``what`` is what it should be, such as "a suite manifest"."""
    try:
        return msgspec.json.decode(read_bytes(path, hint=hint), type=type_)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(path, f"is not {what or 'valid JSON'}: {error}", hint=hint) from error


class _FormatOnly(msgspec.Struct):
    format: int = 1
    falter: str = "?"


def read_versioned(path: Path, type_: type[T], *, format_: int, what: str, hint: str = "") -> T:
    """A JSON file that says in ``format`` which version of it this is; a newer one than known is refused."""
    declared = read_json(path, _FormatOnly, what=what, hint=hint)
    if declared.format > format_:
        raise InputError(
            path,
            f"was made by a newer version ({declared.falter}, format {declared.format}; this is {__version__}, "
            f"format {format_})",
            hint="upgrade falter",
        )
    return read_json(path, type_, what=what, hint=hint)


def read_yaml(path: Path, type_: type[T] | None = None, *, what: str = "", hint: str = "") -> T:
    """A YAML file as a type, or as plain objects where none is given."""
    import yaml

    try:
        data: Any = yaml.load(read_bytes(path, hint=hint), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return data if type_ is None else msgspec.convert(data, type_)
    except (yaml.YAMLError, UnicodeDecodeError, msgspec.ValidationError, RecursionError) as error:
        problem = " ".join(str(error).split())
        raise InputError(path, f"is not {what or 'valid YAML'}: {problem}", hint=hint) from error


def open_parquet(path: Path, columns: Sequence[str] = (), *, hint: str = "") -> pq.ParquetFile:
    """A Parquet file that has these columns, and perhaps others."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(path, f"cannot be read as Parquet: {error}", hint=hint) from error
    missing = [name for name in columns if name not in file.schema_arrow.names]
    if missing:
        raise InputError(path, f"lacks the columns {', '.join(missing)}", hint=hint)
    return file
