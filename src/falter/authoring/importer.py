"""What converts a released suite, and what it tells about the files it read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from falter.parallel import Executor, Inline
from falter.probes import Item, Probe, SuiteManifest

__all__ = [
    "HasImageNames",
    "HasItemFormats",
    "HasObjectIds",
    "ImportContext",
    "ImportLog",
    "Importer",
    "ReadFile",
    "TakesFile",
    "UsesWorkers",
]


class ReadFile(NamedTuple):
    """A file that was read: the hash of its bytes, and how many probes it held."""

    sha256: str
    probes: int


@dataclass
class ImportLog:
    """What an importer tells besides its probes: which files it read, which it skipped, and what is worth knowing."""

    files: dict[str, ReadFile] = field(default_factory=dict)
    """By name every file that was read."""
    skipped: list[str] = field(default_factory=list)
    """Names of files that do not belong to the release."""
    counts: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    sources: list[dict[str, Any]] = field(default_factory=list)
    """Descriptions of sources that were read besides the release."""


@dataclass(frozen=True, kw_only=True)
class ImportContext:
    """What an importer works with besides the path of the release.

    ``add_image`` gives an item with its image copied into the suite, where that is found, and its id made anew;
    ``image_file`` gives the file that an item's image was copied from. An importer needs neither unless it makes images
    itself: those go into ``image_dir``.
    """

    options: msgspec.Struct | None
    log: ImportLog
    manifest: SuiteManifest
    image_dir: Path
    add_image: Callable[[Item], Item]
    image_file: Callable[[Item], Path | None]
    has_images: bool = False
    """Whether the user gave a folder of images."""
    executor: Executor = field(default_factory=Inline)


class Importer(Protocol):
    """A converter of one released suite."""

    name: str
    title: str
    citation: str
    licence: str

    @property
    def options(self) -> type[msgspec.Struct] | None:
        """The importer's own options, declared once; a class attribute does."""
        ...

    def probes(self, path: Path, context: ImportContext) -> Iterator[Probe]:
        """The released probes, in an order that depends on nothing but the files; texts stay as they were published.

        Items name their image by ``image_id``; whoever writes the suite finds the file and copies it. ``context.log``
        is complete when the last probe was given.
        """
        ...


@runtime_checkable
class HasObjectIds(Protocol):
    """An importer whose release says which objects of the scene graph a question is about."""

    def objects_of(self, item: Item) -> list[str | None]:
        """The objects' ids; None for each object that is asked about and absent."""
        ...


@runtime_checkable
class HasImageNames(Protocol):
    """An importer whose images are spread over several data sets: they are found by name, at any depth."""

    def image_names(self, image_id: str) -> tuple[str, ...]:
        """The file names that an image may have, the likeliest first."""
        ...


@runtime_checkable
class HasItemFormats(Protocol):
    """An importer whose release can be converted in several ways; its options have a field ``item_format``."""

    def with_format(self, name: str) -> Importer:
        """The importer for one of the ways; an unknown one is a :class:`falter.errors.UsageError`."""
        ...


@runtime_checkable
class UsesWorkers(Protocol):
    """An importer that spreads its work over the executor of its context."""

    uses_workers: bool


@runtime_checkable
class TakesFile(Protocol):
    """An importer whose release may be one file."""

    takes_file: bool
