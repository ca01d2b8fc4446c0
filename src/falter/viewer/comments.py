"""Comments on pairs, kept beside the run that they are about: one line each, only ever added to.

``comments.jsonl`` in the folder of a run has a line per comment; a later line of the same id takes its place, and one
that is marked as deleted takes it away. A line is written whole under a lock and reaches the disk before it is
confirmed, so that two viewers lose nothing and a killed one leaves what was confirmed.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from falter.errors import InputError
from falter.files import read_bytes

__all__ = ["COMMENTS", "Comment", "CommentFile"]

COMMENTS = "comments.jsonl"
MOST_LETTERS = 4000
_MOST_BYTES = 64_000_000


class Comment(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wrote about a pair."""

    id: str
    probe_id: str
    variant: int
    text: str
    written: str
    deleted: bool = False


class CommentFile:
    """The comments of one run; read again when the file has changed."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / COMMENTS
        self._seen: tuple[int, int] | None = None
        self._known: dict[str, Comment] = {}
        self._lock = threading.Lock()

    def all(self) -> list[Comment]:
        """Every comment that is not deleted, in the order of writing."""
        with self._lock:
            self._read()
            return [one for one in self._known.values() if not one.deleted]

    def add(self, probe_id: str, variant: int, text: str) -> Comment:
        """Keep a comment; it is on disk when this returns."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        comment = Comment(id=secrets.token_hex(8), probe_id=probe_id, variant=variant, text=text, written=now)
        self._append(comment)
        return comment

    def delete(self, comment_id: str) -> bool:
        """Take a comment away; False where there is none of this id."""
        found = next((one for one in self.all() if one.id == comment_id), None)
        if found is None:
            return False
        self._append(msgspec.structs.replace(found, text="", deleted=True))
        return True

    def _append(self, comment: Comment) -> None:
        line = msgspec.json.encode(comment) + b"\n"
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise InputError(
                self.path, f"cannot be written: {error.strerror}", hint="make the folder writable"
            ) from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            size = os.fstat(handle).st_size
            # A line that a power cut tore ends here, so that the next one is whole.
            torn = size > 0 and os.pread(handle, 1, size - 1) != b"\n"
            data = (b"\n" if torn else b"") + line
            while data:
                data = data[os.write(handle, data) :]
            os.fsync(handle)
        finally:
            os.close(handle)

    def _read(self) -> None:
        try:
            status = self.path.stat()
        except FileNotFoundError:
            self._known, self._seen = {}, None
            return
        seen = status.st_size, status.st_mtime_ns
        if seen == self._seen:
            return
        self._known = {comment.id: comment for comment in _parse(self.path)}
        self._seen = seen


def _parse(path: Path) -> Iterator[Comment]:
    """The lines that are whole; one that was torn is passed over."""
    if path.is_symlink():
        raise InputError(path, "is no file of comments", hint="move it away")
    decode = msgspec.json.Decoder(Comment).decode
    for line in read_bytes(path, max_bytes=_MOST_BYTES, hint="move it away").splitlines():
        try:
            yield decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
