"""Files and folders that appear under their final name only when they are complete."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from falter.errors import InterruptError, UsageError
from falter.files.staging import remove_abandoned, staging_folder, staging_prefix, try_lock, unlock

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


_looked_at: set[Path] = set()
"""Folders in which this process has removed the temporary files of killed ones."""


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file that takes the name ``path`` when the block ends well, and vanishes when it does not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path not in _looked_at:
        _looked_at.add(path)
        remove_abandoned(path)
    handle, lock, temporary = _locked_file(path)
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
        unlock(lock)


def _locked_file(path: Path) -> tuple[int, int, Path]:
    """A new temporary file, open and locked, so that no other process takes it for an abandoned one."""
    while True:
        handle, name = tempfile.mkstemp(prefix=staging_prefix(path), dir=path.parent)
        lock = try_lock(handle)
        if lock is not None and os.fstat(handle).st_nlink:
            return handle, lock, Path(name)
        os.close(handle)
        if lock is not None:
            unlock(lock)


def write_atomically(path: Path, data: bytes | str) -> None:
    """Write a whole file, or nothing."""
    with atomic_file(path) as stream:
        stream.write(data.encode() if isinstance(data, str) else data)


@contextmanager
def atomic_folder(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary folder that becomes ``path`` when the block ends well.

    A folder that already holds something is an error unless ``overwrite`` is set; then it is replaced at the end, so
    that the old one stays whole until the new one is complete. If the process is killed while the two change places,
    the next command, or the next reader of a suite or a run, puts the old one back.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(path)
    refuse_full_folder(path, overwrite=overwrite)
    with staging_folder(path) as staging:
        try:
            yield staging / "new"
        except InterruptError:
            raise
        except KeyboardInterrupt as stop:
            left = "is as it was before" if path.exists() else "was not written"
            raise InterruptError(f"{path} {left}; repeat the command to start again") from stop
        if path.exists():
            path.replace(staging / "old")
        (staging / "new").replace(path)
        sync_folder(path.parent)


def refuse_full_folder(path: Path, *, overwrite: bool = False) -> None:
    """Stop early when a command would write over something that is already there."""
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is a file, not a folder; choose another folder")
    if path.exists() and not overwrite and any(path.iterdir()):
        raise UsageError(f"{path} already exists and is not empty; choose another folder or pass --overwrite")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
