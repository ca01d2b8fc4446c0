"""What a run's ``run.json`` says: which model was asked what, with which settings, and how far it got."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from falter.errors import InputError
from falter.files import check_json, read_versioned, restore_folder, seal_json, write_atomically
from falter.version import __version__

__all__ = ["RUN_FORMAT", "ModelRecord", "RunManifest", "SuiteRecord", "read_run_manifest", "write_run_manifest"]

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
