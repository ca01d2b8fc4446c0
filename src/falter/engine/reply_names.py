"""The names of models under which a server replied, written down as soon as they are known."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from falter.models.protocol import Model
from falter.runs.manifest import RunManifest, write_run_manifest

__all__ = ["ReplyNames", "with_reply_names"]


class ReplyNames:
    """Keeps the manifest of a run that is under way."""

    def __init__(self, out: Path, manifest: RunManifest, model: Model) -> None:
        self._out = out
        self._names = model.capabilities.replied_as
        self.manifest = manifest

    def update(self) -> None:
        """Write the manifest anew where a name is new; call it from one thread at a time."""
        names = () if self._names is None else tuple(self._names())
        if set(names) <= set(self.manifest.model.replied_as):
            return
        self.manifest = with_reply_names(self.manifest, names)
        write_run_manifest(self._out, self.manifest)


def with_reply_names(manifest: RunManifest, names: Iterable[str]) -> RunManifest:
    """The manifest with further names."""
    merged = tuple(sorted({*manifest.model.replied_as, *names}))
    return msgspec.structs.replace(manifest, model=msgspec.structs.replace(manifest.model, replied_as=merged))
