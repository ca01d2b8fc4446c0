"""The answers of a study: a SQLite database in WAL mode, every answer on disk before the page moves on.

A person's answer to a question of a task is one row, whatever is sent twice. What was undone, excluded or revoked stays
in ``events``. Names are pseudonyms; no address is kept, and tokens only as hashes.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from falter.apps.people.study import ANSWERS_NAME, Study
from falter.apps.serving.access import BusyError, find_by_token, hash_token, new_token
from falter.core.errors import FalterError, InputError

STORE_FORMAT = 1
QUALIFICATION = "qualification-"
"""How the task ids of the questions before the first task begin; a number follows, of the attempt."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS annotators (
    name TEXT PRIMARY KEY, token_hash TEXT NOT NULL, revoked INTEGER NOT NULL DEFAULT 0,
    excluded INTEGER NOT NULL DEFAULT 0, qualified INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS claims (
    task_id TEXT NOT NULL, annotator TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('open', 'done', 'returned')),
    touched REAL NOT NULL, PRIMARY KEY (task_id, annotator)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS claims_of ON claims (annotator, state);
CREATE TABLE IF NOT EXISTS answers (
    annotator TEXT NOT NULL, task_id TEXT NOT NULL, question_id TEXT NOT NULL, answer TEXT NOT NULL,
    seconds REAL NOT NULL, given REAL NOT NULL, PRIMARY KEY (annotator, task_id, question_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_by_question ON answers (question_id, annotator, answer);
CREATE TABLE IF NOT EXISTS events (
    number INTEGER PRIMARY KEY, at REAL NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, about TEXT NOT NULL,
    detail TEXT NOT NULL
);
"""


class StoreBusyError(BusyError):
    """Another program holds the database: nothing was saved, and it can be tried again."""


class StorageFullError(FalterError):
    """The disk is full: the answer was not saved, and those before it are."""


class Annotator(NamedTuple):
    """Someone who answers."""

    name: str
    revoked: bool
    excluded: bool
    qualified: bool


class AnswerRow(NamedTuple):
    """One answer, as it is stored: as the page worded it, sides unresolved."""

    annotator: str
    task_id: str
    question_id: str
    answer: str
    seconds: float


class AnswerStore:
    """The database of one study. Threads take turns; other processes may read and write at the same time."""

    def __init__(
        self,
        study: Study,
        *,
        clock: Callable[[], float] = time.time,
        path: Path | None = None,
        patience: float = 30.0,
    ) -> None:
        self.patience = patience
        """Seconds to wait for other programs and threads; then a :class:`StoreBusyError` is raised."""
        self.path = path or study.folder / ANSWERS_NAME
        self.clock = clock
        self._lock = threading.RLock()
        self._reading_lock = threading.RLock()
        try:
            self._connection, self._reading = (self._connect() for _ in range(2))
            self._connection.execute("PRAGMA journal_mode = WAL")
            # Every commit reaches the disk: an answer that was acknowledged survives a power cut.
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.executescript(_SCHEMA)
        except sqlite3.DatabaseError as error:
            if _is_busy(error):
                raise InputError(self.path, "is held by another program", hint="wait for it, or end it") from error
            raise InputError(self.path, f"cannot be opened as a database: {error}", hint="restore a copy") from error
        self._check(study)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self.path, isolation_level=None, check_same_thread=False, timeout=self.patience, cached_statements=200
        )

    def _check(self, study: Study) -> None:
        with self.change() as cursor:
            known = dict(cursor.execute("SELECT key, value FROM settings"))
            if not known:
                rows = [("study", study.fingerprint), ("format", str(STORE_FORMAT))]
                cursor.executemany("INSERT INTO settings VALUES (?, ?)", rows)
            elif known.get("study") != study.fingerprint:
                raise InputError(self.path, "holds the answers to another study", hint="move it away, or plan again")

    def close(self) -> None:
        """Write everything into the one file and close it."""
        with self._lock:
            with suppress(sqlite3.Error):  # Someone else has the file open; what is in the log stays there.
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.close()
        with self._reading_lock:
            self._reading.close()

    @contextmanager
    def _take(self, lock: threading.RLock, connection: sqlite3.Connection) -> Iterator[None]:
        """Hold a connection; the time for threads and for other programs is one."""
        begun = time.monotonic()
        if not lock.acquire(timeout=self.patience):
            raise StoreBusyError(_BUSY)
        try:
            left = max(self.patience - (time.monotonic() - begun), 0.0)
            connection.execute(f"PRAGMA busy_timeout = {int(1000 * left)}")
            yield
        except sqlite3.OperationalError as error:
            if _is_busy(error):
                raise StoreBusyError(_BUSY) from error
            raise
        finally:
            lock.release()

    @contextmanager
    def change(self) -> Iterator[sqlite3.Cursor]:
        """A transaction that nobody else writes in: all of it is on disk at its end, or nothing."""
        with self._take(self._lock, self._connection):
            cursor = self._connection.cursor()
            try:
                cursor.execute("BEGIN IMMEDIATE")
                yield cursor
                cursor.execute("COMMIT")
            except BaseException as error:
                if self._connection.in_transaction:
                    self._connection.rollback()
                if isinstance(error, sqlite3.OperationalError) and _is_full(error):
                    raise StorageFullError("the disk is full: nothing more can be saved until there is room") from error
                raise
            finally:
                cursor.close()

    def read(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query; who writes keeps nobody from reading."""
        with self._take(self._reading_lock, self._reading):
            return self._reading.execute(query, values).fetchall()

    @contextmanager
    def reader(self) -> Iterator[sqlite3.Connection]:
        """A connection of its own for long reads, which keep nobody from answering."""
        connection = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro", uri=True, timeout=self.patience)
        try:
            yield connection
        finally:
            connection.close()

    # Annotators

    def add_annotator(self, name: str) -> str:
        """Add someone and give the token of their link."""
        token = new_token()
        with self.change() as cursor:
            cursor.execute("INSERT INTO annotators (name, token_hash) VALUES (?, ?)", (name, hash_token(token)))
            self.record(cursor, "owner", "added", name)
        return token

    def renew_token(self, name: str) -> str:
        """Give someone a new link; the old one is void, and a revoked one may come back in."""
        token = new_token()
        with self.change() as cursor:
            self._require(cursor, name)
            cursor.execute(
                "UPDATE annotators SET token_hash = ?, revoked = 0 WHERE name = ?", (hash_token(token), name)
            )
            self.record(cursor, "owner", "link renewed", name)
        return token

    def mark_annotator(self, name: str, *, revoked: bool | None = None, excluded: bool | None = None) -> None:
        """Revoke a link, or leave someone's answers out of the results; both can be taken back, and are recorded."""
        with self.change() as cursor:
            self._require(cursor, name)
            if revoked is not None:
                cursor.execute("UPDATE annotators SET revoked = ? WHERE name = ?", (revoked, name))
                self.record(cursor, "owner", "link revoked" if revoked else "link restored", name)
            if excluded is not None:
                cursor.execute("UPDATE annotators SET excluded = ? WHERE name = ?", (excluded, name))
                self.record(cursor, "owner", "excluded" if excluded else "included", name)

    def annotators(self) -> list[Annotator]:
        """Everyone, by name."""
        rows = self.read("SELECT name, revoked, excluded, qualified FROM annotators ORDER BY name")
        return [Annotator(name, bool(revoked), bool(out), bool(passed)) for name, revoked, out, passed in rows]

    def identify(self, token: str) -> str | None:
        """Whose a token is; None for one that is forged, of another study, or revoked."""
        known = self.read("SELECT name, token_hash FROM annotators WHERE revoked = 0")
        return find_by_token(token, known)

    # Answers

    def answers(self, *, excluded: bool = False) -> Iterator[AnswerRow]:
        """All answers in tasks, by annotator and task; ``excluded`` gives those of excluded annotators as well."""
        where = "" if excluded else "AND annotator NOT IN (SELECT name FROM annotators WHERE excluded = 1)"
        rows = self.read(
            "SELECT annotator, task_id, question_id, answer, seconds FROM answers "
            f"WHERE task_id NOT LIKE '{QUALIFICATION}%' {where} ORDER BY annotator, task_id, question_id"
        )
        return (AnswerRow(*row) for row in rows)

    def import_answers(self, rows: Sequence[AnswerRow], source: str) -> int:
        """Add answers that were given elsewhere, all or none; what is there already stays. How many are new.

        People are added without a link of their own.
        """
        with self.change() as cursor:
            known = {name for (name,) in cursor.execute("SELECT name FROM annotators")}
            for name in sorted({row.annotator for row in rows} - known):
                cursor.execute(
                    "INSERT INTO annotators (name, token_hash, qualified) VALUES (?, ?, 1)",
                    (name, hash_token(new_token())),
                )
            before = cursor.execute("SELECT COUNT(*) FROM answers").fetchone()[0]
            now = self.clock()
            cursor.executemany(
                "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?)",
                [(one.annotator, one.task_id, one.question_id, one.answer, one.seconds, now) for one in rows],
            )
            added: int = cursor.execute("SELECT COUNT(*) FROM answers").fetchone()[0] - before
            self.record(cursor, "owner", "collected", source, str(added))
            return added

    def events(self, most: int = 50) -> list[tuple[float, str, str, str]]:
        """The latest events, the last one first: time, who, what, and about whom."""
        return [
            (at, who, what, about)
            for at, who, what, about in self.read(
                "SELECT at, who, what, about FROM events ORDER BY number DESC LIMIT ?", (most,)
            )
        ]

    def get_setting(self, key: str) -> str | None:
        """A value that was kept under a name."""
        found = self.read("SELECT value FROM settings WHERE key = ?", (key,))
        return found[0][0] if found else None

    def set_setting(self, key: str, value: str) -> None:
        """Keep a value under a name."""
        with self.change() as cursor:
            cursor.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, value))

    def _require(self, cursor: sqlite3.Cursor, name: str) -> None:
        if not cursor.execute("SELECT 1 FROM annotators WHERE name = ?", (name,)).fetchone():
            raise FalterError(f"there is no annotator {name!r:.60}")

    def record(self, cursor: sqlite3.Cursor, who: str, what: str, about: str, detail: str = "") -> None:
        """Add an event to the present transaction."""
        cursor.execute(
            "INSERT INTO events (at, who, what, about, detail) VALUES (?, ?, ?, ?, ?)",
            (self.clock(), who, what, about, detail),
        )


_BUSY = "The answers are held by another program. Nothing was changed; try again in a moment."


def _is_busy(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _is_full(error: sqlite3.OperationalError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
