"""Scores kept on disk as they are made, so that a run that was stopped goes on where it was."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO

import msgspec

from falter.errors import InputError
from falter.files import JsonDecoder, read_bytes, sha256_of_bytes
from falter.nlp.span_ranking.protocol import AskedSpans, Gap, SpanRanker

__all__ = ["ScoreLog"]


class _Line(msgspec.Struct):
    key: str
    scores: list[float]


_line = JsonDecoder(_Line, "a line of a log of scores")


class ScoreLog:
    """A ranker that keeps what it has scored in ``FOLDER/scores-FINGERPRINT.jsonl``, a line for each gap.

    A last line that was cut off is dropped; values are read back as they were written, so that a resumed run gives the
    same bytes.
    """

    def __init__(self, ranker: SpanRanker, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise InputError(folder, "is not a folder for scores", hint="give another folder")
        folder.mkdir(parents=True, exist_ok=True)
        self.name, self.fingerprint = ranker.name, ranker.fingerprint
        self._ranker = ranker
        self._path = folder / f"scores-{sha256_of_bytes(f'{ranker.name}{ranker.fingerprint}'.encode())[:16]}.jsonl"
        self._known = self._read()
        self._stream: IO[bytes] | None = None

    def score(self, gap: Gap, spans: Sequence[str]) -> list[float]:
        """The scores that are there, or else those of the ranker, which are kept."""
        (found,) = self.score_many([AskedSpans(gap, tuple(spans))])
        return found

    def score_many(self, asked: Sequence[AskedSpans]) -> list[list[float]]:
        """The same for several gaps; what is missing is scored at once."""
        keys = [sha256_of_bytes("\n".join((*one.gap, *one.spans)).encode())[:32] for one in asked]
        missing = {key: one for key, one in zip(keys, asked, strict=True) if key not in self._known}
        if missing:
            if self._stream is None:
                self._stream = self._path.open("ab")
            for key, found in zip(missing, self._ranker.score_many(list(missing.values())), strict=True):
                self._known[key] = found
                self._stream.write(msgspec.json.encode(_Line(key, found)) + b"\n")
            self._stream.flush()
        return [self._known[key] for key in keys]

    def proposes(self, gap: Gap, spans: Sequence[str]) -> list[bool]:
        """As the ranker says; this is not kept."""
        return self._ranker.proposes(gap, spans)

    def _read(self) -> dict[str, list[float]]:
        if not self._path.exists():
            return {}
        raw = read_bytes(self._path)
        whole, _, cut = raw.rpartition(b"\n")
        if cut:
            self._path.write_bytes(whole + b"\n" if whole else b"")
        found = {}
        for number, line in enumerate(whole.splitlines(), start=1):
            one = _line.decode(line, self._path, record=number, hint="remove the file")
            found[one.key] = one.scores
        return found
