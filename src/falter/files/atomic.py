"""Files and folders that appear under their final name only when they are complete."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from falter.errors import UsageError

__all__ = ["atomic_file", "atomic_folder", "refuse_full_folder", "sync_folder", "write_atomically"]


def sync_folder(folder: Path) -> None:
    """Make a rename inside this folder survive a power cut, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that takes the name ``path`` when the block ends well, and vanishes when it does not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:60]}.tmp-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_atomically(path: Path, data: bytes | str) -> None:
    """Write a whole file, or nothing."""
    with atomic_file(path) as stream:
        stream.write(data.encode() if isinstance(data, str) else data)


@contextmanager
def atomic_folder(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary folder that becomes ``path`` when the block ends well.

    A folder that already holds something is an error unless ``overwrite`` is set; then it is replaced at the end, so
    that the old one stays whole until the new one is complete.
    """
    refuse_full_folder(path, overwrite=overwrite)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{path.name[:60]}.tmp-", dir=path.parent))
    try:
        temporary.chmod(0o777 & ~_umask())
        yield temporary
        if path.exists():
            discarded = Path(tempfile.mkdtemp(prefix=f".{path.name[:60]}.tmp-", dir=path.parent))
            path.replace(discarded / "old")
            temporary.replace(path)
            shutil.rmtree(discarded, ignore_errors=True)
        else:
            temporary.replace(path)
        sync_folder(path.parent)
    finally:
        if temporary.exists():
            shutil.rmtree(temporary, ignore_errors=True)


def refuse_full_folder(path: Path, *, overwrite: bool = False) -> None:
    """Stop early when a command would write over something that is already there."""
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is a file, not a folder; choose another --out")
    if path.exists() and not overwrite and any(path.iterdir()):
        raise UsageError(f"{path} already exists and is not empty; choose another --out or pass --overwrite")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
