"""Settings of a user's own table: its file, the folder of its images, and what its columns are called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from falter.errors import InputError, UsageError

__all__ = ["TableSettings", "read_table_settings"]


class TableSettings(NamedTuple):
    """Where a table and its images are, and what its columns are called."""

    file: Path
    images: Path | None
    columns: dict[str, str]
    licence: str


def read_table_settings(source: str, settings: Mapping[str, str], columns: Sequence[str], hint: str) -> TableSettings:
    """The settings after ``source:``, checked; ``hint`` says what a table has."""
    keys = ("file", "images", "licence", *columns)
    unknown = sorted(set(settings) - {"", *keys})
    if unknown:
        raise UsageError(f"{source} has no setting {unknown[0]!r}: there are {', '.join(keys)}")
    file = settings.get("file", settings.get("", ""))
    if not file:
        raise UsageError(f"{source} needs a file: {source}:FILE or {source}:file=FILE,images=DIR")
    if not Path(file).is_file():
        raise InputError(file, "does not exist" if not Path(file).exists() else "is not a file", hint=hint)
    images = Path(settings["images"]) if "images" in settings else None
    if images is not None and not images.is_dir():
        raise InputError(images, "is not a folder of images", hint="give images=DIR, or leave it out")
    named = {name: settings[name] for name in columns if name in settings}
    return TableSettings(Path(file), images, named, settings.get("licence", ""))
