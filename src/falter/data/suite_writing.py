"""Writing a suite: streamed to a temporary folder, renamed when it is complete.

A suite of one's own is probes in, a checked folder out (:func:`write_suite`).
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from falter.core.errors import FalterError, InputError, UsageError
from falter.core.files import FolderKind, NameTest, atomic_folder, open_parquet, sha256_of_file
from falter.data.image_mode import ImageMode
from falter.data.items import YES_NO, ImageRef, Item, Probe
from falter.data.suite import ITEM_SCHEMA, Suite, SuiteManifest, items_to_table, open_suite, read_manifest

ROWS_A_GROUP = 8192
_WORDS = "words/kinds-wordnet.yaml"
"""What ``--wordnet`` adds to a suite."""


class SuiteWriter:
    """Appends probes to a suite in bounded memory: one row group is held at a time.

    Use :func:`create_suite`, which opens the temporary folder and closes the writer.
    """

    def __init__(self, folder: Path, manifest: SuiteManifest, *, replaces: Path | None = None) -> None:
        self.folder = folder
        self._replaces = replaces
        self.manifest = manifest
        self._pending: list[Item] = []
        self._parquet = pq.ParquetWriter(folder / "items.parquet", ITEM_SCHEMA, compression="zstd")
        self._probes: Counter[str] = Counter()
        self._rows: Counter[str] = Counter()
        self._gold: dict[str, Counter[str]] = {}
        self._copied: dict[str, str] = {}
        self._unhashed: set[str] = set()

    def add(self, probe: Probe) -> None:
        """Append one probe."""
        check_probe(probe)
        for item in probe.items:
            if item.image is not None and item.image_sha256 is None and not Path(item.image).is_absolute():
                self._unhashed.add(item.image)
        self._pending.extend(probe.items)
        if len(self._pending) >= ROWS_A_GROUP:
            self._flush()

    def add_image(self, path: Path, *, how: ImageMode = "copy") -> str | None:
        """Bring a picture into the suite and give the value for the column ``image``."""
        if how == "none":
            return None
        self.refuse_replaced(path)
        if how == "link":
            return str(path.resolve())
        known = self._copied.get(str(path))
        if known is not None:
            return known
        target = self.folder / "images" / path.name
        target.parent.mkdir(exist_ok=True)
        if target.exists():
            target = target.with_name(f"{target.stem}-{len(self._copied)}{target.suffix}")
        try:
            shutil.copyfile(path, target)
        except OSError as error:
            raise InputError(path, f"cannot be copied: {error.strerror}", hint="check the image folder") from error
        self._copied[str(path)] = f"images/{target.name}"
        return self._copied[str(path)]

    def refuse_replaced(self, image: Path) -> None:
        """Refuse an image that is in the folder which this suite will replace."""
        if self._replaces is not None and image.resolve().is_relative_to(self._replaces):
            raise UsageError(
                f"{self._replaces} is not replaced: it holds {image}, which is read; choose another folder"
            )

    def _flush(self) -> None:
        if self._pending:
            counted = Counter([(item.test, item.role, item.gold) for item in self._pending])
            for (test, role, gold), number in counted.items():
                self._rows[test] += number
                if role == "original":
                    self._probes[test] += number
                if gold in YES_NO:
                    self._gold.setdefault(test, Counter())[f"{role}:{gold}"] += number
            self._parquet.write_table(items_to_table(self._pending))
            self._pending.clear()

    def close(self) -> None:
        """Write what is left, the counts and the manifest."""
        self._flush()
        self._parquet.close()
        self.manifest.counts = {
            **self.manifest.counts,
            "probes": self._probes.total(),
            "items": self._rows.total(),
            "tests": {
                test: {
                    "probes": count,
                    "items": self._rows[test],
                    "answers": dict(sorted(self._gold.get(test, Counter()).items())),
                }
                for test, count in sorted(self._probes.items())
            },
        }
        self.manifest.items_sha256 = sha256_of_file(self.folder / "items.parquet")
        self.manifest.files = self._other_hashes()
        (self.folder / "suite.json").write_bytes(self.manifest.to_json())

    def _other_hashes(self) -> dict[str, str]:
        """The hashes of files beside the items, and of images whose items have none."""
        others = {path.name for path in self.folder.iterdir() if path.is_file()} - {"items.parquet", "suite.json"}
        images = {name for name in self._unhashed if (self.folder / name).is_file()}
        return {name: sha256_of_file(self.folder / name) for name in sorted(others | images)}

    def abort(self) -> None:
        """Let go of the open file without completing it."""
        self._parquet.close()


def check_probe(probe: Probe) -> None:
    """Refuse a probe that breaks the data model, with the name of what made it wrong."""
    items = probe.items
    if not items:
        raise FalterError("a probe needs at least its original")
    for number, item in enumerate(items):
        if item.variant != number or item.probe_id != items[0].probe_id or item.test != items[0].test:
            raise FalterError(f"probe {items[0].probe_id!r}: variants must count 0, 1, 2 ... within one probe and test")
        if (item.role == "original") != (number == 0):
            raise FalterError(f"probe {items[0].probe_id!r}: variant 0, and only it, is the original")


def _own_files(folder: Path) -> NameTest | None:
    """The files of a suite: what its manifest lists, and the images of its items."""
    if not (folder / "suite.json").is_file():
        return None
    manifest = read_manifest(folder)
    names = {"suite.json", "items.parquet", "votes.parquet", _WORDS, *manifest.files}
    if (folder / "items.parquet").is_file():
        for batch in open_parquet(folder / "items.parquet", ["image"]).iter_batches(["image"]):
            names.update(filter(None, batch.column("image").to_pylist()))
    return names.__contains__


SUITE_FOLDER = FolderKind("a suite", _own_files)


@contextmanager
def create_suite(
    folder: Path,
    manifest: SuiteManifest,
    *,
    overwrite: bool = False,
    inputs: Sequence[Path] = (),
    searched: Sequence[Path] = (),
) -> Iterator[SuiteWriter]:
    """Open a suite for writing; it stands under its name only if the block ends well.

    ``inputs`` are what it is made from, ``searched`` folders with images: neither is replaced.
    """
    with atomic_folder(folder, overwrite=overwrite, kind=SUITE_FOLDER, inputs=inputs, searched=searched) as temporary:
        writer = SuiteWriter(temporary, manifest, replaces=folder.resolve() if folder.exists() else None)
        try:
            yield writer
        except BaseException:
            writer.abort()
            raise
        writer.close()


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
