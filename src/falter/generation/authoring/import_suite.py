"""A released suite as a suite on disk: its probes, the images where they are found, the manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from falter.core.bundle import BUNDLES
from falter.core.errors import InputError, UsageError
from falter.core.executors import executor_for
from falter.core.files import sha256_of_bytes
from falter.data.image_mode import ImageMode
from falter.data.images import ImageFile, ImageLocator
from falter.data.items import ImageRef, Item, Probe
from falter.data.suite import SuiteManifest
from falter.data.suite_writing import SuiteWriter, create_suite
from falter.generation.authoring.importer import (
    HasImageNames,
    HasItemFormats,
    ImportContext,
    Importer,
    ImportLog,
    TakesFile,
)
from falter.generation.authoring.options import ImportOptions, ItemFormatOptions

__all__ = ["import_suite", "load_importer"]


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
