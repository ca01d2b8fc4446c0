"""Changing a manifest on purpose, as the program that wrote it would: its checksum fits afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from falter.core.files import seal_json, sha256_of_file


def edit_manifest(path: Path, **changes: Any) -> None:
    """Change keys of ``suite.json`` or ``run.json``."""
    content = {**json.loads(path.read_bytes()), **changes}
    content.pop("checksum", None)
    path.write_bytes(seal_json(json.dumps(content).encode()))


def make_old(path: Path) -> None:
    """Make a manifest one that was written before there were checksums."""
    content = json.loads(path.read_bytes())
    for key in ("checksum", "files"):
        content.pop(key, None)
    path.write_text(json.dumps(content, indent=2) + "\n")


def accept_items(folder: Path) -> None:
    """Make a suite's manifest fit its ``items.parquet``."""
    edit_manifest(folder / "suite.json", items_sha256=sha256_of_file(folder / "items.parquet"))
