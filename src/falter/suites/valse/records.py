"""One released file of VALSE as checked records: captions, foils and the votes on them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec

from falter.errors import InputError
from falter.files import Int64, JsonDecoder
from falter.inspection.validation import PairVerdict, judge_votes

__all__ = ["Released", "Votes", "read_records"]


class Votes(msgspec.Struct, frozen=True):
    """What the three annotators chose: the caption alone, the foil alone, or anything else."""

    caption: Int64
    foil: Int64
    other: Int64

    @property
    def valid(self) -> bool:
        """At least two of them chose the caption alone."""
        return self._verdict.valid

    @property
    def unanimous(self) -> bool:
        """All three of them chose the caption alone."""
        return self._verdict.unanimous

    @property
    def _verdict(self) -> PairVerdict:
        return judge_votes(self.caption, self.caption + self.foil + self.other)


class _Entry(msgspec.Struct):
    """An entry as released; what differs between instruments is left as it is. Made ones may have no votes."""

    dataset: str
    image_file: str
    caption: str
    foil: str
    mturk: Votes | None = None
    # Words, counts, lists of counts; once a boolean.
    classes: Any = None
    classes_foil: Any = None
    original_split: str | None = None
    foil_method: str | None = None
    provenance_of_foils: str | None = None


class Released(NamedTuple):
    """An entry and its key in the file."""

    key: str
    entry: _Entry


_entries = JsonDecoder(dict[str, msgspec.Raw], "a JSON object of entries")
_entry = JsonDecoder(_Entry, "an entry of VALSE")


def read_records(path: Path, raw: bytes) -> Iterator[Released]:
    """The entries of a file, in its order."""
    entries = _entries.decode(raw, path, hint="fetch the file anew")
    if not entries:
        raise InputError(path, "holds no entries", hint="fetch the file anew")
    for key, one in entries.items():
        entry = _entry.decode(one, path, record=key)
        _check(path, key, entry)
        yield Released(key, entry)


def _check(path: Path, key: str, entry: _Entry) -> None:
    for name in ("caption", "foil"):
        if not getattr(entry, name).strip():
            raise InputError(path, f"has an empty {name}", record=key)
    if not entry.image_file or PurePosixPath(entry.image_file).name != entry.image_file:
        raise InputError(path, f"names no picture, but {entry.image_file!r:.80}", record=key)
    votes = entry.mturk
    if votes is not None and min(votes.caption, votes.foil, votes.other) < 0:
        raise InputError(path, "has a negative number of votes", record=key)
