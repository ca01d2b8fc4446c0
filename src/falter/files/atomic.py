"""Files and folders that appear under their final name only when they are complete."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from falter.errors import InterruptError, UsageError
from falter.files.replacing import (
    FolderKind,
    check_replaceable,
    exchange,
    refuse_current_folder,
    refuse_inputs,
    refuse_other_names,
)
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
def atomic_folder(
    path: Path,
    *,
    overwrite: bool = False,
    kind: FolderKind | None = None,
    inputs: Sequence[Path] = (),
    searched: Sequence[Path] = (),
) -> Iterator[Path]:
    """Give a temporary folder that becomes ``path`` when the block ends well.

    A folder that already holds something is an error unless ``overwrite`` is set; then it is replaced at the end, so
    that the old one stays whole until the new one is complete. Only a folder of the ``kind`` is, without a foreign
    file, and none that is, holds or is inside ``inputs``; without a kind, one whose files are all written again.

    Both change places in one step where the system can do that. Elsewhere, if the process is killed in between, the
    next command, or the next reader of a suite or a run, puts the old one back.
    """
    path = path.resolve() if path.is_symlink() else path
    path.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(path)
    refuse_full_folder(path, overwrite=overwrite, kind=kind, inputs=inputs, searched=searched)
    with staging_folder(path) as staging:
        try:
            yield staging / "new"
        except InterruptError:
            raise
        except KeyboardInterrupt as stop:
            left = "is as it was before" if path.exists() else "was not written"
            raise InterruptError(f"{path} {left}; repeat the command to start again") from stop
        # Hours may have passed.
        refuse_full_folder(path, overwrite=overwrite, kind=kind, inputs=inputs, searched=searched)
        _take_name(staging, path, kind)
        sync_folder(path.parent)


def _take_name(staging: Path, path: Path, kind: FolderKind | None) -> None:
    """Give the new folder its name; a file that appears in the old one up to this moment keeps it in its place."""
    new = staging / "new"
    if not path.exists() or not any(path.iterdir()):
        if path.exists():
            path.rmdir()
        new.replace(path)
        return
    lock = try_lock(path)
    if lock is None:
        raise UsageError(f"{path} is not replaced: another process is writing to it; wait for it")
    try:
        _check_old(path, new, kind, path)
        if exchange(new, path):
            try:
                _check_old(new, path, kind, path)
            except BaseException:
                exchange(new, path)
                raise
        else:
            path.replace(staging / "old")
            _check_old(staging / "old", new, kind, path)
            new.replace(path)
    finally:
        unlock(lock)


def _check_old(old: Path, new: Path, kind: FolderKind | None, shown_as: Path) -> None:
    if kind is None:
        refuse_other_names(old, new, shown_as=shown_as)
    else:
        check_replaceable(old, kind, shown_as=shown_as)


def refuse_full_folder(
    path: Path,
    *,
    overwrite: bool = False,
    kind: FolderKind | None = None,
    inputs: Sequence[Path] = (),
    searched: Sequence[Path] = (),
) -> None:
    """Stop early when a command would write over something that it may not replace; see :func:`atomic_folder`."""
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is a file, not a folder; choose another folder")
    if not path.exists():
        return
    refuse_current_folder(path)
    if not any(path.iterdir()):
        return
    if not overwrite:
        raise UsageError(f"{path} already exists and is not empty; choose another folder or pass --overwrite")
    refuse_inputs(path, inputs, searched)
    if kind is not None:
        check_replaceable(path, kind, shown_as=path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
