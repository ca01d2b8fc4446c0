"""Replies kept across runs, so that the same question to the same model is paid for once."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType

import msgspec

from falter.core.errors import InputError, warn_user
from falter.core.files import check_record, seal_record
from falter.data.model import Model, Reply, Request
from falter.evaluation.engine.requests import CONTEXT_VERSION

_TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply BLOB) WITHOUT ROWID"

_RATES = "CREATE TABLE IF NOT EXISTS rates (fingerprint TEXT PRIMARY KEY, items INTEGER, seconds REAL) WITHOUT ROWID"
"""How long models took, so that a dry run can say how long the next one will; no reply depends on it."""

_KEPT = ("ok", "unparsed")
"""Failures and what a model could not be asked are not replies, and are not kept."""


_ENCODER = msgspec.json.Encoder()
_KEY_VERSION = "vqa-v2.1"
"""Part of every key since keys named the version of answers. It stays: a kept text is read by the present reader."""


def cache_key(model: Model, request: Request) -> str:
    """The model, and what it is shown (the picture by the hash of its bytes)."""
    seen = (
        model.fingerprint,
        request.task,
        request.text,
        request.context,
        request.choices,
        request.image_sha256,
        # A picture whose bytes nobody hashed is known by its id alone.
        request.image_id if request.image_sha256 is None else None,
        _KEY_VERSION,
        CONTEXT_VERSION,
    )
    return hashlib.sha256(_ENCODER.encode(seen)).hexdigest()


class ReplyCache:
    """A folder with a small database of replies by key; several processes may share it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "replies.sqlite"
        self._decoder = msgspec.json.Decoder(Reply)
        # A model that arranges its own work may draw requests, and so look here, in a thread of its own.
        self._lock = threading.Lock()
        self._damaged: set[str] = set()
        try:
            self._database = sqlite3.connect(self.path, timeout=60, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.execute(_TABLE)
            self._database.execute(_RATES)
        except sqlite3.DatabaseError as error:
            raise self._bad(error) from error

    def get(self, key: str, item_id: str) -> Reply | None:
        """The reply kept under a key, as a reply to this item; None for one that is damaged or was edited."""
        try:
            with self._lock:
                row = self._database.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.DatabaseError as error:
            raise self._bad(error) from error
        if row is None:
            return None
        try:
            sealed = check_record(row[0], key.encode())
            if sealed is not False:
                reply = self._decoder.decode(row[0])
                if sealed is None:
                    warn_user(f"{self.path} has replies without a checksum (an earlier version stored them)")
                return msgspec.structs.replace(reply, item_id=item_id)
        except (msgspec.DecodeError, UnicodeDecodeError, TypeError, AttributeError):
            # Neither the type nor the contents of the value can be relied on.
            pass
        self._damaged.add(key)
        warn_user(f"{self.path} holds a damaged or edited reply; its item is asked again and the reply replaced")
        return None

    def put(self, keyed: Iterable[tuple[str, Reply]]) -> None:
        """Keep replies; a key that is there already keeps its first."""
        rows: Sequence[tuple[str, bytes]] = [
            (key, seal_record(msgspec.json.encode(reply), key.encode()))
            for key, reply in keyed
            if reply.status in _KEPT
        ]
        try:
            with self._lock, self._database:
                for key in self._damaged.intersection(key for key, _ in rows):
                    self._database.execute("DELETE FROM replies WHERE key = ?", (key,))
                self._database.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?)", rows)
        except sqlite3.DatabaseError as error:
            raise self._bad(error) from error

    def took(self, fingerprint: str, items: int, seconds: float) -> None:
        """Remember how long a model took for so many items."""
        add = (
            "INSERT INTO rates VALUES (?, ?, ?) ON CONFLICT (fingerprint) DO UPDATE "
            "SET items = items + excluded.items, seconds = seconds + excluded.seconds"
        )
        try:
            with self._lock, self._database:
                self._database.execute(add, (fingerprint, items, seconds))
        except sqlite3.DatabaseError as error:
            raise self._bad(error) from error

    def seconds_per_item(self, fingerprint: str) -> float | None:
        """What a model took for an item in the runs before, or None where there were none."""
        try:
            with self._lock:
                row = self._database.execute(
                    "SELECT seconds / items FROM rates WHERE fingerprint = ? AND items > 0", (fingerprint,)
                ).fetchone()
        except sqlite3.DatabaseError as error:
            raise self._bad(error) from error
        return None if row is None else float(row[0])

    def _bad(self, error: Exception) -> InputError:
        return InputError(self.path, f"cannot be used as a cache: {error}", hint="remove it, or give another --cache")

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> ReplyCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
