"""What people said of items and probes: ``votes.parquet`` beside the items, and files of votes from elsewhere.

Votes on pairs of a caption and a foil are read from CSV, JSON lines, JSON or Parquet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from falter.core.errors import FalterError, InputError
from falter.core.files import atomic_file, open_parquet, read_rows, sha256_of_file, write_atomically
from falter.data.suite import read_manifest

VOTES_SCHEMA = pa.schema(
    [
        pa.field("item_id", pa.string()),
        pa.field("probe_id", pa.string()),
        pa.field("annotator", pa.string(), nullable=False),
        pa.field("answer", pa.string(), nullable=False),
        pa.field("seconds", pa.float64()),
        pa.field("caption_first", pa.bool_()),
        pa.field("confirms", pa.bool_()),
    ]
)
_OPTIONAL = ("caption_first", "confirms")
_REQUIRED = pa.schema([field for field in VOTES_SCHEMA if field.name not in _OPTIONAL])
"""Votes that were written before the order of texts was."""


class Vote(msgspec.Struct, frozen=True, kw_only=True):
    """One person's judgement of an item or of a whole probe.

    ``seconds`` is how long it took, and ``caption_first`` whether the original was shown before the variant, where
    that is known. ``confirms`` says whether the answer confirms the suite's label; None: it does if it is ``caption``.
    """

    annotator: str
    answer: str
    item_id: str | None = None
    probe_id: str | None = None
    seconds: float | None = None
    caption_first: bool | None = None
    confirms: bool | None = None

    @property
    def is_for(self) -> bool:
        """Whether it confirms the label of what it is about."""
        return self.answer == "caption" if self.confirms is None else self.confirms


def write_votes(folder: Path, votes: Iterable[Vote]) -> None:
    """Write a suite's votes, replacing those that were there, and their hash into the suite's manifest."""
    rows = [msgspec.structs.asdict(vote) for vote in votes]
    for row in rows:
        if (row["item_id"] is None) == (row["probe_id"] is None):
            raise FalterError(f"a vote of {row['annotator']!r} must be about an item or a probe, and not both")
    # Votes on captions and foils say by their answer what they confirm.
    said = any(row["confirms"] is not None for row in rows)
    schema = VOTES_SCHEMA if said else VOTES_SCHEMA.remove(VOTES_SCHEMA.get_field_index("confirms"))
    with atomic_file(folder / "votes.parquet") as stream:
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), stream, compression="zstd")
    if (folder / "suite.json").is_file():
        manifest = read_manifest(folder)
        manifest.files["votes.parquet"] = sha256_of_file(folder / "votes.parquet")
        manifest.files = dict(sorted(manifest.files.items()))
        write_atomically(folder / "suite.json", manifest.to_json())


def read_votes(folder: Path) -> Iterator[Vote]:
    """The votes of a suite; none when nobody was asked."""
    path = folder / "votes.parquet"
    if not path.exists():
        return
    file = open_parquet(path, _REQUIRED, hint="collect the votes again")
    names = [name for name in VOTES_SCHEMA.names if name in file.names]
    yield from (Vote(**row) for row in file.iter_rows(names))


CATEGORIES = ("caption", "foil", "both", "neither", "cannot tell")
"""What an annotator may say of a pair: which of the two texts describes the image."""

_POSITIONS = {"first": True, "second": False}
_NAMES = {"unsure": "cannot tell", "cannot_tell": "cannot tell", "1": "first", "2": "second"}
_YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_HINT = (
    "columns: probe_id, annotator, answer (caption, foil, both, neither, cannot tell; or first, second with "
    "caption_first), and if known seconds"
)


def read_vote_file(path: Path, probe_ids: Collection[str]) -> list[Vote]:
    """The votes of a file, one row each; every one must be about one of the probes, and no annotator votes twice.

    An answer of ``first`` or ``second`` becomes ``caption`` or ``foil`` by the column ``caption_first``.
    """
    votes: list[Vote] = []
    seen: set[tuple[str, str]] = set()
    for row in read_rows(path, hint=_HINT):
        if row.problem:
            raise InputError(path, row.problem, record=row.record, hint=_HINT)
        vote = _read(path, row.record, row.values)
        assert vote.probe_id is not None
        if vote.probe_id not in probe_ids:
            raise InputError(
                path,
                f"votes on {vote.probe_id!r:.80}, which is no pair of the suite",
                record=row.record,
                hint="give the suite that annotators saw; falter inspect shows its probe_id's",
            )
        if (vote.annotator, vote.probe_id) in seen:
            raise InputError(
                path,
                f"{vote.annotator!r:.60} votes on {vote.probe_id!r:.80} twice",
                record=row.record,
                hint="keep one of the two",
            )
        seen.add((vote.annotator, vote.probe_id))
        votes.append(vote)
    if not votes:
        raise InputError(path, "has no votes", hint=_HINT)
    return votes


def _read(path: Path, record: str, values: Mapping[str, Any]) -> Vote:
    for name in ("probe_id", "annotator", "answer"):
        if values.get(name) is None:
            raise InputError(path, f"has no {name}", record=record, hint=_HINT)
    first = _read_flag(path, record, values.get("caption_first"))
    seconds = values.get("seconds")
    try:
        taken = None if seconds is None else float(seconds)
    except (TypeError, ValueError) as error:
        raise InputError(path, f"has {seconds!r:.40} seconds", record=record, hint="give a number") from error
    return Vote(
        probe_id=str(values["probe_id"]),
        annotator=str(values["annotator"]),
        answer=_read_answer(path, record, str(values["answer"]), first),
        seconds=taken,
        caption_first=first,
    )


def _read_answer(path: Path, record: str, given: str, first: bool | None) -> str:
    name = given.strip().lower()
    name = _NAMES.get(name, name)
    if name in _POSITIONS:
        if first is None:
            raise InputError(path, f"says {given!r} and not which text that was", record=record, hint=_HINT)
        return "caption" if _POSITIONS[name] == first else "foil"
    if name not in CATEGORIES:
        raise InputError(path, f"has the answer {given!r:.60}", record=record, hint=_HINT)
    return name


def _read_flag(path: Path, record: str, given: Any) -> bool | None:
    if given is None or isinstance(given, bool):
        return given
    found = _YES_NO.get(str(given).strip().lower())
    if found is None:
        raise InputError(path, f"has caption_first {given!r:.40}", record=record, hint="give true or false")
    return found
