"""Files and folders: written whole or not at all, hashed, and read with errors that name what is wrong."""

from typing import TYPE_CHECKING

from falter.core.files.atomic import (
    atomic_file,
    atomic_folder,
    refuse_full_folder,
    restore_folder,
    sync_folder,
    write_atomically,
)
from falter.core.files.checksums import (
    check_file,
    check_json,
    check_record,
    seal_json,
    seal_record,
    sha256_of_bytes,
    sha256_of_file,
)
from falter.core.files.json_reading import (
    Int64,
    JsonDecoder,
    MappedObject,
    map_json,
    map_json_object,
    read_json,
    read_json_lines,
    read_versioned,
)
from falter.core.files.opening import (
    check_regular,
    is_regular,
    map_file,
    open_regular,
    read_bytes,
    read_lines,
    read_start,
    read_text,
)
from falter.core.files.parquet_reading import ParquetReader, open_parquet, read_frame, read_parquet
from falter.core.files.replacing import FolderKind, NameTest, kind_of_names, refuse_input_file
from falter.core.lazy import lazy_names

if TYPE_CHECKING:
    from falter.core.files.array_reading import ArrayArchive, read_archive, read_array
    from falter.core.files.row_reading import (
        TableRow,
        is_arrow_dataset,
        parse_columns,
        read_columns_file,
        read_records,
        read_rows,
    )
    from falter.core.files.yaml_reading import read_word_lists, read_yaml

__all__ = [
    "ArrayArchive",
    "FolderKind",
    "Int64",
    "JsonDecoder",
    "MappedObject",
    "NameTest",
    "ParquetReader",
    "TableRow",
    "atomic_file",
    "atomic_folder",
    "check_file",
    "check_json",
    "check_record",
    "check_regular",
    "is_arrow_dataset",
    "is_regular",
    "kind_of_names",
    "map_file",
    "map_json",
    "map_json_object",
    "open_parquet",
    "open_regular",
    "parse_columns",
    "read_archive",
    "read_array",
    "read_bytes",
    "read_columns_file",
    "read_frame",
    "read_json",
    "read_json_lines",
    "read_lines",
    "read_parquet",
    "read_records",
    "read_rows",
    "read_start",
    "read_text",
    "read_versioned",
    "read_word_lists",
    "read_yaml",
    "refuse_full_folder",
    "refuse_input_file",
    "restore_folder",
    "seal_json",
    "seal_record",
    "sha256_of_bytes",
    "sha256_of_file",
    "sync_folder",
    "write_atomically",
]

_ROWS = ("TableRow", "is_arrow_dataset", "parse_columns", "read_columns_file", "read_records", "read_rows")
__getattr__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(("ArrayArchive", "read_archive", "read_array"), "falter.core.files.array_reading"),
        **dict.fromkeys(_ROWS, "falter.core.files.row_reading"),
        **dict.fromkeys(("read_word_lists", "read_yaml"), "falter.core.files.yaml_reading"),
    },
)
