"""Under which licence a data set is, as far as it says so itself; what is in a known format may be anybody's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from falter.errors import FalterError
from falter.files import read_json, read_text

__all__ = ["NOT_STATED", "find_licence", "name_licences"]

NOT_STATED = "not stated"

_NAMES = ("LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "LICENCE.txt", "LICENCE.md")
_LONGEST = 200
_MOST_NAMED = 3


class _World(msgspec.Struct):
    licence: str


def find_licence(path: Path | None, given: str = "", stated: str = "") -> str:
    """The licence that was given, or that the data state, or that stands in a file beside them.

    Such a file is a ``world.json`` in the folder or the one above it, or a text called LICENSE in the folder, which is
    named by its first line.
    """
    if given or stated:
        return given or stated
    return next(_beside(path), NOT_STATED) if path is not None else NOT_STATED


def _beside(path: Path) -> Iterator[str]:
    folder = path.absolute().parent
    for place in (folder, folder.parent):
        try:
            yield read_json(place / "world.json", _World).licence
        except (FalterError, OSError):
            continue  # No such file, or an unrelated one of that name.
    for name in _NAMES:
        try:
            lines = read_text(folder / name).splitlines()
        except (FalterError, OSError):
            continue
        yield from (line.strip()[:_LONGEST] for line in lines if line.strip())


def name_licences(names: Sequence[str]) -> str:
    """Several licences in words, such as those that images of a data set are under one by one.

    >>> name_licences(["CC0", "CC0", "MIT"]), name_licences([])
    ('CC0; MIT', '')
    """
    distinct = list(dict.fromkeys(name.strip()[:_LONGEST] for name in names if name.strip()))
    if len(distinct) > _MOST_NAMED:
        return f"{len(distinct)} licences, by image: {'; '.join(distinct[:_MOST_NAMED])} and others"
    return "; ".join(distinct)
