"""What reads a published suite, and what it tells about the files it read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from falter.probes import Item, Probe
from falter.registry import Registry

__all__ = ["IMPORTS", "Account", "Importer", "NamesObjects", "NamesPictures", "Posable", "ReadFile"]


class ReadFile(NamedTuple):
    """A file that was read: the hash of its bytes, and how many probes it held."""

    sha256: str
    probes: int


@dataclass
class Account:
    """What an importer tells besides its probes: which files it read, which it left, and what is worth knowing."""

    files: dict[str, ReadFile] = field(default_factory=dict)
    """By name every file that was read."""
    skipped: list[str] = field(default_factory=list)
    """Names of files that are none of the release's."""
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


class Importer(Protocol):
    """A reader of one published suite."""

    name: str
    title: str
    citation: str
    licence: str

    def probes(self, folder: Path, account: Account) -> Iterator[Probe]:
        """The published probes, in an order that depends on nothing but the files; texts stay as they were published.

        Items name their picture by ``image_id``; whoever writes the suite looks for the file and brings it in.
        ``account`` is complete when the last probe was given.
        """
        ...


@runtime_checkable
class NamesObjects(Protocol):
    """An importer whose release says which objects of the scene graph a question is about."""

    def objects_of(self, item: Item) -> list[str | None]:
        """The objects' ids; None for each thing that is asked about and not there."""
        ...


@runtime_checkable
class NamesPictures(Protocol):
    """An importer whose pictures lie in several data sets: they are looked for by name, at any depth."""

    def picture_names(self, image_id: str) -> tuple[str, ...]:
        """The file names under which a picture may lie, the likeliest first."""
        ...


@runtime_checkable
class Posable(Protocol):
    """An importer whose release can be put to models in several ways."""

    def posed(self, pose: str) -> Importer:
        """The importer that puts it so; a way that there is not is a :class:`falter.errors.UsageError`."""
        ...


IMPORTS: Registry[Importer] = Registry(
    "published suite",
    "falter.imports",
    {
        "carets": "falter.suites.carets.release:CARETS_RELEASE",
        "valse": "falter.suites.valse.release:VALSE_RELEASE",
    },
)
"""Every suite that ``falter import NAME`` can read; packages from outside add theirs here."""
