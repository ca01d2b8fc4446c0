"""Writing a suite in the released format of a bundle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from falter.bundle import BUNDLES
from falter.errors import InputError, UsageError
from falter.files import atomic_folder
from falter.probes import Suite

__all__ = ["Exporter", "export_suite", "exporter_names"]


class Exporter(Protocol):
    """An entry of the slot ``exporters`` of a bundle."""

    def write(self, suite: Suite, folder: Path) -> Mapping[str, int]:
        """Write files into an empty folder; by file the number of its entries, none where the suite has nothing."""
        ...


def exporter_names() -> list[str]:
    """The formats that bundles write."""
    return sorted(name for bundle in BUNDLES.available() for name in bundle.exporters)


def export_suite(suite: Suite, to: str, out: Path, *, overwrite: bool = False) -> dict[str, int]:
    """Write a suite in a bundle's format, whole or not at all; by file the number of its entries."""
    bundle = next((one for one in BUNDLES.available() if to in one.exporters), None)
    if bundle is None:
        raise UsageError(f"nothing is exported to {to!r}: there are {', '.join(exporter_names())}")
    if out.resolve() == suite.folder.resolve():
        raise UsageError(f"{out} is the suite itself; choose another --out")
    exporter: Exporter = bundle.get("exporters", to)
    with atomic_folder(out, overwrite=overwrite) as folder:
        written = dict(exporter.write(suite, folder))
        if not written:
            raise InputError(suite.folder, f"holds nothing that {to} has a form for", hint="choose another format")
    return written
