"""What a run's ``run.json`` says: which model was asked what, with which settings, where its suite is, how far it got.

Settings must stay the same when a run is resumed. A run may be one of several parts (shards), so that machines can
share it. It finds its suite by the way from one folder to the other, and the suite's hash."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from falter.core.errors import FalterError, InputError, UsageError
from falter.core.files import check_json, read_versioned, restore_folder, seal_json, write_atomically
from falter.core.version import __version__
from falter.data.image_mode import ImageInput
from falter.data.normalize import ANSWERS_VERSION
from falter.data.suite import read_manifest

__all__ = [
    "ImageInput",
    "ModelRecord",
    "RunManifest",
    "RunSettings",
    "Shard",
    "SuiteRecord",
    "UntilSettings",
    "find_suite",
    "path_to_suite",
    "read_run_manifest",
    "write_run_manifest",
]

RUN_FORMAT = 1
"""Raised when a reader of an older version could no longer understand a run."""

HINT = "restore it from a copy, or run the model again with another --out"

_NAME = "run.json"


class ModelRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which model was asked; ``name`` says also how, where the picture was switched or the prompt chosen."""

    spec: str
    name: str
    fingerprint: str
    abilities: tuple[str, ...]
    needs_image: bool
    rule: str | None = None
    """How its replies come about, where it can be done in several ways: ``lm:mean,bos:on``, ``decide:likelihood``."""
    prompt: str | None = None
    """The name of the prompt that it was asked with."""
    prompt_fingerprint: str | None = None
    prompted: tuple[str, ...] | None = None
    """The tasks that it is asked with the prompt for, where others get by without."""
    replied_as: tuple[str, ...] = ()
    """The other names under which a server replied, sorted."""


class SuiteRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What it was asked; ``path`` is the way from the run's folder to the suite's, ``items`` counts its rows."""

    name: str
    path: str
    fingerprint: str
    items: int


class RunManifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is and how far it got. It holds no times, so that equal runs have equal bytes."""

    format: int = RUN_FORMAT
    falter: str = __version__
    model: ModelRecord
    suite: SuiteRecord
    settings: dict[str, Any] = {}
    asked: int = 0
    """How many distinct items the run is about."""
    complete: bool = False
    counts: dict[str, int] = {}
    reader: str | None = None
    """The version of the reader that read the answers out of the texts; None where that is not one version."""
    files: dict[str, str] = {}
    """The hashes of the files of a complete run, by name."""
    verdicts: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET
    """What a run that may stop early has decided."""

    @property
    def is_control(self) -> bool:
        """Whether the model was shown something else than its images, or nothing."""
        return self.settings.get("image") is not None


def read_run_manifest(folder: Path) -> RunManifest:
    """Read ``run.json`` of a folder; one that has changed since it was written is refused."""
    path = folder / _NAME
    restore_folder(folder)
    if not folder.exists():
        raise InputError(folder, "does not exist", hint="give the folder of a run, or a folder of runs")
    if not path.is_file():
        raise InputError(folder, "is not a run: it has no run.json", hint="make one with falter run")
    manifest = read_versioned(path, RunManifest, format_=RUN_FORMAT, what="a run manifest", hint=HINT)
    check_json(path, hint=HINT)
    return manifest


def write_run_manifest(folder: Path, manifest: RunManifest) -> None:
    """Write ``run.json`` with a checksum of itself, whole or not at all."""
    write_atomically(folder / _NAME, seal_json(msgspec.json.encode(manifest, order="deterministic")))


_WRITTEN = re.compile(r"([0-9]{1,9})/([0-9]{1,9})")


class Shard(NamedTuple):
    """Part ``number`` of ``total``, counted from 1; an image's items are in one part, so that it is loaded once."""

    number: int
    total: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``i/N``.

        >>> Shard.parse("2/5")
        Shard(number=2, total=5)
        """
        found = _WRITTEN.fullmatch(text.strip())
        shard = None if found is None else cls(int(found[1]), int(found[2]))
        if shard is None or not 1 <= shard.number <= shard.total:
            raise UsageError(f"a shard is i/N with i from 1 to N, such as 2/5, not {text!r}")
        return shard

    def holds(self, item_id: str, image_id: str | None) -> bool:
        """Whether an item belongs to this part: by its image, else by itself."""
        key = f"item:{item_id}" if image_id is None else f"image:{image_id}"
        digest = hashlib.sha256(f"shard\n{key}".encode()).digest()
        return int.from_bytes(digest[:8]) % self.total == self.number - 1

    def __str__(self) -> str:
        return f"{self.number}/{self.total}"


class UntilSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a run is to decide before it may stop: requirements on the values that a full run would have."""

    requirements: tuple[str, ...]
    alpha: float = 0.05
    """With at most this probability any of the verdicts differs from that of the full run."""
    look_every: int = 20
    """At least so many probes are asked between two tests."""
    allow_missing: float = 0.01
    baseline: str | None = None
    """The hash of the baseline's replies."""

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 0.5:
            raise UsageError(f"--alpha is a share above 0 and below 0.5, such as 1%, not {self.alpha:g}")
        if self.look_every < 1:
            raise UsageError(f"--look-every is at least 1 probe, not {self.look_every}")


class RunSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a run. The size of batches is not one: it must not change a reply."""

    limit: int | None = None
    """At most so many probes."""
    seed: int = 0
    """Draws the probes of a limited run, and which image replaces which."""
    plugin_hashes: tuple[str, ...] = ()
    """Hashes of the plugin folders: what they hold may change a reply."""
    repeat: int = 1
    """How often every item is asked."""
    image_input: ImageInput | None = None
    """What is shown instead of the image: nothing, a grey one, that of another item; None: the image itself."""

    shard: Shard | None = None
    """The part of a divided run that this is; None: the whole."""
    random_order: bool = False
    """Probes are asked in an order that the seed draws, so that what was asked is a random sample of them."""
    until: UntilSettings | None = None
    """When a run in random order may stop early."""

    def __post_init__(self) -> None:
        if self.limit is not None and self.limit < 1:
            raise UsageError(f"--limit takes at least 1 probe, not {self.limit}")
        if self.repeat < 1:
            raise UsageError(f"--repeat is at least 1, not {self.repeat}")
        option = "--until" if self.until is not None else "--random-order"
        if self.shard is not None and self.in_random_order:
            raise UsageError(
                f"{option} does not go with --shard: a part of a run has no order of the whole suite, and cannot know "
                "what the other parts have seen; run the suite undivided"
            )
        if self.until is not None and self.limit is not None:
            raise UsageError(
                "--until does not go with --limit: its verdicts are about the whole suite, which a limit leaves out; "
                "leave --limit out, or run with --limit alone and use falter check"
            )
        if self.until is not None and self.repeat > 1:
            raise UsageError("--until does not go with --repeat: its verdict is about one reply to each item")

    @property
    def in_random_order(self) -> bool:
        """Whether probes are asked in random order."""
        return self.random_order or self.until is not None

    def recorded(self) -> dict[str, Any]:
        """As written to ``run.json``."""
        record: dict[str, Any] = {"answers": ANSWERS_VERSION}
        if self.limit is not None:
            record["limit"] = self.limit
        if self.limit is not None or self.image_input == "shuffle" or self.in_random_order:
            record["seed"] = self.seed
        if self.plugin_hashes:
            record["extend"] = list(self.plugin_hashes)
        if self.repeat > 1:
            record["repeat"] = self.repeat
        if self.image_input is not None:
            record["image"] = self.image_input
        if self.shard is not None:
            record["shard"] = str(self.shard)
        if self.in_random_order:
            record["order"] = "random"
        if self.until is not None:
            record["until"] = list(self.until.requirements)
            record |= {name: getattr(self.until, name) for name in ("alpha", "look_every", "allow_missing")}
            if self.until.baseline is not None:
                record["baseline"] = self.until.baseline
        return record

    def named(self, name: str) -> str:
        """What a model is called under these settings.

        >>> RunSettings(image_input="blank").named("blind")
        'blind (image: blank)'
        """
        return name if self.image_input is None else f"{name} (image: {self.image_input})"


_MOST_FOLDERS = 1000
"""So many folders near a run are looked at for its suite."""


def path_to_suite(run: Path, suite: Path) -> str:
    """The way from a run's folder to its suite's, so that both can move together."""
    try:
        return Path(os.path.relpath(suite.resolve(), run.resolve())).as_posix()
    except ValueError:  # on another drive
        return str(suite.resolve())


def find_suite(run: Path, record: SuiteRecord) -> Path:
    """The folder of a run's suite: where it was, else one near the run that has its hash."""
    recorded = Path(os.path.normpath(run.resolve() / record.path))
    here = recorded.is_dir()
    if here and read_manifest(recorded).items_sha256 == record.fingerprint:
        return recorded
    for folder in islice(_folders_near(run.resolve()), _MOST_FOLDERS):
        if (folder / "suite.json").is_file() and _fingerprint(folder) == record.fingerprint:
            return folder
    if here:
        raise InputError(
            recorded,
            f"is not the suite of the run {run}: the fingerprints differ",
            hint="give the suite that was asked with --suite, or run the model on this one",
        )
    raise InputError(
        run,
        f"its suite {record.name} is neither in {recorded} nor near the run",
        hint="give the suite's folder with --suite",
    )


def _fingerprint(folder: Path) -> str | None:
    try:
        return read_manifest(folder).items_sha256
    except FalterError:
        return None


def _folders_near(run: Path) -> Iterator[Path]:
    """The folders beside a run and beside the folder that it is in, two levels deep, the nearest first."""
    for parent in run.parents[:2]:
        if parent == parent.parent:
            return
        beside = _folders_in(parent)
        yield from beside
        for folder in beside:
            yield from _folders_in(folder)


def _folders_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            found = [entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()]
    except OSError:
        return []
    return [folder / name for name in sorted(found)]
