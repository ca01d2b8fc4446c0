"""What people said of items and probes: ``votes.parquet`` beside the items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from falter.errors import FalterError
from falter.files import atomic_file, open_parquet, sha256_of_file, write_atomically
from falter.probes.manifest import read_manifest

__all__ = ["VOTES_SCHEMA", "Vote", "read_votes", "write_votes"]

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
