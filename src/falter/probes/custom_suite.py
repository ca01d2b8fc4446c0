"""Writing a suite of one's own: probes in, a checked folder out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from falter.errors import InputError, UsageError
from falter.files import sha256_of_file
from falter.probes.item import ImageRef, Item, Probe
from falter.probes.manifest import SuiteManifest
from falter.probes.suite import Suite, open_suite
from falter.probes.suite_writer import ImageMode, SuiteWriter, create_suite

__all__ = ["write_suite"]


def write_suite(
    probes: Iterable[Probe],
    out: str | Path,
    *,
    name: str,
    title: str = "",
    licence: str = "not stated",
    citation: str = "",
    images: ImageMode = "copy",
    overwrite: bool = False,
) -> Suite:
    """Write probes as a suite and open it.

    ``name`` must be the ``suite`` of every item. Images are copied into the suite, linked by absolute path or left out;
    those without a hash are hashed. Relative paths start at the current folder, or in a :class:`Suite` at its own.
    Probes are taken one at a time, so that a generator may give many.
    """
    manifest = SuiteManifest(
        name=name,
        title=title,
        made_by="falter.write_suite",
        licence=licence,
        citation=citation,
        parameters={"images": images},
    )
    seen: set[str] = set()
    inputs = [probes.folder] if isinstance(probes, Suite) else []
    with create_suite(Path(out), manifest, overwrite=overwrite, inputs=inputs) as writer:
        files = _Images(writer, images, probes if isinstance(probes, Suite) else None)
        for probe in probes:
            _check(probe, name, seen)
            writer.add(Probe(tuple(files.place(item) for item in probe.items)))
        if not seen:
            raise UsageError(f"there is no probe to write to {out}")
    return open_suite(out)


def _check(probe: object, name: str, seen: set[str]) -> None:
    """Refuse what would make a suite that cannot be scored."""
    if not isinstance(probe, Probe) or not probe.items:
        raise UsageError(f"a suite is made of probes with items, not of {probe!r:.60}")
    if probe.probe_id in seen:
        raise UsageError(f"two probes have the id {probe.probe_id!r}; ids are unique in a suite")
    seen.add(probe.probe_id)
    for item in probe.items:
        where = f"probe {item.probe_id!r}, variant {item.variant}"
        if item.suite != name:
            raise UsageError(f"{where}: its suite is {item.suite!r}, not {name!r}")
        if item.item_id != item.seen_id():
            raise UsageError(f"{where}: its id is not that of its contents; change items with item.change(...)")
        if item.choices is not None and item.gold is not None and item.gold not in item.choices:
            raise UsageError(f"{where}: the gold answer {item.gold!r} is not among the choices")


class _Placed(NamedTuple):
    path: str | None
    sha256: str


class _Images:
    """Brings image files into the suite, each once."""

    def __init__(self, writer: SuiteWriter, how: ImageMode, suite: Suite | None) -> None:
        self._writer = writer
        self._suite = suite
        self._how = how
        self._placed: dict[str, _Placed] = {}

    def place(self, item: Item) -> Item:
        if item.image is None:
            return item
        if item.image not in self._placed:
            file = Path(item.image) if self._suite is None else self._suite.image_path(item)
            if file is None:
                raise InputError(
                    item.image,
                    f"is outside the suite of probe {item.probe_id!r}",
                    hint="open the suite with image_dirs=[...]",
                )
            try:
                digest = sha256_of_file(file)
            except InputError as error:
                raise InputError(file, error.problem, hint=f"the image of probe {item.probe_id!r}") from error
            self._placed[item.image] = _Placed(self._writer.add_image(file, how=self._how), digest)
        path, digest = self._placed[item.image]
        if item.image_sha256 not in (None, digest):
            raise InputError(item.image, f"is not the image of probe {item.probe_id!r}: the hashes differ")
        # Intervals are clustered by image: one that has no id of its own goes by its bytes.
        return item.change(image=ImageRef(item.image_id or digest[:16], path, digest))
