"""One process at a time may write to a run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from falter.errors import UsageError

__all__ = ["lock_folder"]


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold a folder; the system lets go of it when the process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"another falter run is writing to {folder}; wait for it, or choose another --out"
            ) from None
        yield
    finally:
        os.close(handle)
