"""The append-only log of replies: every line on it stands, whatever kills the process that writes it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import msgspec

from falter.errors import InputError
from falter.runs.reply import Reply

__all__ = ["LogContent", "ReplyLog", "read_log"]

SYNC_SECONDS = 0.5
"""How long a reply may stand in the system's memory before it is forced to the disk."""

_DECODER = msgspec.json.Decoder(Reply)
_ENCODER = msgspec.json.Encoder()


class LogContent(NamedTuple):
    """The replies of a log, the last one for each item, and how many bytes of the file they are."""

    replies: dict[str, Reply]
    good_bytes: int


def read_log(path: Path) -> LogContent:
    """Read a log; a torn last line, which a killed process or a full disk leaves behind, is not part of it."""
    replies: dict[str, Reply] = {}
    good = 0
    if not path.exists():
        return LogContent(replies, good)
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                if not line.endswith(b"\n"):
                    break
                reply = _DECODER.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                if stream.read(1):
                    raise InputError(
                        path,
                        f"is not a reply: {error}",
                        record=f"line {number}",
                        hint="remove it and run again",
                    ) from error
                break
            replies[reply.item_id] = reply
            good += len(line)
    return LogContent(replies, good)


class ReplyLog:
    """Appends replies to a file, a batch at a time, and has them on the disk within a second.

    A batch is handed to the system in one write before :meth:`append` returns, so that killing the process loses
    nothing; a thread forces it to the disk, so that a power cut loses at most what came in the last second.
    """

    def __init__(self, path: Path, content: LogContent | None = None) -> None:
        self.path = path
        content = read_log(path) if content is None else content
        self.replies = content.replies
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        # Whatever follows the last whole line is cut off, so that the next line does not continue a torn one.
        os.ftruncate(self._file, content.good_bytes)
        os.lseek(self._file, content.good_bytes, os.SEEK_SET)
        self._dirty = threading.Event()
        self._closing = threading.Event()
        self._problem: OSError | None = None
        self._syncer = threading.Thread(target=self._sync_often, name="sync replies", daemon=True)
        self._syncer.start()

    def append(self, replies: Iterable[Reply]) -> None:
        """Write replies down."""
        if self._problem is not None:
            raise self._problem
        data = memoryview(_ENCODER.encode_lines(list(replies)))
        try:
            while data:
                data = data[os.write(self._file, data) :]
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        self._dirty.set()

    def _sync_often(self) -> None:
        while not self._closing.wait(SYNC_SECONDS):
            if self._dirty.is_set():
                self._dirty.clear()
                try:
                    os.fsync(self._file)
                except OSError as error:
                    self._problem = OSError(error.errno, error.strerror, str(self.path))
                    return

    def close(self) -> None:
        """Force everything to the disk and let go of the file."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._syncer.join()
        try:
            os.fsync(self._file)
        finally:
            os.close(self._file)

    def __enter__(self) -> ReplyLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
