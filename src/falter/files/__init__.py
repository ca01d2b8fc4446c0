"""Files and folders: written whole or not at all, hashed, and read with errors that name what is wrong."""

from falter.files.atomic import atomic_file, atomic_folder, refuse_full_folder, sync_folder, write_atomically
from falter.files.hashes import sha256_of_bytes, sha256_of_file
from falter.files.reading import open_parquet, read_json, read_versioned, read_yaml

__all__ = [
    "atomic_file",
    "atomic_folder",
    "open_parquet",
    "read_json",
    "read_versioned",
    "read_yaml",
    "refuse_full_folder",
    "sha256_of_bytes",
    "sha256_of_file",
    "sync_folder",
    "write_atomically",
]
