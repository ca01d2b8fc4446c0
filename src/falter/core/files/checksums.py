"""Hashes of files, bytes and source code, and the checksums of what Falter writes: of files, JSON and records.

The checksum of JSON is inside itself. The hash of source code is equal on every machine and Python version.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import msgspec

from falter.core.errors import InputError, warn_user
from falter.core.files.json_reading import read_json
from falter.core.files.opening import check_regular, open_regular

_CHUNK = 1 << 20
_MAX_HASHED = 256 << 30
_KEY = "checksum"
_TAIL = b',"checksum":"'
_DIGITS_LENGTH = 8 + len(b'"}')
_TAIL_LENGTH = len(_TAIL) + _DIGITS_LENGTH

_known: dict[tuple[str, int, int, int], str] = {}
"""Hashes of files by path, inode, size and time of the last change, so that a process hashes each once."""


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


def check_file(path: Path, sha256: str, *, hint: str) -> None:
    """Refuse a file whose bytes have not this hash; ``hint`` says what to do."""
    check_regular(path, hint=hint, max_bytes=_MAX_HASHED)
    try:
        stat = path.stat()
        state = (str(path.absolute()), stat.st_ino, stat.st_size, stat.st_mtime_ns)
        if state not in _known:
            _known[state] = sha256_of_file(path)
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}", hint=hint) from error
    if _known[state] != sha256:
        raise InputError(path, "is damaged or was edited: its checksum differs", hint=hint)


def seal_json(encoded: bytes) -> bytes:
    """A JSON object with the checksum of its contents as its last key, indented.

    The checksum is over the keys and values, not over spaces or the order of keys.
    """
    checksum = _json_checksum(msgspec.json.decode(encoded, type=dict[str, Any]))
    sealed = encoded[:-1] + _TAIL + checksum.encode() + b'"}'
    return msgspec.json.format(sealed, indent=2) + b"\n"


def check_json(path: Path, *, hint: str) -> None:
    """Refuse a JSON file that :func:`seal_json` made and that has changed since; an older one opens with a note."""
    content = read_json(path, dict[str, Any], hint=hint)
    if _KEY not in content:
        warn_user(
            f"{path} has no checksum (an earlier version wrote it): damage to {path.parent} may go unnoticed ({hint})"
        )
    elif content.pop(_KEY) != _json_checksum(content):
        raise InputError(path, "is damaged or was edited: its checksum differs", hint=hint)


def _json_checksum(content: dict[str, Any]) -> str:
    return sha256_of_bytes(msgspec.json.encode(content, order="sorted"))


def seal_record(encoded: bytes, salt: bytes = b"") -> bytes:
    """A short JSON object, not empty, with a checksum as its last key; ``salt`` is what else it depends on."""
    return b'%b%b%08x"}' % (encoded[:-1], _TAIL, zlib.crc32(encoded[:-1], zlib.crc32(salt)))


def check_record(record: bytes, salt: bytes = b"") -> bool | None:
    """Whether a record is as :func:`seal_record` made it; None where it has no checksum."""
    if record[-_TAIL_LENGTH:-_DIGITS_LENGTH] != _TAIL:
        return None
    try:
        written = int(record[-_DIGITS_LENGTH:-2], 16)
    except ValueError:
        return False
    start = zlib.crc32(salt) if salt else 0
    return written == zlib.crc32(record[:-_TAIL_LENGTH], start) and record.endswith(b'"}')


_SUFFIXES = (".py", ".yaml", ".json", ".txt")


@lru_cache(maxsize=64)
def hash_code(*names: str) -> str:
    """Hash the source of packages with all that is in them, and of modules; comments count, line ends do not."""
    digest = hashlib.sha256()
    for name in names:
        for path, content in read_code(name):
            digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def read_code(name: str) -> Iterator[tuple[str, bytes]]:
    """The files of a package, or the one of a module, each with its path below the package."""
    package, _, module = name.rpartition(".")
    file = files(package) / f"{module}.py"
    if file.is_file():
        yield name, _content(file)
    else:
        yield from _read_folder(files(name), name)


def _read_folder(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        inner = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _read_folder(entry, inner)
        elif entry.name.endswith(_SUFFIXES):
            yield inner, _content(entry)


def _content(file: Traversable) -> bytes:
    return file.read_bytes().replace(b"\r\n", b"\n")
