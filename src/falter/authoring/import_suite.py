"""A published suite as a suite on disk: its probes, the pictures where they are at hand, the manifest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from falter.authoring.importer import Account, Importer, NamesPictures
from falter.errors import InputError, UsageError
from falter.files import sha256_of_bytes
from falter.images.files import ImageFile
from falter.images.locate import ImageLocator
from falter.probes import ImageRef, Item, Probe, SuiteManifest, SuiteWriter, create_suite
from falter.probes.suite_writer import ImageMode
from falter.suites.carets.visual_test import ViewOrder, Views

__all__ = ["bring_in"]


def bring_in(
    importer: Importer,
    folder: Path,
    out: Path,
    *,
    images: Path | None = None,
    how: ImageMode = "copy",
    views: ViewOrder | None = None,
    overwrite: bool = False,
    tick: Callable[[], None] = lambda: None,
) -> SuiteManifest:
    """Write a published suite as a suite of ours and give its manifest.

    ``images`` is a folder in which the pictures lie under their ids, or at any depth under their published names. What
    is not there is counted, and its items go without a picture. With ``views``, the questions whose picture and scene
    graph are at hand are asked again over views of it, as a test ``visual``.
    """
    if not folder.is_dir():
        raise InputError(folder, "is not a folder", hint=f"give the folder that holds the files of {importer.name}")
    if images is not None and not images.is_dir():
        raise InputError(images, "is not a folder of pictures", hint="give --images DIR, or leave it out")
    if images is None and views is not None:
        raise UsageError("the visual test needs the pictures besides the scene graphs: give --images DIR too")
    visual = None if views is None else Views(importer, views)
    account = Account()
    manifest = SuiteManifest(
        name=importer.name,
        title=importer.title,
        made_by=f"falter import {importer.name}",
        citation=importer.citation,
        licence=importer.licence,
        parameters={
            "images": how if images is not None else "none",
            **({} if views is None else {"visual": views.most or "all"}),
        },
    )
    with create_suite(out, manifest, overwrite=overwrite) as writer:
        pictures = _Pictures(images, writer, how, importer)
        for probe in importer.probes(folder, account):
            placed = pictures.put_into(probe)
            writer.add(placed)
            if visual is not None:
                visual.consider(placed.original, pictures.file_of(placed.original))
            tick()
        manifest.sources = [{"name": f"{importer.name} as released", **_digest(account)}]
        if visual is not None and views is not None:
            for probe in visual.probes(writer.folder / "images"):
                writer.add(_by_place_within(probe, writer.folder))
                tick()
            manifest.sources.append(views.scenes.describe())
            manifest.counts["refused"] = dict(sorted(visual.refused.items()))
        manifest.notes = list(account.notes)
        manifest.counts |= {
            "files": {name: read.probes for name, read in sorted(account.files.items())},
            "skipped_files": sorted(account.skipped),
            **dict(sorted(account.counts.items())),
            **pictures.counts(),
        }
    return manifest


def _digest(account: Account) -> dict[str, Any]:
    """The files that were read, as one hash over their names and bytes."""
    listed = "".join(f"{read.sha256}  {name}\n" for name, read in sorted(account.files.items()))
    return {"files": len(account.files), "sha256": sha256_of_bytes(listed.encode())}


def _by_place_within(probe: Probe, folder: Path) -> Probe:
    """The probe with the pictures that were made for it named as the suite names its own."""
    shown = (
        msgspec.structs.replace(item, image=Path(item.image).relative_to(folder).as_posix())
        if item.image is not None and Path(item.image).is_relative_to(folder)
        else item
        for item in probe.items
    )
    return Probe(tuple(shown))


class _Pictures:
    """Brings the images of a folder into the suite, each looked for once."""

    def __init__(self, folder: Path | None, writer: SuiteWriter, how: ImageMode, importer: Importer) -> None:
        names = importer.picture_names if isinstance(importer, NamesPictures) else None
        self._locator = None if folder is None else ImageLocator(folder, names)
        self._writer = writer
        self._how = how
        self._known: dict[str, tuple[str | None, ImageFile]] = {}

    def put_into(self, probe: Probe) -> Probe:
        """The probe with its pictures; the ids of items follow the bytes where these are at hand."""
        return (
            probe
            if self._locator is None
            else Probe(tuple(self._with_picture(item, self._locator) for item in probe.items))
        )

    def file_of(self, item: Item) -> Path | None:
        """Where the picture of an item that was put in lies, outside of the suite."""
        return None if item.image_id not in self._known else self._known[item.image_id][1].path

    def counts(self) -> dict[str, int]:
        """How many of the pictures that the suite names were found."""
        if self._locator is None:
            return {}
        found = sum(picture.path is not None for _, picture in self._known.values())
        return {"pictures": found, "pictures_not_found": len(self._known) - found}

    def _with_picture(self, item: Item, locator: ImageLocator) -> Item:
        if item.image_id is None:
            return item
        if item.image_id not in self._known:
            picture = locator.find(item.image_id)
            placed = None if picture.path is None else self._writer.add_image(picture.path, how=self._how)
            self._known[item.image_id] = placed, picture
        placed, picture = self._known[item.image_id]
        if picture.sha256 is None:
            return item
        return item.change(image=ImageRef(item.image_id, placed, picture.sha256))
