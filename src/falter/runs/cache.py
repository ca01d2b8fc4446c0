"""Replies kept across runs, so that the same question to the same model is paid for once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType

import msgspec

from falter.errors import BadInput
from falter.models.reply import Reply

__all__ = ["ReplyCache"]

_TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply BLOB) WITHOUT ROWID"

_KEPT = ("ok", "unparsed")
"""Failures and what a model could not be asked are not replies, and are not kept."""


class ReplyCache:
    """A folder with a small database of replies by key; several processes may share it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "replies.sqlite"
        self._decoder = msgspec.json.Decoder(Reply)
        try:
            self._database = sqlite3.connect(self.path, timeout=60)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.execute(_TABLE)
        except sqlite3.DatabaseError as error:
            raise self._bad(error) from error

    def get(self, key: str, item_id: str) -> Reply | None:
        """The reply kept under a key, as a reply to this item."""
        try:
            row = self._database.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
            return None if row is None else msgspec.structs.replace(self._decoder.decode(row[0]), item_id=item_id)
        except (sqlite3.DatabaseError, msgspec.DecodeError) as error:
            raise self._bad(error) from error

    def put(self, keyed: Iterable[tuple[str, Reply]]) -> None:
        """Keep replies; a key that is there already keeps its first."""
        rows: Sequence[tuple[str, bytes]] = [
            (key, msgspec.json.encode(reply)) for key, reply in keyed if reply.status in _KEPT
        ]
        try:
            with self._database:
                self._database.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?)", rows)
        except sqlite3.DatabaseError as error:
            raise self._bad(error) from error

    def _bad(self, error: Exception) -> BadInput:
        return BadInput(self.path, f"cannot be used as a cache: {error}", remedy="remove it, or give another --cache")

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> ReplyCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
