"""How a released suite is converted: the importer's protocol, its context and log, and the conversion itself."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from falter.core.bundle import BUNDLES
from falter.core.errors import InputError, UsageError
from falter.core.executors import Executor, Inline, executor_for
from falter.core.files import TableRow, read_records, read_rows, sha256_of_bytes, sha256_of_file
from falter.data.image_mode import ImageMode
from falter.data.images import ImageFile, ImageLocator
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import SuiteManifest
from falter.data.suite_writing import SuiteWriter, create_suite
from falter.generation.authoring.options import ImportOptions, ItemFormatOptions


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
        """The importer for one of the ways; an unknown one is a :class:`falter.core.errors.UsageError`."""
        ...


@runtime_checkable
class UsesWorkers(Protocol):
    """An importer that spreads its work over the executor of its context."""

    uses_workers: bool


@runtime_checkable
class TakesFile(Protocol):
    """An importer whose release may be one file."""

    takes_file: bool


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


_ENDINGS = {b"\xff\xd8\xff": ".jpg", b"\x89PNG": ".png", b"RIFF": ".webp", b"GIF8": ".gif"}


def is_image(value: Any) -> bool:
    """Whether a field names an image, or holds one."""
    if isinstance(value, Mapping):
        return isinstance(value.get("bytes"), bytes) or isinstance(value.get("path"), str)
    return isinstance(value, str) and bool(value.strip())


def released_image(value: Any, image_id: str, context: ImportContext, path: Path) -> ImageRef:
    """The image of a field: its name, or the bytes in it, which are written into the suite once."""
    data = value.get("bytes") if isinstance(value, Mapping) else None
    if not isinstance(data, bytes):
        name = value if isinstance(value, str) else value["path"]
        return ImageRef(PurePosixPath(name).name)
    ending = next((ending for start, ending in _ENDINGS.items() if data.startswith(start)), None)
    if ending is None:
        raise InputError(path, f"the image {image_id} is neither JPEG, PNG, WebP nor GIF", hint="fetch the file again")
    target = context.image_dir / f"{image_id}{ending}"
    if not target.exists():
        context.image_dir.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return ImageRef.from_file(target, image_id)


def load_importer(name: str) -> Importer:
    """The importer of that name among all bundles, or a UsageError that names those there are."""
    bundles = {each: bundle for bundle in BUNDLES.available() for each in bundle.importers}
    if name not in bundles:
        raise UsageError(f"unknown released suite {name!r}: there are {', '.join(sorted(bundles))}")
    importer: Importer = bundles[name].get("importers", name)
    return importer


def import_suite(
    importer: Importer,
    path: Path,
    out: Path,
    options: ImportOptions | None = None,
    *,
    progress: Callable[[], None] = lambda: None,
) -> SuiteManifest:
    """Write a released suite as a suite of ours and give its manifest.

    Images are found by their ids or, at any depth, by their published names. Those that are not found are counted, and
    their items have none.
    """
    options = options or ImportOptions()
    image_dir = options.image_dir
    takes_file = isinstance(importer, TakesFile)
    if not path.is_dir() and not (takes_file and path.is_file()):
        problem = "is neither a file nor a folder" if takes_file else "is not a folder"
        given = "the file, or the folder with the files," if takes_file else "the folder that holds the files"
        raise InputError(path, problem, hint=f"give {given} of {importer.name}")
    if image_dir is not None and not image_dir.is_dir():
        raise InputError(image_dir, "is not a folder of images", hint="give --image-dir DIR, or leave it out")
    own = options.release_options
    if own is None and importer.options is not None:
        own = importer.options()
    if isinstance(importer, HasItemFormats) and isinstance(own, ItemFormatOptions):
        importer = importer.with_format(own.item_format)
    log = ImportLog()
    manifest = SuiteManifest(
        name=importer.name,
        title=importer.title,
        made_by=f"falter import {importer.name}",
        citation=importer.citation,
        licence=importer.licence,
        parameters={"images": options.images if image_dir is not None else "none"},
    )
    searched = [] if image_dir is None else [image_dir]
    with create_suite(out, manifest, overwrite=options.overwrite, inputs=[path], searched=searched) as writer:
        found = _ReleaseImages(image_dir, writer, options.images, importer)
        context = ImportContext(
            options=own,
            log=log,
            manifest=manifest,
            image_dir=writer.folder / "images",
            add_image=found.add,
            image_file=found.file_for,
            has_images=image_dir is not None,
            executor=executor_for(options.workers),
        )
        empty = True
        for probe in importer.probes(path, context):
            writer.add(Probe(tuple(found.add(item) for item in probe.items)))
            empty = False
            progress()
        if empty:
            raise InputError(path, f"holds nothing of {importer.name} that can be used{_most_frequent(manifest)}")
        manifest.sources = [{"name": f"{importer.name} as released", **_digest(log)}, *log.sources]
        manifest.notes = list(log.notes)
        manifest.counts |= {
            "files": {name: read.probes for name, read in sorted(log.files.items())},
            "skipped_files": sorted(log.skipped),
            **dict(sorted(log.counts.items())),
            **found.counts(),
        }
    return manifest


def _most_frequent(manifest: SuiteManifest) -> str:
    """The most frequent reasons for which records were left out, in brackets."""
    refused = Counter(manifest.counts.get("refused", {}))
    told = "; ".join(f"{count} x {reason}" for reason, count in refused.most_common(3))
    return f" ({told})" if told else ""


def _digest(log: ImportLog) -> dict[str, Any]:
    """The files that were read, as one hash over their names and bytes."""
    listed = "".join(f"{read.sha256}  {name}\n" for name, read in sorted(log.files.items()))
    return {"files": len(log.files), "sha256": sha256_of_bytes(listed.encode())}


class _ReleaseImages:
    """Copies the images of a folder into the suite, each looked for once."""

    def __init__(self, folder: Path | None, writer: SuiteWriter, how: ImageMode, importer: Importer) -> None:
        names = importer.image_names if isinstance(importer, HasImageNames) else None
        self._locator = None if folder is None else ImageLocator(folder, names)
        self._writer = writer
        self._how = how
        self._known: dict[str, tuple[str | None, ImageFile]] = {}

    def add(self, item: Item) -> Item:
        """The item with its image; its id follows the bytes where they are found.

        An image that was made for the suite gets the name by which the suite knows it.
        """
        if item.image is not None:
            path = Path(item.image)
            inside = path.is_relative_to(self._writer.folder)
            return item.change(image=path.relative_to(self._writer.folder).as_posix()) if inside else item
        if self._locator is None or item.image_id is None:
            return item
        if item.image_id not in self._known:
            file = self._locator.find(item.image_id)
            image = None if file.path is None else self._writer.add_image(file.path, how=self._how)
            self._known[item.image_id] = image, file
        image, file = self._known[item.image_id]
        return item if file.sha256 is None else item.change(image=ImageRef(item.image_id, image, file.sha256))

    def file_for(self, item: Item) -> Path | None:
        """The file outside of the suite that an item's image was copied from."""
        return None if item.image_id not in self._known else self._known[item.image_id][1].path

    def counts(self) -> dict[str, int]:
        """How many of the images that the suite names were found."""
        if self._locator is None:
            return {}
        found = sum(file.path is not None for _, file in self._known.values())
        return {"pictures": found, "pictures_not_found": len(self._known) - found}
