"""The replies of a run on disk: the append-only log, the table ``replies.parquet``, and the lock of the one who writes.

Every line on the log stands, whatever kills the process that writes it. One process at a time may write to a run.

Equal items have one id and one reply. A file of predictions may hold other predictions for each of the published ids:
the first is the reply to the item, and each that differs is a reply of its own, whose id is ``ITEM@@PUBLISHED``."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from falter.core.errors import InputError, UsageError, warn_user
from falter.core.files import JsonDecoder, atomic_file, check_record, open_parquet, read_lines, seal_record
from falter.data.model import Reply, own_id, split_own_id

REPLY_SCHEMA = pa.schema(
    [
        pa.field("item_id", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("text", pa.string()),
        pa.field("answer", pa.string()),
        pa.field("score", pa.float64()),
        pa.field("score_kind", pa.string()),
        pa.field("choice_scores", pa.list_(pa.struct([("choice", pa.string()), ("score", pa.float64())]))),
        pa.field("error", pa.string()),
    ]
)

GIVEN = pa.field("given", pa.bool_())
"""A column more, where a model gave answers itself beside its texts."""

_ROWS_PER_GROUP = 65_536


def replies_to_table(replies: Iterable[Reply]) -> pa.Table:
    """An Arrow table with one row per reply, in the order given."""
    replies = list(replies)
    columns: dict[str, list[Any]] = {
        name: [getattr(reply, name) for reply in replies] for name in REPLY_SCHEMA.names if name != "choice_scores"
    }
    columns["choice_scores"] = [
        None
        if reply.choice_scores is None
        else [{"choice": choice, "score": score} for choice, score in sorted(reply.choice_scores.items())]
        for reply in replies
    ]
    schema = REPLY_SCHEMA
    if any(reply.given for reply in replies):
        schema = schema.append(GIVEN)
        columns[GIVEN.name] = [reply.given for reply in replies]
    return pa.table({field.name: pa.array(columns[field.name], type=field.type) for field in schema}, schema=schema)


def replies_from_table(table: pa.Table) -> Iterator[Reply]:
    """The replies in the rows of a table."""
    for batch in table.to_batches(max_chunksize=_ROWS_PER_GROUP):
        for row in batch.to_pylist():
            if row["choice_scores"] is not None:
                row["choice_scores"] = {one["choice"]: one["score"] for one in row["choice_scores"]}
            # Written again, a default is left out only if it is the very object that the class declares.
            if row["status"] == "ok":
                del row["status"]
            if not row.get("given"):
                row.pop("given", None)
            yield Reply(**row)


def write_replies(path: Path, replies: Iterable[Reply] | pa.Table) -> None:
    """Write replies sorted by item: equal replies give equal bytes, in whatever order they came."""
    if isinstance(replies, pa.Table):
        table = _without_nulls(replies).combine_chunks().sort_by("item_id").combine_chunks()
    else:
        table = replies_to_table(sorted(replies, key=lambda reply: reply.item_id))
    with atomic_file(path) as stream, pq.ParquetWriter(stream, table.schema, compression="zstd") as writer:
        writer.write_table(table, row_group_size=_ROWS_PER_GROUP)


def _without_nulls(table: pa.Table) -> pa.Table:
    """Tables with and without answers that the model gave, put together: the others were not given."""
    if GIVEN.name not in table.column_names:
        return table
    index = table.column_names.index(GIVEN.name)
    return table.set_column(index, GIVEN, pc.fill_null(table[GIVEN.name], fill_value=False))


def read_replies(path: Path) -> pa.Table:
    """The table that :func:`write_replies` wrote, checked for its columns."""
    file = open_parquet(path, REPLY_SCHEMA, hint="run the model again")
    schema = REPLY_SCHEMA.append(GIVEN) if GIVEN.name in file.names else REPLY_SCHEMA
    return file.read(schema.names).cast(schema)


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


_COLUMNS = ["probe_id", "variant", "item_id", "source_id"]


def own_ids(ids: pa.ChunkedArray | pa.Array) -> list[str]:
    """Those of some ids of replies that are about one published id alone."""
    found: list[str] = ids.filter(pc.match_substring(ids, own_id("", ""))).to_pylist()
    return found


def join_own_replies(path: Path, items: pa.Table, replies: Sequence[pa.Table]) -> tuple[pa.Table, list[pa.Table]]:
    """The items with the ids of their replies, and the replies of some runs with a reply for each of these ids."""
    own = sorted({one for table in replies for one in own_ids(table["item_id"])})
    if not own:
        return items, list(replies)
    return _with_own_ids(path, items, own), [_with_own_replies(table, own) for table in replies]


def _with_own_ids(path: Path, items: pa.Table, own: Sequence[str]) -> pa.Table:
    known, bases = set(own), pa.array(sorted({split_own_id(one)[0] for one in own}), pa.string())
    table = open_parquet(path, _COLUMNS).read(_COLUMNS)
    rows = table.filter(pc.is_in(table["item_id"], value_set=bases)).to_pylist()
    ids = {(row["probe_id"], row["variant"]): own_id(row["item_id"], row["source_id"] or "") for row in rows}
    changed = {row: one for row, one in ids.items() if one in known}
    probes = pa.array(sorted({probe_id for probe_id, _ in changed}), pa.string())
    item_id = items["item_id"].to_pylist()
    for index in np.flatnonzero(pc.is_in(items["probe_id"], value_set=probes).to_numpy()):
        row = (items["probe_id"][index].as_py(), items["variant"][index].as_py())
        item_id[index] = changed.get(row, item_id[index])
    return items.set_column(items.schema.names.index("item_id"), "item_id", pa.array(item_id, pa.string()))


def _with_own_replies(replies: pa.Table, own: Sequence[str]) -> pa.Table:
    """Where a run has one reply to an item, it is the reply to each of its published ids."""
    ids = replies["item_id"].cast(pa.string())
    lacking = [one for one in own if not pc.any(pc.equal(ids, one)).as_py()]
    places = pc.index_in(pa.array([split_own_id(one)[0] for one in lacking], pa.string()), value_set=ids)
    found = [(one, place) for one, place in zip(lacking, places.to_pylist(), strict=True) if place is not None]
    if not found:
        return replies
    column = replies.schema.names.index("item_id")
    added = replies.take(pa.array([place for _, place in found]))
    added = added.set_column(column, replies.schema.field(column), pa.array([one for one, _ in found], pa.string()))
    return pa.concat_tables([replies, added]).unify_dictionaries()


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
