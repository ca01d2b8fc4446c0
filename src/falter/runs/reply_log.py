"""The append-only log of replies: every line on it stands, whatever kills the process that writes it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import msgspec

from falter.errors import InputError, warn_user
from falter.files import JsonDecoder, check_record, read_lines, seal_record
from falter.runs.reply import Reply

__all__ = ["LogContent", "ReplyLog", "encode_replies", "read_log"]

SYNC_SECONDS = 0.5
"""How long a reply may stand in the system's memory before it is forced to the disk."""

_DECODER = JsonDecoder(Reply, "a reply")
_ENCODER = msgspec.json.Encoder()


class LogContent(NamedTuple):
    """The replies of a log, and the number of bytes up to the end of the last good line.

    There is the last reply for each item, and they are in the order in which they came.
    """

    replies: dict[str, Reply]
    good_bytes: int


def read_log(path: Path) -> LogContent:
    """Read a log.

    A last line that a killed process or a full disk cut off, and a line that is damaged or was edited, do not count:
    their items are asked again when the run is resumed.
    """
    replies: dict[str, Reply] = {}
    good = length = 0
    damaged: list[int] = []
    unchecked = False
    if not path.exists():
        return LogContent(replies, good)
    for number, line in enumerate(read_lines(path, hint="remove it and run again"), start=1):
        length += len(line)
        sealed = check_record(line[:-1])
        reply = _decode(line) if sealed is not False and line.endswith(b"\n") else None
        if reply is None:
            damaged.append(number)
            continue
        unchecked = unchecked or sealed is None
        replies.pop(reply.item_id, None)
        replies[reply.item_id] = reply
        good = length
    if damaged:
        where = f"{path}, line {damaged[0]}" + (f" and {len(damaged) - 1} more" if len(damaged) > 1 else "")
        warn_user(f"{where}: cut off, damaged or edited; does not count (repeat falter run to ask again)")
    if unchecked:
        warn_user(f"{path} has lines without a checksum (an earlier version wrote them): edits may go unnoticed")
    return LogContent(replies, good)


def encode_replies(replies: Iterable[Reply]) -> bytes:
    """Replies as lines of a log, each with a checksum."""
    return b"".join([seal_record(_ENCODER.encode(reply)) + b"\n" for reply in replies])


def _decode(line: bytes) -> Reply | None:
    try:
        return _DECODER.decode(line, "replies.jsonl")
    except InputError:
        return None


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
        data = memoryview(encode_replies(replies))
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
