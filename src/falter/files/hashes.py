"""Hashes of files and bytes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from falter.errors import InputError
from falter.files.opening import open_regular

__all__ = ["sha256_of_bytes", "sha256_of_file"]

_CHUNK = 1 << 20


def sha256_of_bytes(data: bytes) -> str:
    """The hexadecimal SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()


def sha256_of_file(path: Path) -> str:
    """The hexadecimal SHA-256 of a file, read piece by piece."""
    digest = hashlib.sha256()
    try:
        with open_regular(path) as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error
    return digest.hexdigest()
