"""What a suite's ``suite.json`` says: what made it, from what, with which seed, under which licence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from falter.errors import InputError
from falter.files import check_json, read_versioned, restore_folder, seal_json
from falter.version import __version__

__all__ = ["SUITE_FORMAT", "SuiteManifest", "read_manifest"]

HINT = "restore it from a copy, or generate or import the suite again"

SUITE_FORMAT = 1
"""Raised when a reader of an older version could no longer understand a suite."""


class SuiteManifest(msgspec.Struct, kw_only=True, forbid_unknown_fields=False):
    """What a suite is and how it was made; it follows from the inputs, so equal inputs give equal bytes."""

    name: str
    format: int = SUITE_FORMAT
    falter: str = __version__
    title: str = ""
    made_by: str = ""
    parameters: dict[str, Any] = msgspec.field(default_factory=dict)
    seed: int | None = None
    sources: list[dict[str, Any]] = msgspec.field(default_factory=list)
    licence: str = "not stated"
    citation: str = ""
    counts: dict[str, Any] = msgspec.field(default_factory=dict)
    notes: list[str] = msgspec.field(default_factory=list)
    items_sha256: str = ""
    files: dict[str, str] = msgspec.field(default_factory=dict)
    """The hashes of the other files, by name, except of images: items have theirs."""

    def to_json(self) -> bytes:
        """Indented, with a stable order of keys, and with a checksum of itself."""
        return seal_json(msgspec.json.encode(self, order="deterministic"))


def read_manifest(folder: Path) -> SuiteManifest:
    """Read ``suite.json`` of a folder; one that has changed since it was written is refused."""
    path = folder / "suite.json"
    restore_folder(folder)
    if not folder.exists():
        raise InputError(folder, "does not exist", hint="give a suite folder; make one with falter generate or import")
    if not path.is_file():
        raise InputError(folder, "is not a suite: it has no suite.json", hint="make one with falter generate or import")
    manifest = read_versioned(path, SuiteManifest, format_=SUITE_FORMAT, what="a suite manifest", hint=HINT)
    check_json(path, hint=HINT)
    return manifest
