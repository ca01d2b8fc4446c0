"""Opening a file that somebody else may have put there: a regular file of a size that can be read, and nothing else."""

from __future__ import annotations

import mmap
import os
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO

from falter.core.errors import InputError

MAX_BYTES = 8 << 30
"""Larger files are refused where a file is read whole; the largest published files have about 2 GB."""

_CHUNK = 1 << 20
MAX_LINE = 64 << 20
"""Longer lines are refused."""

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
# A named pipe that takes the place of a checked file must not keep the reader waiting either.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def is_regular(path: Path) -> bool:
    """Whether this is a regular file, also through a link; never waits."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def check_regular(path: Path, *, hint: str = "", max_bytes: int | None = None) -> int:
    """Refuse what is missing or no regular file, and what is larger than allowed; gives the size in bytes."""
    try:
        return _check(path.stat(), path, hint, max_bytes)
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}", hint=hint) from error
    except ValueError as error:  # a NUL or a lone surrogate in the name
        raise InputError(ascii(str(path)), f"is not the name of a file: {error}", hint=hint) from error


def _check(found: os.stat_result, path: Path, hint: str, max_bytes: int | None) -> int:
    kind = next((name for is_kind, name in _KINDS if is_kind(found.st_mode)), None)
    if kind is not None:
        raise InputError(path, f"is {kind}, not a regular file", hint=hint or "give a regular file")
    if max_bytes is not None and found.st_size > max_bytes:
        raise InputError(path, f"has {found.st_size:,} bytes, more than the {max_bytes:,} that are read", hint=hint)
    return found.st_size


def open_regular(path: Path, *, hint: str = "", max_bytes: int | None = None) -> BinaryIO:
    """Open a regular file for reading; named pipes, devices and folders are refused without waiting for them."""
    check_regular(path, hint=hint, max_bytes=max_bytes)
    try:
        handle = os.open(path, _FLAGS)
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}", hint=hint) from error
    try:
        _check(os.fstat(handle), path, hint, max_bytes)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_start(path: Path, count: int) -> bytes:
    """The first bytes of a regular file, for telling its format."""
    try:
        with open_regular(path) as stream:
            return stream.read(count)
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from error


def read_bytes(path: Path, *, hint: str = "", max_bytes: int = MAX_BYTES) -> bytes:
    """The contents of a regular file."""
    try:
        with open_regular(path, hint=hint, max_bytes=max_bytes) as stream:
            # A buffer is made for all that is asked for: no more than the file has, and a little for one that grows.
            data = stream.read(os.fstat(stream.fileno()).st_size + 1)
            while len(data) <= max_bytes and (more := stream.read(_CHUNK)):
                data += more
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}", hint=hint) from error
    except MemoryError as error:
        raise InputError(path, "is larger than the memory that is free", hint=hint) from error
    if len(data) > max_bytes:
        raise InputError(path, f"has more than the {max_bytes:,} bytes that are read", hint=hint)
    return data


def read_text(path: Path, *, what: str = "text", hint: str = "", max_bytes: int = 64 << 20) -> str:
    """The text of a UTF-8 file, with or without a byte-order mark; every end of line becomes a newline."""
    try:
        text = read_bytes(path, hint=hint, max_bytes=max_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(path, f"is not {what}: it is not UTF-8 ({error})", hint=hint) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: Path, *, hint: str = "") -> Iterator[bytes]:
    """The lines of a regular file with their ends, one in memory at a time; overlong ones are refused."""
    number = 0
    try:
        with open_regular(path, hint=hint) as stream:
            for number, line in enumerate(iter(partial(stream.readline, MAX_LINE), b""), start=1):
                if len(line) == MAX_LINE and not line.endswith(b"\n"):
                    raise InputError(path, f"has more than {MAX_LINE:,} bytes", record=f"line {number}", hint=hint)
                yield line
    except (OSError, MemoryError) as error:
        raise InputError(path, f"cannot be read: {error}", record=f"line {number + 1}", hint=hint) from error


def map_file(path: Path, *, hint: str = "") -> memoryview:
    """The contents of a regular file, mapped from disk: memory does not grow with its size."""
    with open_regular(path, hint=hint) as stream:
        try:
            # An empty file cannot be mapped.
            empty = os.fstat(stream.fileno()).st_size == 0
            return memoryview(b"" if empty else mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:
            raise InputError(path, f"cannot be read: {error}", hint=hint) from error
