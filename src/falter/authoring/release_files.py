"""What importers of released benchmarks share: files that were read, records left out, names of COCO's images."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from falter.authoring.importer import ImportLog, ReadFile
from falter.files import TableRow, read_records, read_rows, sha256_of_file

__all__ = [
    "PUBLISHED",
    "coco_names",
    "count_left_out",
    "find_tables",
    "leave_out",
    "log_file",
    "read_table",
    "skip_others",
]

PUBLISHED = "published"
"""The facet ``labels`` of items that were not generated here."""

_NAMED = 3
_TABLES = (".json", ".jsonl", ".ndjson", ".parquet", ".csv", ".tsv")
_COCO = re.compile(r"(?:COCO_[a-z]+\d{4}_)?(?P<number>[0-9]+)(?:\.jpg)?")


def coco_names(image_id: str) -> tuple[str, ...]:
    """The names that an image of COCO may have, by its number or by one of the names."""
    known = _COCO.fullmatch(image_id)
    if known is None:
        return (image_id if image_id.endswith(".jpg") else f"{image_id}.jpg",)
    plain = known["number"]
    number = f"{int(plain):012d}"
    names = (f"COCO_val2014_{number}.jpg", f"COCO_train2014_{number}.jpg", f"{number}.jpg", f"{int(plain)}.jpg")
    own = (image_id,) if image_id.endswith(".jpg") else ()
    return tuple(dict.fromkeys((*own, *names)))


def log_file(log: ImportLog, path: Path, probes: int, name: str = "") -> None:
    """Write down that a file was read."""
    log.files[name or path.name] = ReadFile(sha256_of_file(path), probes)


def skip_others(log: ImportLog, folder: Path, used: Iterable[Path]) -> None:
    """Write down which files of a folder do not belong to the release."""
    known = {*used}
    log.skipped += sorted(one.name for one in folder.iterdir() if one not in known)


def count_left_out(number: int) -> str:
    """How many records are left out, in words: "1 record is left out"."""
    return f"{number:,} record{' is' if number == 1 else 's are'} left out"


def leave_out(log: ImportLog, problems: Sequence[tuple[str, str]]) -> None:
    """Name and count records that are left out: each is the record and what is wrong with it."""
    reasons: dict[str, list[str]] = {}
    for record, reason in problems:
        reasons.setdefault(reason, []).append(record)
    for reason, records in reasons.items():
        named = ", ".join(records[:_NAMED]) + (", ..." if len(records) > _NAMED else "")
        log.notes.append(f"{count_left_out(len(records))}: {reason} ({named}).")
    log.counts["left_out"] += len(problems)


def find_tables(path: Path, names: Sequence[str]) -> list[Path]:
    """The tables of a release: the file itself, or those of a folder that are named so, in the order of their names."""
    if path.is_file():
        return [path]
    there = sorted(one for one in path.iterdir() if one.is_file() and one.suffix.lower() in _TABLES)
    return [one for one in there if any(name in one.stem.lower() for name in names)]


def read_table(path: Path) -> Iterator[TableRow]:
    """The records of a table, whatever it is written as."""
    yield from read_records(path) if path.suffix.lower() in (".json", ".jsonl", ".ndjson") else read_rows(path)
