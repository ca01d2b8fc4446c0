"""A published suite as a suite on disk: its probes, the pictures where they are at hand, the manifest."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from falter.authoring.importer import Account, Importer, NamesPictures
from falter.errors import InputError, UsageError
from falter.files import sha256_of_bytes
from falter.images.files import Picture, look_at
from falter.probes import ImageRef, Item, Manifest, Probe, SuiteWriter, write_suite
from falter.probes.suite_writer import Images
from falter.suites.carets.visual_test import ViewOrder, Views

__all__ = ["bring_in"]

_ENDINGS = (".jpg", ".jpeg", ".png", ".webp")


def bring_in(
    importer: Importer,
    folder: Path,
    out: Path,
    *,
    images: Path | None = None,
    how: Images = "copy",
    views: ViewOrder | None = None,
    overwrite: bool = False,
    tick: Callable[[], None] = lambda: None,
) -> Manifest:
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
    manifest = Manifest(
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
    with write_suite(out, manifest, overwrite=overwrite) as writer:
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
    """Finds pictures by id in a folder, each looked at once, and brings them into the suite."""

    def __init__(self, folder: Path | None, writer: SuiteWriter, how: Images, importer: Importer) -> None:
        self._folder = folder
        self._names = importer if isinstance(importer, NamesPictures) else None
        self._writer = writer
        self._how = how
        self._known: dict[str, tuple[str | None, Picture]] = {}

    def put_into(self, probe: Probe) -> Probe:
        """The probe with its pictures; the ids of items follow the bytes where these are at hand."""
        return probe if self._folder is None else Probe(tuple(self._with_picture(item) for item in probe.items))

    def file_of(self, item: Item) -> Path | None:
        """Where the picture of an item that was put in lies, outside of the suite."""
        return None if item.image_id not in self._known else self._known[item.image_id][1].path

    def counts(self) -> dict[str, int]:
        """How many of the pictures that the suite names were found."""
        if self._folder is None:
            return {}
        found = sum(picture.path is not None for _, picture in self._known.values())
        return {"pictures": found, "pictures_not_found": len(self._known) - found}

    def _with_picture(self, item: Item) -> Item:
        if item.image_id is None:
            return item
        if item.image_id not in self._known:
            picture = self._find(item.image_id)
            placed = None if picture.path is None else self._writer.add_image(picture.path, how=self._how)
            self._known[item.image_id] = placed, picture
        placed, picture = self._known[item.image_id]
        if picture.sha256 is None:
            return item
        return item.change(image=ImageRef(item.image_id, placed, picture.sha256))

    @cached_property
    def _by_name(self) -> dict[str, Path]:
        """Every file under the folder by its name; of files with one name, the first in order of folders."""
        found: dict[str, Path] = {}
        walked: set[str] = set()
        for place, folders, files in os.walk(self._folder or ".", followlinks=True):
            # A link may lead back to where it stands.
            if (real := os.path.realpath(place)) in walked:
                folders.clear()
                continue
            walked.add(real)
            folders.sort()
            for name in files:
                found.setdefault(name, Path(place, name))
        return found

    def _find(self, image_id: str) -> Picture:
        if self._names is not None:
            for name in self._names.picture_names(image_id):
                if name in self._by_name:
                    return look_at(self._by_name[name]) or Picture(None, None)
            return Picture(None, None)
        if self._folder is not None and image_id == Path(image_id).name:
            for ending in _ENDINGS:
                path = self._folder / f"{image_id}{ending}"
                if path.is_file():
                    return look_at(path) or Picture(None, None)
        return Picture(None, None)
