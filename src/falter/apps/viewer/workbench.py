"""Everything that one viewer shows: the indices of its suites, its models, and the comments beside the runs.

``comments.jsonl`` in the folder of a run has a line per comment; a later line of the same id takes its place, and one
that is marked as deleted takes it away. A line is written whole under a lock and reaches the disk before it is
confirmed, so that two viewers lose nothing and a killed one leaves what was confirmed.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from falter.apps.viewer.pair_index import PairIndex
from falter.core.errors import InputError, UsageError
from falter.core.files import read_bytes
from falter.evaluation.reporting.manifest_info import distinct_suites, model_infos, report_title
from falter.evaluation.runs import Run
from falter.evaluation.runs.failures import ModelRun, release_memory
from falter.evaluation.score_options import Subset

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


class Workbench:
    """Runs of one suite or several, ready to be looked at."""

    def __init__(
        self,
        runs: Sequence[Run],
        *,
        subset: Subset | None = None,
        progress: Callable[[str], None] = lambda _: None,
    ) -> None:
        runs = list({run.folder.resolve(): run for run in runs}.values())
        if not runs:
            raise UsageError("there is no run to view")
        suites = distinct_suites(runs)
        self.models, model_of_run = model_infos(runs)
        self.model_numbers = {model.name: number for number, model in enumerate(self.models)}
        self.folders: list[list[str]] = [[] for _ in self.models]
        for run, model in zip(runs, model_of_run, strict=True):
            self.folders[model].append(str(run.folder))
        title = report_title(self.models, suites.values()).replace("Where ", "", 1)
        # The name of a model stays as it is.
        self.title = title if len(self.models) == 1 else title[0].upper() + title[1:]
        self.indices: list[PairIndex] = []
        self._comments: list[dict[int, CommentFile]] = []
        for fingerprint, suite in suites.items():
            own = [
                ModelRun(run, model)
                for run, model in zip(runs, model_of_run, strict=True)
                if run.manifest.suite.fingerprint == fingerprint
            ]
            progress(suite.name)
            self.indices.append(PairIndex(suite, own, subset))
            self._comments.append({one.model: CommentFile(one.run.folder) for one in own})
            release_memory(suite)

    @property
    def version(self) -> int:
        """Grows whenever replies of a run under way are read."""
        return sum(index.version for index in self.indices)

    def refresh(self) -> None:
        """Read again what has been added to runs under way."""
        for index in self.indices:
            index.refresh()

    def is_complete(self, model: int) -> bool:
        """Whether every run of a model is complete."""
        own = [column for index in self.indices for column in index.columns if column.model == model]
        return all(column.run.manifest.complete for column in own)

    def comments(self, place: int) -> dict[tuple[str, int], list[tuple[int, Comment]]]:
        """By pair of a suite its comments, each with the model that it is about."""
        found: dict[tuple[str, int], list[tuple[int, Comment]]] = {}
        for model, file in self._comments[place].items():
            for one in file.all():
                found.setdefault((one.probe_id, one.variant), []).append((model, one))
        return found

    def commented(self, place: int) -> npt.NDArray[np.bool_]:
        """By pair whether there is a comment on it."""
        index = self.indices[place]
        keys = self.comments(place)
        found = np.zeros(len(index), dtype=bool)
        probes = {probe_id for probe_id, _ in keys}
        rows = np.flatnonzero(index.probe_id.is_in(sorted(probes)).to_numpy()) if probes else ()
        for row in rows:
            found[row] = (index.probe_id[int(row)], int(index.number[index.variant[row]])) in keys
        return found

    def add_comment(self, place: int, row: int, model: int, text: str) -> Comment | None:
        """Keep a comment on a pair beside the run of a model; None where there is no such pair or model."""
        if not (0 <= place < len(self.indices) and 0 <= row < len(self.indices[place])):
            return None
        file = self._comments[place].get(model)
        if file is None:
            return None
        index = self.indices[place]
        return file.add(index.probe_id[row], int(index.number[index.variant[row]]), text)

    def delete_comment(self, model: int, comment_id: str) -> bool:
        """Take a comment away; False where there is none."""
        files: list[Any] = [own[model] for own in self._comments if model in own]
        return any(file.delete(comment_id) for file in files)
