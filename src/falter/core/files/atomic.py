"""Files and folders that appear under their final name only when they are complete.

A folder is written in a staging folder beside its final place; what killed processes leave of these is removed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from falter.core.errors import InterruptError, UsageError, warn_user
from falter.core.files.replacing import (
    FolderKind,
    check_replaceable,
    exchange,
    refuse_current_folder,
    refuse_inputs,
    refuse_other_names,
)

TEMPORARY = ".tmp-"
"""Part of the name of everything that is not complete."""

_TARGET = "target"
"""A file of a staging folder: the name of the folder that is written."""

_SECONDS_TO_ABANDON = 3600.0
"""Where a file system has no locks, what has not changed for so long is abandoned."""


def staging_prefix(path: Path) -> str:
    """How the names of temporary files and folders for ``path`` begin."""
    return f".{path.name[:60]}{TEMPORARY}"


@contextmanager
def staging_folder(path: Path) -> Iterator[Path]:
    """A locked folder beside ``path``, in which ``new`` is written and ``old`` is kept while it is replaced."""
    while True:
        staging = Path(tempfile.mkdtemp(prefix=staging_prefix(path), dir=path.parent))
        lock = try_lock(staging)
        # Another process may have taken it for an abandoned one before it was locked.
        if staging.is_dir() and lock is not None:
            break
        if lock is not None:
            unlock(lock)
    try:
        (staging / _TARGET).write_text(path.name)
        (staging / "new").mkdir()
        yield staging
    finally:
        _settle(staging, path)
        unlock(lock)


def restore_folder(path: Path) -> None:
    """Put back a folder that a command was replacing when it was killed."""
    if path.exists() or not path.parent.is_dir():
        return
    with suppress(OSError):
        for staging in _abandoned(path.parent, staging_prefix(path)):
            if (staging / "old").is_dir() and _target(staging) in (None, path.name):
                _settle(staging, path)


def remove_abandoned(path: Path) -> None:
    """Remove what killed processes left beside ``path``; a folder that they were replacing is put back."""
    for left in _abandoned(path.parent, "."):
        if not left.is_dir():
            if left.name.startswith(staging_prefix(path)):
                left.unlink(missing_ok=True)
            continue
        target = _target(left)
        if target is None and left.name.startswith(staging_prefix(path)):
            target = path.name
        if target is not None:
            _settle(left, path.parent / target)


def _target(staging: Path) -> str | None:
    """The name of the folder that a staging folder is for; None where it is none of ours, or of an earlier version."""
    with suppress(OSError, UnicodeDecodeError):
        name = (staging / _TARGET).read_text()
        if name and Path(name).name == name:
            return name
    return None


def _settle(staging: Path, path: Path) -> None:
    """Remove a staging folder; where the new folder did not take its place, the old one is put back first."""
    old = staging / "old"
    if old.exists() and not path.exists():
        old.replace(path)
        warn_user(f"{path} was put back as it was: the command that was replacing it did not end")
    if old.exists() and (staging / "new").exists():
        return  # Something else has taken the name since: the old folder is the only copy.
    shutil.rmtree(staging, ignore_errors=True)


def _abandoned(parent: Path, prefix: str) -> Iterator[Path]:
    """Temporary files and folders that no living process holds, each locked while it is looked at."""
    try:
        with os.scandir(parent) as entries:
            names = sorted(entry.name for entry in entries if entry.name.startswith(prefix) and TEMPORARY in entry.name)
    except OSError:
        return
    for name in names:
        lock = try_lock(parent / name)
        if lock is None:
            continue
        try:
            if lock >= 0 or time.time() - (parent / name).stat().st_mtime > _SECONDS_TO_ABANDON:
                yield parent / name
        except FileNotFoundError:
            continue
        finally:
            unlock(lock)


def try_lock(path: Path | int) -> int | None:
    """Lock a file or folder, until it is unlocked or the process ends: a number for :func:`unlock`.

    None where another process holds it or it is gone; -1 where the system has no such locks.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows
        return -1
    handle = -1
    try:
        handle = os.dup(path) if isinstance(path, int) else os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, FileNotFoundError):
        unlock(handle)
        return None
    except OSError:
        unlock(handle)
        return -1
    return handle


def unlock(lock: int) -> None:
    """Let go of what :func:`try_lock` locked."""
    if lock >= 0:
        os.close(lock)


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
