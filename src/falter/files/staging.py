"""Staging folders, in which a folder is written before it takes its name, and what killed processes leave of them."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from falter.errors import warn_user

__all__ = ["TEMPORARY", "remove_abandoned", "restore_folder", "staging_folder", "staging_prefix", "try_lock", "unlock"]

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
